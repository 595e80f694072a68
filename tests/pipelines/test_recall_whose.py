"""What is known of the user answers no question about somebody else, whether they are known or not."""

from collections.abc import Sequence

import pytest

from capabilities.memory.recall.ranked import RELEVANT, RankedMemory
from capabilities.relations.words import FORMS, IMPLIED
from pipelines import Memory

HOME = ("I live in Lisbon.", "I work at Stripe.")


def remembering(*said: str) -> Memory:
    memory = Memory(user="jake")
    for place, text in enumerate(said):
        memory.capture(text, session=f"s{place}")
    memory.wait()
    return memory


def best(said: Sequence[str], cue: str) -> RankedMemory:
    with remembering(*said) as memory:
        return memory.recall(cue)[0]


@pytest.fixture(scope="module")
def at_home():
    with remembering(*HOME) as memory:
        yield memory


def plain(text: str) -> str:
    """Return a text without its last point, which a fact does not have."""
    return text.rstrip(".。")


PEOPLE = sorted({kin for kin in FORMS["english"].values() if kin not in IMPLIED})


@pytest.mark.parametrize("kin", PEOPLE)
def test_nobody_who_is_not_known_lives_where_the_user_does(at_home: Memory, kin: str):
    word = " ".join(next(said for said, meant in FORMS["english"].items() if meant == kin))
    for cue in (f"where does my {word} live?", f"where does my {word}'s wife live?", f"what is our {word}'s job?"):
        found = at_home.recall(cue)
        assert found[0].relevance < RELEVANT / 2, cue


@pytest.mark.parametrize(
    "cue",
    [
        "where does Anna live?",
        "where does anna live?",
        "Where is Anna's home?",
        "where does Will live?",
        "where will May live?",
        "where does Anna's brother live?",
        "wo wohnt Anna?",
        "where does the wife of my brother live?",
        "where does mom live?",
    ],
)
def test_a_name_that_nobody_knows_is_not_the_user(at_home: Memory, cue: str):
    assert at_home.recall(cue)[0].relevance < RELEVANT / 2


@pytest.mark.parametrize(
    "cue", ["where do I live?", "where is my home, in Lisbon?", "do my brother and I live in Lisbon?"]
)
def test_the_user_is_still_found(at_home: Memory, cue: str):
    found = at_home.recall(cue)[0]
    assert (found.subject, found.relevance > RELEVANT) == ("user", True)


FAMILY = (
    "I live in Lisbon.",
    "My brother Tom lives in Oslo.",
    "Tom's wife is Eva.",
    "Eva lives in Paris.",
    "My wife is Carla.",
    "Carla lives in Porto.",
)


@pytest.fixture(scope="module")
def family():
    with remembering(*FAMILY) as memory:
        yield memory


@pytest.mark.parametrize(
    ("cue", "answer"),
    [
        ("where does my brother live?", "Oslo"),
        ("where does Tom live?", "Oslo"),
        ("where does my brother's wife live?", "Paris"),
        ("where does the wife of my brother live?", "Paris"),
        ("where does Tom's wife live?", "Paris"),
        ("where does my wife live?", "Porto"),
        ("where do I live?", "Lisbon"),
    ],
)
def test_a_chain_of_possessives_is_followed(family: Memory, cue: str, answer: str):
    found = family.recall(cue)[0]
    assert answer in found.content
    assert found.relevance >= RELEVANT


@pytest.mark.parametrize(
    "cue",
    [
        "where does my wife's brother live?",
        "where does my brother's wife's mother live?",
        "where does Eva's brother live?",
        "where does my sister live?",
        "where does Carla's wife live?",
    ],
)
def test_a_chain_that_ends_nowhere_finds_nobody(family: Memory, cue: str):
    assert family.recall(cue)[0].relevance < RELEVANT


SISTERS = ("I live in Lisbon.", "My older sister Anna lives in Hamburg.", "My younger sister Lena lives in Oslo.")


@pytest.mark.parametrize(
    ("cue", "answers"),
    [
        ("where does my older sister live?", {"Hamburg"}),
        ("where does my big sister live?", {"Hamburg"}),
        ("where does my younger sister live?", {"Oslo"}),
        ("where does my sister Lena live?", {"Oslo"}),
        ("where do my sisters live?", {"Hamburg", "Oslo"}),
    ],
)
def test_of_two_sisters_the_one_who_is_meant_is_found(cue: str, answers: set[str]):
    with remembering(*SISTERS) as memory:
        found = [recalled.content for recalled in memory.recall(cue) if recalled.relevance >= RELEVANT]
        assert {city for city in ("Hamburg", "Oslo", "Lisbon") if any(city in text for text in found)} == answers


def test_names_that_are_words_are_told_from_the_words():
    said = ("I live in Lisbon and will move in May.", "My brother Will lives in Oslo.")
    with remembering(*said) as memory:
        assert "Oslo" in memory.recall("where does Will live?")[0].content
        assert memory.recall("where does May live?")[0].relevance < RELEVANT
        assert "May" in memory.recall("when will I move?")[0].content


