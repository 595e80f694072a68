"""Close ones: the sister who is known by name is meant by "my sister", and "she" is whoever is a she."""

import pytest

from capabilities.memory.recall.ranked import RELEVANT
from pipelines import Memory
from tests.stories.test_whose import facts, told


@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        ("My sister Anna works at Philips.", "My sister works at Sony now.", "where does my sister work?"),
        ("My sister Anna works at Philips.", "My sister works at Sony now.", "where does Anna work?"),
        ("My boss Anna works at Philips.", "My boss works at Sony now.", "where does my boss work?"),
        (
            "Meine Schwester Anna arbeitet bei Philips.",
            "Meine Schwester arbeitet jetzt bei Sony.",
            "Wo arbeitet meine Schwester?",
        ),
    ],
)
def test_the_only_one_known_by_name_is_meant(before: str, after: str, question: str):
    with Memory(user="jake") as memory:
        told(memory, before, after)
        assert [subject for subject, content in facts(memory) if "Sony" in content] == ["anna"]
        assert not any("Philips" in content for _, content in facts(memory))
        first = memory.recall(question)[0]
        assert "Sony" in first.content
        assert first.relevance > RELEVANT


@pytest.mark.parametrize(
    "said",
    [
        ("My sister Anna works at Philips.", "My sister Eva works at Bosch.", "My sister works at Sony now."),
        ("My sister Anna works at Philips.", "My younger sister works at Sony now."),
        ("My friend Anna works at Philips.", "My friend works at Sony now."),
    ],
)
def test_nobody_guesses_which_of_several_is_meant(said: tuple[str, ...]):
    with Memory(user="jake") as memory:
        told(memory, *said)
        assert ("anna", "Works at Philips") in facts(memory)
        assert [subject for subject, content in facts(memory) if "Sony" in content] == ["user"]


@pytest.mark.parametrize(
    "said",
    [
        ("My sister Anna lives in Rome.", "My boss Tom lives in Paris."),
        ("My boss Tom lives in Paris.", "My sister Anna lives in Rome."),
    ],
)
def test_he_and_she_are_told_apart_by_name_and_kin(said: tuple[str, ...]):
    with Memory(user="jake") as memory:
        told(memory, *said)
        assert "Rome" in memory.recall("where does she live?")[0].content
        assert "Paris" in memory.recall("where does he live?")[0].content
