"""What is kept once something like it was said before: two things stay two, and a change replaces what it changes."""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import pytest

from fabric import Fabric, handler
from fabric.testing import FrozenClock
from pipelines import Memory
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory


@contextmanager
def captured(*said: str, sessions: Sequence[str] = ()) -> Generator[Memory]:
    """Yield a memory that was told these things a day apart, in one session unless several are named."""
    clock = FrozenClock()
    with Fabric(clock=clock) as fabric, Memory(fabric, user="jake") as memory:
        for place, text in enumerate(said):
            memory.capture(text, session=sessions[place] if sessions else "")
            assert memory.wait() == []
            clock.advance(days=1)
        yield memory


@contextmanager
def stated(*said: str, subject: str = "user") -> Generator[Memory]:
    """Yield a memory in which these things were stated as facts, a day apart."""
    clock = FrozenClock()
    with Fabric(clock=clock) as fabric, Memory(fabric, user="jake") as memory:
        for text in said:
            memory.remember(text, subject=subject)
            clock.advance(days=1)
        yield memory


def current(memory: Memory) -> list[str]:
    """Return the facts that hold, oldest first."""
    return [fact["content"] for fact in memory.export() if fact["kind"] == "fact" and fact["status"] == "current"]


TWO_PLANS = [
    ("I have a meeting with Anna on Monday.", "I have a meeting with Anna on Friday.", "Monday", "Friday"),
    ("I have to review pull request 815.", "I have to review pull request 812.", "815", "812"),
    ("I have a meeting with Bob on Friday.", "I have a meeting with Anna on Friday.", "Bob", "Anna"),
    ("I have a dentist appointment on March 3.", "I have a dentist appointment on March 30.", "March 3", "March 30"),
    ("I'm having dinner with Omar at 7.", "I'm having dinner with Omar at 9.", "at 7", "at 9"),
]


def mentions(texts: Sequence[str], said: str) -> bool:
    """Return whether one of the texts says it, and not as part of a longer number or word."""
    return any(re.search(rf"\b{said}\b", text) for text in texts)


@pytest.mark.parametrize(("first", "second", "one", "other"), TWO_PLANS)
def test_two_plans_that_are_worded_alike_are_both_found(first: str, second: str, one: str, other: str):
    with captured(first, second) as memory:
        for cue in (first, "what do I have planned?"):
            found = [result.content for result in memory.recall(cue)]
            assert mentions(found, one), found
            assert mentions(found, other), found
        evidence = memory.context(first).splitlines()
        assert mentions(evidence, one), evidence
        assert mentions(evidence, other), evidence


@pytest.mark.parametrize(("first", "second", "one", "other"), TWO_PLANS)
def test_two_plans_that_are_worded_alike_stand_in_the_prompt(first: str, second: str, one: str, other: str):
    texts = [first.removesuffix("."), second.removesuffix(".")]
    fabric, mem = open_memory(MemoryModel(*[[observation(text, category="event")] for text in texts]))
    show = handler(mem.context_formatter, name="show", uses=[mem.capability])
    with fabric:
        session = fabric.session("monday", user="jake")
        for text in texts:
            session.run(chat_with(mem), text)
            fabric.drain()
        shown = str(session.run(show).output).splitlines()
    assert mentions(shown, one), shown
    assert mentions(shown, other), shown


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Blood type is A+", "Blood type is A-"),
        ("Blood type is O-", "Blood type is O+"),
        ("Knows C", "Knows C++"),
        ("Knows C++", "Knows C#"),
        ("Writes F#", "Writes F"),
        ("The probe shows -5", "The probe shows 5"),
        ("Owns a Galaxy S21", "Owns a Galaxy S21+"),
        ("Is allergic to E621", "Is allergic to E110"),
        ("Takes vitamin B12", "Takes vitamin B6"),
        ("Drove an Audi A4", "Drove an Audi A8"),
        ("Likes Python 2", "Likes Python 3"),
        ("Likes Formula 1", "Likes Formula 2"),
        ("Likes the BMW X5", "Likes the BMW X3"),
        ("Nu sunt alergic la arahide", "Sunt alergic la arahide"),
        ("Tôi không thích cà phê", "Tôi thích cà phê"),
        ("Saya tidak suka kopi", "Saya suka kopi"),
        ("Δεν μου αρέσει ο καφές", "Μου αρέσει ο καφές"),
        ("Je ne fume plus", "Je fume"),
        ("Service A depends on service B", "Service B depends on service A"),
    ],
)
def test_what_is_said_last_is_kept_whatever_stood_there(first: str, second: str):
    with stated(first) as memory:
        outcome = memory.remember(second)
        assert outcome.status in ("stored", "superseded")
        assert second in current(memory)
        assert memory.remember(second).status != "stored"


