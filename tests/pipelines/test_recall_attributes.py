"""Recall by what is asked: the claim that tells it comes first, whatever its words, and each thing takes one place."""

import pytest

from capabilities.memory.recall.ranked import RELEVANT, RankedMemory
from pipelines import Memory


def told(*texts: str) -> Memory:
    """Return a memory to which these messages were told, one after the other."""
    memory = Memory(user="jake")
    for text in texts:
        memory.capture(text)
        memory.wait()
    return memory


def likely(found: list[RankedMemory]) -> list[str]:
    """Return what likely answers."""
    return [memory.content for memory in found if memory.relevance >= RELEVANT]


@pytest.mark.parametrize(
    ("texts", "cue", "answer", "others"),
    [
        (("I joined Stripe last month.", "I like jazz."), "where do I work?", "Stripe", ("jazz",)),
        (("I work at Stripe as a manager.",), "where do I work?", "Stripe", ()),
        (("I work at Stripe as a manager.",), "what is my role?", "manager", ()),
        (
            ("My favorite color is blue.", "My favorite food is ramen."),
            "my favorite color?",
            "blue",
            ("ramen",),
        ),
        (("My favorite color is blue.", "My favorite food is ramen."), "favourite food?", "ramen", ("blue",)),
        (("My mother lives in Rome and I live in Oslo.",), "where do I live?", "Oslo", ("Lives in Rome",)),
        (("I moved to Oslo.", "I am 34 years old."), "how old am I?", "34", ("Oslo",)),
        (("I no longer work at Google.", "I work at Stripe."), "who is my employer?", "Stripe", ()),
    ],
)
def test_the_claim_that_is_asked_for_is_first(texts: tuple[str, ...], cue: str, answer: str, others: tuple[str, ...]):
    with told(*texts) as memory:
        found = memory.recall(cue, tiers=["semantic"])
        assert answer in found[0].content
        assert found[0].relevance >= RELEVANT
        assert not any(other in content for content in likely(found) for other in others)


def test_a_question_that_asks_for_no_attribute_is_no_surer_for_it():
    with told("I joined Stripe last month.") as memory:
        assert memory.recall("which colour has the moon?")[0].parts.attribute == 0


CAT = (
    "I have a cat.",
    "My cat was sick after eating a lily.",
    "My cat scratched the vet last week.",
    "My cat ran away for two days.",
)


def test_a_fact_stands_for_a_turn_only_when_it_says_as_much():
    with told(*CAT) as memory:
        contents = " ".join(memory.content for memory in memory.recall("Is there anything wrong with my cat?"))
        assert all(word in contents for word in ("lily", "vet", "ran away")), contents
        context = memory.context("Is there anything wrong with my cat?")
        assert all(word in context for word in ("lily", "vet", "ran away")), context


def test_a_fact_its_episode_and_its_turn_take_one_place():
    with told("I live in Oslo.") as memory:
        assert len([recalled for recalled in memory.recall("where do I live?") if "Oslo" in recalled.content]) == 1


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("I have a meeting with Anna on Monday.", "I have a meeting with Anna on Friday.", ("Monday", "Friday")),
        ("I have a meeting with Anna on Friday.", "I have a meeting with Bob on Friday.", ("Anna", "Bob")),
    ],
)
def test_what_differs_in_a_day_a_number_or_a_name_keeps_its_own_place(first: str, second: str, words: tuple[str, str]):
    with told(first, second) as memory:
        contents = [memory.content for memory in memory.recall(first)]
        assert all(any(word in content for content in contents) for word in words), contents
        standing = [memory.content for memory in memory.recall(tiers=["working", "episodic", "semantic"])]
        assert all(any(word in content for content in standing) for word in words), standing