def test_he_is_who_was_spoken_of_just_before():
    with Memory(user="jake") as memory:
        for text in ("I live in Lisbon.", "My brother called yesterday.", "He has moved to Oslo."):
            memory.capture(text, session="s")
        memory.wait()
        found = [recalled.content for recalled in memory.recall("where does my brother live?")]
        assert found.index("He has moved to Oslo.") < found.index("Lives in Lisbon")


def test_another_word_for_the_same_person_finds_them():
    assert best(("I live in Lisbon.", "My mother lives in Rome."), "where does mom live?").relevance >= RELEVANT
    assert "Rome" in best(("I live in Lisbon.", "My mother lives in Rome."), "where do my parents live?").content
    assert "Henrik" in best(("I work at Stripe.", "My manager is called Henrik."), "who is my boss?").content


@pytest.mark.parametrize(
    ("mine", "sisters", "asked", "brother", "me"),
    [
        (
            "Ich wohne in Berlin.",
            "Meine Schwester wohnt in Bonn.",
            "wo wohnt meine Schwester?",
            "wo wohnt mein Bruder?",
            "wo wohne ich?",
        ),
        (
            "Vivo en Madrid.",
            "Mi hermana vive en Bonn.",
            "¿dónde vive mi hermana?",
            "¿dónde vive mi hermano?",
            "¿dónde vivo yo?",
        ),
        (
            "J'habite à Paris.",
            "Ma sœur habite à Bonn.",
            "où habite ma sœur ?",
            "où habite mon frère ?",
            "où est-ce que j'habite ?",
        ),
        (
            "Io vivo a Roma.",
            "Mia sorella vive a Bonn.",
            "dove vive mia sorella?",
            "dove vive mio fratello?",
            "dove vivo io?",
        ),
        (
            "Eu moro em Lisboa.",
            "Minha irmã mora em Bonn.",
            "onde mora minha irmã?",
            "onde mora meu irmão?",
            "onde eu moro?",
        ),
        (
            "Ik woon in Delft.",
            "Mijn zus woont in Bonn.",
            "waar woont mijn zus?",
            "waar woont mijn broer?",
            "waar woon ik?",
        ),
        ("Jag bor i Lund.", "Min syster bor i Bonn.", "var bor min syster?", "var bor min bror?", "var bor jag?"),
        ("Я живу в Москве.", "Моя сестра живёт в Bonn.", "где живёт моя сестра?", "где живёт мой брат?", "где я живу?"),
        ("我住在北京。", "我姐姐住在 Bonn。", "我姐姐住在哪里?", "我哥哥住在哪里?", "我住在哪里?"),
    ],
)
def test_kin_are_told_apart_in_other_languages(mine: str, sisters: str, asked: str, brother: str, me: str):
    with remembering(mine, sisters) as memory:
        first = memory.recall(asked)[0]
        assert (plain(first.content), first.relevance >= RELEVANT) == (plain(sisters), True)
        assert memory.recall(brother)[0].relevance < RELEVANT
        assert plain(memory.recall(me)[0].content) == plain(mine)
    with remembering(mine) as memory:
        assert memory.recall(asked)[0].relevance < RELEVANT


@pytest.mark.parametrize(
    ("named", "told", "asked"),
    [
        ("Meine Schwester heißt Anna.", "Anna wohnt in Bonn.", "wo wohnt meine Schwester?"),
        ("Mi hermana se llama Ana.", "Ana vive en Bonn.", "¿dónde vive mi hermana?"),
        ("Ma sœur s'appelle Anne.", "Anne habite à Bonn.", "où habite ma sœur ?"),
        ("Mia sorella si chiama Anna.", "Anna vive a Bonn.", "dove vive mia sorella?"),
        ("Minha irmã se chama Ana.", "Ana mora em Bonn.", "onde mora minha irmã?"),
        ("Meine Schwester heißt Anna.", "Anna wohnt in Bonn.", "where does my sister live?"),
    ],
)
def test_who_was_named_once_is_found_by_what_they_are(named: str, told: str, asked: str):
    with remembering("Peter kommt am Freitag.", named, told) as memory:
        found = memory.recall(asked)[0]
        assert ("Bonn" in found.content, found.relevance >= RELEVANT) == (True, True), told


def test_what_kin_do_changes_nothing_that_is_known_of_the_user():
    with remembering("I live in Lisbon.", "My sister lives in Rome.", "My sister moved to Oslo.") as memory:
        now = {fact.content for fact in memory.recall(tiers=["semantic"])}
        assert "Lives in Lisbon" in now
        assert "Sister lives in Rome" not in now
        assert memory.recall("where do I live?")[0].content == "Lives in Lisbon"
        assert "Oslo" in memory.recall("where does my sister live?")[0].content


def test_me_is_whoever_says_so_in_all_that_takes_a_subject():
    with Memory(":memory:", user="jake", embedder=None) as memory:
        for subject in ("me", "I", " Myself "):
            memory.remember(f"Likes tea from {subject.strip()}", subject=subject)
        memory.remember("Likes coffee", subject="anna")
        assert {fact.subject for fact in memory.recall("tea", tiers=["semantic"], subject="me")} == {"user"}
        assert len(list(memory.export(subject="me"))) == len(list(memory.export(subject="user")))
        assert memory.forget(subject="me").removed["facts"] == 3
        assert [record["subject"] for record in memory.export() if record["kind"] == "fact"] == ["anna"]
