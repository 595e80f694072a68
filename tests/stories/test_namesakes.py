"""Namesakes: somebody else with the user's own name is somebody else, wherever it is said what they are to the user."""

import pytest

from capabilities.memory.recall.ranked import RELEVANT
from pipelines import Memory
from tests.stories.test_whose import facts, told


@pytest.mark.parametrize(
    ("mine", "theirs", "value", "subject", "question"),
    [
        ("I work at Stripe.", "My friend Jake works at Nokia.", "Nokia", "friend-jake", "where do I work?"),
        ("I live in Rome.", "My colleague Jake lives in Oslo.", "Oslo", "colleague-jake", "where do I live?"),
        ("I live in Rome.", "My father Jake lives in Oslo.", "Oslo", "father-jake", "where do I live?"),
        (
            "I live in Rome.",
            "I have a friend called Jake. He lives in Oslo.",
            "Oslo",
            "friend-jake",
            "where do I live?",
        ),
        ("Ich wohne in Rom.", "Mein Bruder Jake wohnt in Oslo.", "Oslo", "brother-jake", "Wo wohne ich?"),
        ("Vivo en Roma.", "Mi amigo Jake vive en Oslo.", "Oslo", "friend-jake", "¿Dónde vivo?"),
        (
            "I'm allergic to nuts.",
            "My friend Jake is allergic to eggs.",
            "eggs",
            "friend-jake",
            "what am I allergic to?",
        ),
    ],
)
@pytest.mark.parametrize("introduction", ["", "My name is Jake."])
def test_what_a_namesake_does_is_not_the_users(
    mine: str, theirs: str, value: str, subject: str, question: str, introduction: str
):
    with Memory(user="jake") as memory:
        told(memory, *([introduction] if introduction else []), mine, theirs)
        assert [whose for whose, content in facts(memory) if value in content] == [subject]
        assert mine.rsplit(maxsplit=1)[-1].strip(".") in memory.recall(question)[0].content
        assert value not in " ".join(
            recalled.content for recalled in memory.recall(question) if recalled.relevance >= RELEVANT
        )


def test_a_surname_tells_a_namesake_apart_there_and_later():
    with Memory(user="u1") as memory:
        told(memory, "My name is Jake Smith.", "I work at Stripe.", "My friend Jake Brown works at Nokia.")
        told(memory, "Jake Brown lives in Oslo.")
        assert ("jake-brown", "Works at Nokia") in facts(memory)
        assert ("jake-brown", "Lives in Oslo") in facts(memory)
        assert "Stripe" in memory.recall("where do I work?")[0].content
        assert "Nokia" in memory.recall("where does my friend Jake work?")[0].content


@pytest.mark.parametrize("question", ["where does my friend Jake work?", "where does my friend work?"])
def test_a_namesake_is_found_by_what_they_are(question: str):
    with Memory(user="jake") as memory:
        told(memory, "I work at Stripe.", "My friend Jake works at Nokia.", "My friend Jake moved to Oslo.")
        first = memory.recall(question)[0]
        assert (first.subject, first.content) == ("friend-jake", "Works at Nokia")
        assert first.relevance > RELEVANT


def test_a_namesake_who_is_known_is_meant_by_the_name_in_what_the_user_says():
    with Memory(user="jake") as memory:
        told(memory, "I live in Rome.", "My friend Jake works at Nokia.", "Jake lives in Oslo.")
        assert ("friend-jake", "Lives in Oslo") in facts(memory)
        assert "Rome" in memory.recall("where do I live?")[0].content