@pytest.mark.parametrize(
    "facts",
    [
        ("Knows C", "Knows C++", "Knows C#"),
        ("Is allergic to E621", "Is allergic to E110", "Is allergic to E102"),
        ("Is allergic to peanuts", "Is allergic to penicillin"),
        ("Takes vitamin B12", "Takes vitamin B6", "Takes vitamin D3"),
        ("Likes Formula 1", "Likes Formula 2"),
        ("Likes the BMW X5", "Likes the BMW X3"),
        ("Owns a Galaxy S21", "Owns a Galaxy S21+"),
        ("Review pull request 815", "Review pull request 812"),
        ("Mag Jazz", "Mag Schach"),
        ("喜欢茶", "喜欢咖啡"),
    ],
)
def test_several_values_of_one_kind_are_as_many_facts(facts: tuple[str, ...]):
    with stated(*facts) as memory:
        assert current(memory) == list(facts)


def test_another_role_at_the_same_employer_is_a_change_of_role():
    with captured("I work at Stripe as an engineer.", "I work at Stripe as a manager now.") as memory:
        assert not any("engineer" in fact for fact in current(memory))
        first = memory.recall("what is my role?")[0]
        assert "manager" in first.content
        assert any("Stripe" in fact for fact in current(memory))


@pytest.mark.parametrize(
    ("uses", "names"),
    [
        ("I use Firefox.", ("Firefox", "Brave", "Safari")),
        ("I bank with Chase.", ("Chase", "Ally", "Revolut")),
        ("I use a Pixel.", ("a Pixel", "an iPhone", "a Fairphone")),
        ("I use Spotify.", ("Spotify", "Tidal", "Deezer")),
    ],
)
def test_who_switches_no_longer_uses_the_former(uses: str, names: tuple[str, str, str]):
    texts = [uses, *(f"I switched from {before} to {after}." for before, after in pairwise(names))]
    for count in (2, 3):
        with captured(*texts[:count]) as memory:
            (fact,) = current(memory)
            assert names[count - 1].removeprefix("an ").removeprefix("a ") in fact


def test_a_switch_leaves_other_things_alone():
    with captured("I use Thunderbird.", "I use Firefox.", "I switched from Firefox to Brave.") as memory:
        assert "Uses Thunderbird" in current(memory)
        assert len(current(memory)) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Arbeitet bei Bosch", "Arbeitet bei Siemens"),
        ("Ich wohne in Berlin", "Ich wohne jetzt in Hamburg"),
        ("Ist 41 Jahre alt", "Ist 42 Jahre alt"),
        ("Trabaja en Seat", "Ahora trabaja en Cupra"),
        ("Habite à Lyon", "Habite maintenant à Lille"),
        ("Abita a Torino", "Adesso abita a Milano"),
        ("Mora em Lisboa", "Agora mora no Porto"),
        ("Woont in Utrecht", "Woont nu in Breda"),
        ("Живёт в Туле", "Теперь живёт в Омске"),
        ("住在上海", "现在住在北京"),
        ("大阪に住んでいる", "今は京都に住んでいる"),
        ("I weigh 82 kg", "I weigh 79 kg"),
        ("My flight leaves at 9:40", "My flight leaves at 10:15"),
    ],
)
def test_a_new_value_takes_the_place_of_the_old_one(first: str, second: str):
    with stated(first, second) as memory:
        assert current(memory) == [second]


@pytest.mark.parametrize(
    ("first", "second", "old", "new"),
    [
        ("I weigh 82 kg.", "I weigh 79 kg now.", "82", "79"),
        ("My flight leaves at 9:40.", "My flight leaves at 10:15.", "9:40", "10:15"),
    ],
)
def test_a_number_that_is_said_anew_takes_the_place_of_the_old_one(first: str, second: str, old: str, new: str):
    with captured(first, second) as memory:
        held = [found.content for found in memory.recall(first, tiers=["working", "episodic", "semantic"])]
        assert any(new in text for text in held)
        assert not any(old in text for text in held)


@pytest.mark.parametrize("verb", ["liked", "enjoyed", "loved", "preferred"])
def test_who_never_liked_tea_is_not_taken_for_somebody_who_does(verb: str):
    for said in (f"I've never {verb} tea.", f"I never really {verb} tea."):
        with captured("I like tea.", said) as memory:
            assert "Likes tea" not in current(memory)
            assert not any("always" in fact or "reallies" in fact for fact in current(memory))


@pytest.mark.parametrize(
    "said",
    [
        "I think I am allergic to nuts, but the test was negative.",
        "I thought I was allergic to nuts, but it turned out I'm not.",
    ],
)
def test_an_allergy_that_is_ruled_out_in_the_same_sentence_is_none(said: str):
    with captured(said) as memory:
        assert "Is allergic to nuts" not in current(memory)


@pytest.mark.parametrize("text", ["- likes tea", ". x", "... x", "' x", "* likes tea", "🙂 likes tea"])
def test_a_statement_that_begins_with_a_sign_is_kept(text: str):
    with stated("Works at Stripe") as memory:
        fact = memory.remember(text).id
        assert memory.update(fact, f"{text} too").content == f"{text} too"
        assert "Works at Stripe" in current(memory)
