from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocks.readers.observe import observe_text
from blocks.readers.sentences import own_sentences
from capabilities.vocabulary import MAX_OBSERVATIONS
from tests.bench.rules import labelled, on_labelled
from tests.soak import examples

PRECISION_FLOOR = 0.93
RECALL_FLOOR = 0.92


def said(text: str) -> list[tuple[str, str]]:
    return [(seen.subject, seen.content) for seen in observe_text(text)]


def test_labelled_set_is_large_and_half_traps() -> None:
    rows = labelled()
    traps = [row for row in rows if not row["facts"]]
    assert len(rows) >= 150
    assert len({row["text"] for row in rows}) == len(rows)
    assert 0.45 <= len(traps) / len(rows) <= 0.6


def test_precision_and_recall_hold_on_the_labelled_set() -> None:
    score, mistakes = on_labelled()
    assert score.precision >= PRECISION_FLOOR, mistakes
    assert score.recall >= RECALL_FLOOR, mistakes


@pytest.mark.parametrize(
    ("text", "category", "durability", "low", "high"),
    [
        ("My name is Jake.", "identity", "permanent", 0.8, 1.0),
        ("I was born in Maryland.", "identity", "permanent", 0.8, 1.0),
        ("My birthday is March 14.", "identity", "permanent", 0.8, 1.0),
        ("I live in Leeds.", "identity", "persistent", 0.6, 1.0),
        ("I work at Stripe.", "profession", "persistent", 0.6, 0.8),
        ("I prefer TypeScript.", "preference", "persistent", 0.6, 0.8),
        ("I'm allergic to nuts.", "attribute", "persistent", 0.8, 1.0),
        ("I have two kids.", "relationship", "persistent", 0.6, 0.8),
        ("I believe in second chances.", "belief", "persistent", 0.3, 0.8),
        ("I go swimming every Tuesday.", "pattern", "persistent", 0.3, 0.8),
        ("I'm flying to Lisbon on May 3.", "event", "persistent", 0.6, 0.8),
        ("My goal is to run a marathon.", "task", "persistent", 0.8, 1.0),
        ("I need to finish the tax return.", "task", "session", 0.3, 0.6),
        ("We cancelled the Berlin trip.", "event", "persistent", 0.6, 0.8),
    ],
)
def test_what_is_said_is_classified(text: str, category: str, durability: str, low: float, high: float) -> None:
    (seen,) = observe_text(text)
    assert (seen.category, seen.durability) == (category, durability)
    assert low <= seen.importance <= high


def test_facts_about_others_carry_their_name() -> None:
    assert said("My sister Anna lives in Oslo.") == [("user", "Sister is Anna"), ("anna", "Lives in Oslo")]
    assert said("Jennifer works at Acme") == [("jennifer", "Works at Acme")]
    assert said("Fixpoint Labs is based in Toronto.") == [("fixpoint-labs", "Is based in Toronto")]


@pytest.mark.parametrize(
    ("text", "subject", "content", "category", "durability"),
    [
        ("Jennifer's birthday is on June 3.", "jennifer", "Birthday is on June 3", "identity", "permanent"),
        ("My mother's birthday is May 2.", "user", "Mother's birthday is May 2", "relationship", "permanent"),
        ("Tom's wife is called Ana.", "tom", "Wife is Ana", "relationship", "persistent"),
        ("Alice's favourite food is sushi.", "alice", "Favourite food is sushi", "preference", "persistent"),
        ("Tom is getting married in September.", "tom", "Is getting married in September", "event", "persistent"),
        ("Jennifer doesn't work at Acme any more.", "jennifer", "No longer works at Acme", "profession", "persistent"),
        ("I'm now a staff engineer there.", "user", "Is a staff engineer", "profession", "persistent"),
        ("I switched to tea.", "user", "Switched to tea", "preference", "persistent"),
        ("I switched to a new team.", "user", "Switched to a new team", "profession", "persistent"),
        ("I sleep badly when it rains.", "user", "Sleeps badly when it rains", "pattern", "persistent"),
    ],
)
def test_others_changes_and_habits_are_classified(
    text: str, subject: str, content: str, category: str, durability: str
) -> None:
    (seen,) = observe_text(text)
    assert (seen.subject, seen.content, seen.category, seen.durability) == (subject, content, category, durability)


