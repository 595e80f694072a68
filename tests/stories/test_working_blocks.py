"""Working memory on its own: the standalone blocks, alone and wired together."""

import json

import pytest

from blocks.capture.working import (
    working_memory_add,
    working_memory_capture,
    working_memory_observe,
    working_memory_remember,
    working_memory_snapshot,
    working_memory_tick,
)
from fabric import Fabric, handler, sequencer
from fabric.errors import ConfigurationError, SchemaError
from fabric.models.base import Request
from fabric.testing import FrozenClock, ScriptedModel


def note(content: str, **fields: object) -> dict[str, object]:
    return {"content": content, "importance": 0.7, "pinned": False, "replaces": "", **fields}


def test_capture_observes_remembers_and_ticks_with_one_call_a_turn():
    model = ScriptedModel([json.dumps({"notes": [note("Works at Stripe")]}), json.dumps({"notes": []})])
    capture, snapshot = working_memory_capture("test/model"), working_memory_snapshot()
    with Fabric(models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(capture, "I work at Stripe")
        session.run(capture, "Nice weather")
        (entry,) = session.run(snapshot).output
    assert (entry.content, entry.importance) == ("Works at Stripe", 0.7)
    assert entry.salience == pytest.approx(0.7 * 3**-0.5)
    assert len(model.requests) == 2


def test_the_observer_sees_the_entries_and_a_note_can_replace_one():
    def second(request: Request) -> str:
        line = next(line for line in str(request.messages[-1]["content"]).splitlines() if "Works at Google" in line)
        known = next(word.strip("[](),") for word in line.split() if "wm_" in word)
        return json.dumps({"notes": [note("Works at Stripe", replaces=known)]})

    model = ScriptedModel([json.dumps({"notes": [note("Works at Google")]}), second])
    with Fabric(models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("I work at Google", "I joined Stripe"):
            session.run(working_memory_capture("test/model"), said)
        entries = session.run(working_memory_snapshot()).output
    assert [entry.content for entry in entries] == ["Works at Stripe"]


def test_a_note_that_names_an_unknown_entry_is_kept_and_the_id_reported():
    model = ScriptedModel([json.dumps({"notes": [note("Works at Stripe", replaces="wm_7")]})])
    with Fabric(models=model, clock=FrozenClock()) as fabric:
        (outcome,) = fabric.session("monday", user="jake").run(working_memory_capture("test/model"), "Hi").output
    assert (outcome.status, outcome.tier) == ("stored", "working")
    assert "'wm_7'" in outcome.reason


@pytest.mark.parametrize("message", ["", "  \n", None, []])
def test_an_empty_message_asks_no_model_and_does_not_tick(message: object):
    with Fabric(models=ScriptedModel([]), clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(working_memory_capture("test/model"), message)
        assert session.run(working_memory_snapshot()).output == []


def test_the_blocks_can_be_wired_by_hand_inside_a_chat_pipeline():
    model = ScriptedModel([json.dumps({"notes": [note("Works at Stripe")]})])
    memory = (
        sequencer(name="memory", input_schema=str)
        .then(working_memory_observe("test/model"))
        .then(working_memory_remember())
        .tap(working_memory_tick())
    )
    chat = handler(lambda turn: f"I heard {turn['message']}", name="chat")
    pipeline = sequencer(name="talk").work(lambda turn: turn["message"], memory).then(chat)
    with Fabric(models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        assert session.run(pipeline, {"message": "I work at Stripe"}).output == "I heard I work at Stripe"
        fabric.drain()
        assert [memory.content for memory in session.run(working_memory_snapshot()).output] == ["Works at Stripe"]


def test_an_entry_is_added_without_any_model_and_bad_input_names_the_field():
    add = working_memory_add({"capacity": 3, "max_pinned_slots": 1})
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        entry = session.run(add, {"content": "Prefers tea", "importance": 0.9, "pinned": True}).output
        assert (entry.content, entry.pinned) == ("Prefers tea", True)
        with pytest.raises(SchemaError, match="working-memory/add: input does not fit NewEntry: importance"):
            session.run(add, {"content": "Prefers tea", "importance": 7})
        for number in range(5):
            session.run(add, {"content": f"Thing {number}", "importance": 0.1 * number})
        kept = session.run(working_memory_snapshot()).output
    assert [memory.content for memory in kept] == ["Prefers tea", "Thing 4", "Thing 3"]


def test_without_a_model_the_rules_observe():
    with Fabric(clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("I work at Google.", "I joined Stripe last week.", "Where is the station?"):
            session.run(working_memory_capture(None), said)
        entries = session.run(working_memory_snapshot()).output
    assert len(entries) == 1
    assert "Stripe" in entries[0].content


def test_limits_that_cannot_work_are_refused_when_the_block_is_made():
    with pytest.raises(ConfigurationError, match="pins would fill"):
        working_memory_remember({"capacity": 2, "max_pinned_slots": 2})
