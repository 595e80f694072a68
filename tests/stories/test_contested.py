"""Two values of what has one at a time, and nobody said which is later: both are kept and marked until decided."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from capabilities.memory.recall.ranked import RankedMemory
from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import Memory, memory_system
from tests.stories.scripts import chat_with

TIED = "2024-03-01T10:00:00Z"


def contested(found: Sequence[RankedMemory], *values: str) -> bool:
    """Return whether every value is recalled, and each result that says one is marked as contested."""
    said = [memory for memory in found if memory.source != "turn" and any(value in memory.content for value in values)]
    held = all(any(value in memory.content for memory in said) for value in values)
    return held and all(is_contested(memory) for memory in said)


def is_contested(one: Any) -> bool:
    """Return whether a recalled memory is marked as contested."""
    return bool(getattr(one, "contested", []))


def tells_it(text: str) -> bool:
    """Return whether a context, or what `why` prints, says that something is contested."""
    return "contested" in text.casefold()


def check(memory: Memory, question: str, first: str, second: str) -> None:
    """Require that both values are there, marked in recall, context and why."""
    found = memory.recall(question, tiers=["semantic"])
    assert contested(found, first, second), [str(memory) for memory in found]
    text = memory.context(question)
    assert first in text
    assert second in text
    assert tells_it(text)
    for recalled in found:
        if first in recalled.content or second in recalled.content:
            assert tells_it(str(memory.why(recalled.id)))


def check_decided(memory: Memory, question: str, now: str, *before: str) -> None:
    """Require that one value is left, unmarked, in recall and context."""
    found = memory.recall(question, tiers=["semantic"])
    assert now in found[0].content
    assert not any(is_contested(memory) for memory in found)
    assert not any(value in memory.content for memory in found for value in before)
    assert not tells_it(memory.context(question))


@pytest.mark.parametrize(
    ("text", "question", "values"),
    [
        ("I live in Oslo. I live in Rome.", "where do I live?", ("Oslo", "Rome")),
        ("I work at Stripe. I work at Google.", "where do I work?", ("Stripe", "Google")),
        ("My name is Jake. My name is Jack.", "what is my name?", ("Jake", "Jack")),
    ],
)
def test_two_values_in_one_message_are_both_kept_and_marked(text: str, question: str, values: tuple[str, str]):
    with Memory(user="jake") as memory:
        memory.capture(text)
        memory.wait()
        check(memory, question, *values)


@pytest.mark.parametrize("text", ["I lived in Rome, now I live in Oslo.", "I moved from Rome to Oslo."])
def test_a_message_that_gives_an_order_is_not_contested(text: str):
    with Memory(user="jake") as memory:
        memory.capture(text)
        memory.wait()
        check_decided(memory, "where do I live?", "Oslo", "Lives in Rome")


@pytest.mark.parametrize("text", ["I like jazz. I like chess.", "I'm allergic to nuts. I'm allergic to eggs."])
def test_many_values_are_never_contested(text: str):
    with Memory(user="jake") as memory:
        memory.capture(text)
        memory.wait()
        assert not any(is_contested(recalled) for recalled in memory.recall(text))


def test_a_later_statement_decides():
    clock = FrozenClock()
    with Fabric(clock=clock) as fabric:
        memory = Memory(fabric, user="jake")
        memory.capture("I live in Oslo. I live in Rome.")
        memory.wait()
        clock.advance(days=1)
        memory.capture("I live in Rome.")
        memory.wait()
        check_decided(memory, "where do I live?", "Rome", "Oslo")


def test_a_third_value_said_later_ends_both():
    clock = FrozenClock()
    with Fabric(clock=clock) as fabric:
        memory = Memory(fabric, user="jake")
        memory.capture("I live in Oslo. I live in Rome.")
        memory.wait()
        clock.advance(days=1)
        memory.remember("Lives in Turin")
        check_decided(memory, "where do I live?", "Turin", "Oslo", "Rome")


def test_somebody_decides_by_forgetting_one():
    with Memory(user="jake") as memory:
        memory.capture("I live in Oslo. I live in Rome.")
        memory.wait()
        wrong = next(
            recalled for recalled in memory.recall("where do I live?", tiers=["semantic"]) if "Rome" in recalled.content
        )
        memory.forget(wrong.id)
        assert not any(is_contested(recalled) for recalled in memory.recall("where do I live?", tiers=["semantic"]))


def imported_facts(folder: Any, *contents: str) -> Any:
    """Return a file of another system's memories that has no times."""
    path = folder / "memories.json"
    records = [{"id": str(place), "memory": content, "user_id": "jake"} for place, content in enumerate(contents)]
    path.write_text(json.dumps({"results": records}), encoding="utf-8")
    return path


def test_an_import_without_times_is_contested(tmp_path: Any):
    with Memory(user="jake") as memory:
        report = memory.import_file(imported_facts(tmp_path, "Lives in Oslo", "Lives in Rome", "Likes jazz"))
        assert not report.problems
        check(memory, "where do I live?", "Oslo", "Rome")
        assert not any(is_contested(recalled) for recalled in memory.recall("jazz") if "jazz" in recalled.content)


def test_two_people_who_disagree_in_a_shared_scope():
    clock = FrozenClock()
    mem = memory_system(episodic={"scope": "project"}, semantic=True)
    with Fabric(clock=clock) as fabric:
        anna, bob = (fabric.session(name, user=name, project="apollo") for name in ("anna", "bob"))
        for session, text in ((anna, "Carla works at Stripe."), (bob, "Carla works at Google.")):
            clock.advance(days=1)
            session.run(chat_with(mem), text)
            fabric.drain()
        for session in (anna, bob):
            found = session.run(mem.recall_block, {"cue": "where does Carla work?", "tiers": ["semantic"]}).output
            assert contested(found, "Stripe", "Google"), [str(one) for one in found]
        clock.advance(days=1)
        anna.run(chat_with(mem), "Carla works at Google.")
        fabric.drain()
        found = bob.run(mem.recall_block, {"cue": "where does Carla work?", "tiers": ["semantic"]}).output
        assert "Google" in found[0].content
        assert not any(is_contested(memory) for memory in found)


def test_one_person_who_changes_their_mind_in_a_shared_scope_is_not_contested():
    clock = FrozenClock()
    mem = memory_system(episodic={"scope": "project"}, semantic=True)
    with Fabric(clock=clock) as fabric:
        anna = fabric.session("anna", user="anna", project="apollo")
        for text in ("Carla works at Stripe.", "Carla works at Google."):
            clock.advance(days=1)
            anna.run(chat_with(mem), text)
            fabric.drain()
        found = anna.run(mem.recall_block, {"cue": "where does Carla work?", "tiers": ["semantic"]}).output
        assert [memory.content for memory in found if "Stripe" in memory.content] == []
        assert not any(is_contested(memory) for memory in found)