def test_a_home_shared_with_somebody_named_is_two_observations() -> None:
    assert said("I live in Lisbon with my wife Jennifer.") == [
        ("user", "Lives in Lisbon"),
        ("user", "Wife is Jennifer"),
    ]
    assert said("I live with my parents.") == [("user", "Lives with their parents")]
    assert said("I went there with my friend Ana.") == [("user", "Friend is Ana")]


def test_a_place_is_an_employer_only_after_the_old_one_was_left() -> None:
    assert said("I left Acme. I'm at Initech now.")[1:] == [("user", "Works at Initech")]
    assert said("I'm at Initech now.") == []


def test_only_a_correction_of_a_name_is_told_as_one() -> None:
    assert said("My dog's name is Biscotti, not Biscuit.") == [("user", "Dog's name is Biscotti")]
    assert said("My dog's name is Biscotti.") == [("user", "Has a dog named Biscotti")]


def test_he_and_she_mean_the_person_named_before() -> None:
    assert ("rex", "Loves bones") in said("My dog Rex is 3 years old. He loves bones.")
    assert said("She loves bones.") == []


def test_names_numbers_and_dates_stay_as_written() -> None:
    assert said("I work at McKinsey & Co since 03/2019.") == [("user", "Works at McKinsey & Co since 03/2019")]
    assert said("My favourite café is Zażółć, 12 Rue d’Étienne.")[0][1].startswith("Favourite café is Zażółć, 12 Rue d")


@pytest.mark.parametrize(
    "text",
    [
        'He wrote "I live in Paris, and my dog is called Bob" on the wall.',
        "> I live in Paris\n> My name is Bob",
        "```\nI live in Paris\n",
        "Rewrite this more politely:\n\nI hate your product. My name is Bob.",
        "2024-05-01T12:00:00Z ERROR I am a worker\n    at com.example.Main(Main.java:5)\nMy name is not logged",
        "| I live in | Paris |",
        "See https://example.com/my-name-is-bob and /home/i-love-cats/my-name.txt",
    ],
)
def test_quoted_and_pasted_text_gives_nothing(text: str) -> None:
    assert said(text) == []


def test_own_words_around_a_paste_still_count() -> None:
    text = "I work at Stripe. Here is what I got:\n```\nI live in Paris\n```"
    assert said(text) == [("user", "Works at Stripe")]


def test_remember_keeps_what_no_rule_reads() -> None:
    (seen,) = observe_text("Remember that the blue door sticks.")
    assert seen.content == "The blue door sticks"
    assert seen.importance >= 0.7


def test_saying_it_twice_gives_it_once() -> None:
    assert said("I like tea. I like tea! i like tea") == [("user", "Likes tea")]


UNITS = ["I like tea and ", "my dog ", " ", "\n", "\t", ". ", '"', "`", "<a ", "| ", "I ", "if ", "```\n", "a", "我"]


def test_a_plan_keeps_its_words_and_gains_its_day() -> None:
    late = datetime(2026, 11, 28, 23, 30, tzinfo=ZoneInfo("Asia/Kolkata"))
    (plan,) = observe_text("I have a dentist appointment tomorrow at 9.", now=late)
    assert plan.content == "Has a dentist appointment tomorrow at 9 (2026-11-29)"
    (moved,) = observe_text("My flight is on Saturday.", now=late)
    assert moved.content == "Their flight is on Saturday (2026-12-05)"
    assert observe_text("I like Fridays.", now=late) == observe_text("I like Fridays.")


