"""Not told: where only others' facts, or a denial, are known, nothing answers what is asked of the user."""

import pytest

from capabilities.memory.recall.ranked import RELEVANT, RankedMemory
from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import Memory
from tests.stories.scripts import chat_with
from tests.stories.test_whose import facts, shared_system, told


def likely(found: list[RankedMemory]) -> list[str]:
    return [memory.content for memory in found if memory.relevance >= RELEVANT]


@pytest.mark.parametrize(
    ("said", "question", "reverse"),
    [
        ("Tom lives in Paris.", "where do I live?", "where does Tom live?"),
        ("Anna is allergic to nuts.", "what am I allergic to?", "what is Anna allergic to?"),
        ("My brother Tom lives in Paris.", "where do I live?", "where does my brother live?"),
        ("Katrin wohnt in Bonn.", "Wo wohne ich?", "Wo wohnt Katrin?"),
    ],
)
def test_what_somebody_else_does_does_not_tell_what_the_user_does(said: str, question: str, reverse: str):
    with Memory(user="jake") as memory:
        told(memory, said)
        assert likely(memory.recall(question)) == []
        assert memory.recall(reverse)[0].relevance > RELEVANT


def test_what_is_stated_about_somebody_else_does_not_either():
    with Memory(user="jake") as memory:
        memory.remember("Works at Sony", subject="anna")
        assert likely(memory.recall("where do I work?")) == []
        assert likely(memory.recall("where does Anna work?"))[0] == "Works at Sony"


def test_a_turn_that_speaks_of_both_still_answers_for_the_user():
    with Memory(user="jake") as memory:
        told(memory, "Tom lives in Paris, and I live in Rome.")
        assert "Rome" in likely(memory.recall("where do I live?"))[0]


@pytest.mark.parametrize("shared", ["episodic", "semantic"])
@pytest.mark.parametrize("question", ["where do I live?", "who is my boss?", "what is my boss called?"])
def test_a_colleagues_facts_are_not_those_of_who_asks(shared: str, question: str):
    mem = shared_system(shared)
    with Fabric(clock=FrozenClock()) as fabric:
        ann, bob = (fabric.session(name, user=name, project="apollo") for name in ("ann", "bob"))
        for text in ("I live in Rome.", "My boss is Tom."):
            ann.run(chat_with(mem), text)
            fabric.drain()
        assert likely(bob.run(mem.recall_block, question).output) == []
        assert likely(ann.run(mem.recall_block, question).output)


@pytest.mark.parametrize(
    ("said", "kept", "question"),
    [
        ("I don't live in Paris.", "Does not live in Paris", "where do I live?"),
        ("I don't work at Google.", "Does not work at Google", "where do I work?"),
        ("Ich wohne nicht in Paris.", "Ich wohne nicht in Paris", "Wo wohne ich?"),
    ],
)
def test_a_denial_says_neither_that_something_was_so_nor_what_is(said: str, kept: str, question: str):
    with Memory(user="jake") as memory:
        told(memory, said)
        assert facts(memory) == [("user", kept)]
        assert likely(memory.recall(question)) == []


@pytest.mark.parametrize("said", ["I don't live in Paris anymore.", "I no longer live in Paris."])
def test_what_is_no_longer_so_was(said: str):
    with Memory(user="jake") as memory:
        told(memory, said)
        assert facts(memory) == [("user", "No longer lives in Paris")]


def test_a_denial_answers_whether_it_is_so():
    with Memory(user="jake") as memory:
        told(memory, "I don't live in Paris.")
        assert likely(memory.recall("do I live in Paris?")) == ["Does not live in Paris"]


@pytest.mark.parametrize(
    ("had", "over"),
    [
        ("I have a dog named Rex.", "I no longer have a dog."),
        ("I have a cat named Tom.", "I don't have a cat anymore."),
        ("I have a dog named Rex.", "My dog died."),
        ("Ich habe einen Hund namens Rex.", "Ich habe keinen Hund mehr."),
    ],
)
def test_who_has_no_dog_any_more_has_no_rex(had: str, over: str):
    with Memory(user="jake") as memory:
        told(memory, had, over)
        assert [content for _, content in facts(memory) if "Rex" in content or "Tom" in content] == []


def test_another_pet_stays_and_a_new_one_is_had():
    with Memory(user="jake") as memory:
        told(memory, "I have a cat named Tom.", "I have a dog named Rex.", "I no longer have a dog.")
        assert ("user", "Has a cat named Tom") in facts(memory)
        told(memory, "I have a dog named Max.")
        assert {content for _, content in facts(memory)} == {"Has a cat named Tom", "Has a dog named Max"}