@pytest.mark.parametrize("unit", UNITS)
def test_a_million_characters_are_read_at_head_and_tail_only(unit: str) -> None:
    text = "I live in Leeds.\n" + unit * (1_000_000 // len(unit)) + "\nI work at Stripe."
    assert len(observe_text(text)) <= MAX_OBSERVATIONS


def test_head_and_tail_of_a_huge_message_are_read() -> None:
    filler = "Lorem ipsum dolor sit amet. " * 40_000
    assert said(f"I live in Leeds.\n{filler}\nI work at Stripe.") == [
        ("user", "Lives in Leeds"),
        ("user", "Works at Stripe"),
    ]


@settings(max_examples=examples(200))
@given(st.text(max_size=400))
def test_any_text_is_survived(text: str) -> None:
    for seen in observe_text(text):
        assert seen.content.strip()


_FRAGMENTS = st.sampled_from(
    [
        "I",
        "my",
        "name",
        "is",
        "like",
        "love",
        "live",
        "in",
        "work",
        "at",
        ",",
        ".",
        "?",
        "!",
        '"',
        "'",
        ">",
        "if",
        "said",
        "Anna",
        "dog",
        "and",
        "not",
        "5",
        "years",
        "old",
        "don't",
        "\n",
        "```",
        "remember",
        "that",
        "we",
        "have",
        "never",
        "she",
        "Oslo",
    ]
)


@settings(max_examples=examples(300))
@given(st.lists(_FRAGMENTS, max_size=30).map(" ".join))
def test_a_question_never_becomes_a_fact(text: str) -> None:
    flat = " ".join(text.replace("\n", " ").translate({ord(mark): " " for mark in ",.!?>\"'`"}).split())
    assert observe_text(f"Do {flat}?") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I'm allergic to peanuts. Sorry, I meant walnuts.", ["Is allergic to walnuts"]),
        ("I'm allergic to peanuts, sorry, I meant walnuts.", ["Is allergic to walnuts"]),
        ("I'm not allergic to nuts after all.", ["Is not allergic to nuts"]),
        ("Actually I'm not allergic to nuts, it's eggs.", ["Is not allergic to nuts", "Is allergic to eggs"]),
        ("I'm not allergic to nuts but to eggs.", ["Is not allergic to nuts", "Is allergic to eggs"]),
        ("I am not lactose intolerant anymore.", ["Is not lactose intolerant"]),
        ("I'm no longer a vegetarian.", ["Is no longer a vegetarian"]),
        ("I'm allergic to peanuts. Sorry, I meant intolerant.", []),
        ("I'm allergic to tree nuts. I meant peanuts.", []),
        ("I work at Google. I mean Meta.", ["Works at Meta"]),
        ("I work at Google, I mean Meta.", ["Works at Meta"]),
        ("I live in Lisbon. No, actually Porto.", ["Lives in Porto"]),
        ("I live in Lisbon, no, Porto.", ["Lives in Porto"]),
        ("I live in New York. Sorry, I meant Boston.", []),
        ("I live in Lisbon. No wait, I live in Porto.", ["Lives in Porto"]),
        ("I like tea, no wait, I like coffee.", ["Likes coffee"]),
        ("I work for Meta, scratch that, I work at Apple.", ["Works at Apple"]),
        ("My sister is Anna. Correction: Hannah.", ["Sister is Hannah"]),
        ("I have two cats. Scratch that, three cats.", []),
        ("I'm vegan. Just kidding.", []),
        ("I'm a nurse. I live in Lisbon. Actually no, somewhere near it.", ["Is a nurse"]),
    ],
)
def test_what_is_corrected_right_behind_it_is_held_back_or_put_right(text: str, found: list[str]) -> None:
    assert [content for _, content in said(text)] == found


@pytest.mark.parametrize("text", ["no, actually Porto", "Sorry, I meant walnuts", "I mean Meta.", "Scratch that."])
def test_correction_alone_says_nothing(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I'm a nurse. I mean, I love my job.", ["Is a nurse", "Loves their job"]),
        ("I like tea. Sorry for the typos. I have a dog.", ["Likes tea", "Has a dog"]),
        ("I live in Rome. Wait, I also have a dog.", ["Lives in Rome", "Has a dog"]),
        ("I live in Rome. Actually no one knows me here.", ["Lives in Rome"]),
    ],
)
def test_words_of_a_correction_that_correct_nothing_take_nothing_back(text: str, found: list[str]) -> None:
    assert [content for _, content in said(text)] == found


def test_what_was_and_what_is_now_are_two_statements() -> None:
    found = [content for _, content in said("I used to work at Google, now I work at Meta.")]
    assert found == ["Used to work at Google", "Works at Meta"]


def test_signs_alone_are_no_sentences_whatever_their_number() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert list(own_sentences(f"Look {family * 500}! {f'{family} ' * 500}I live in Rome.")) != []
    assert all(
        any(char.isalnum() for char in sentence) for sentence in own_sentences(f"Look! {f'{family} ' * 500}I am here.")
    )
    assert said(f"I like tea. {family * 500} I live in Rome.") == [("user", "Likes tea"), ("user", "Lives in Rome")]
