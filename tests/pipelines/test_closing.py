"""Closing a memory: bounded whatever a model does, with nothing lost; and what was closed stays closed."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from fabric.errors import ScopeError, StoreError
from fabric.models.base import Delta, Reply, Request
from fabric.sessions.lease import Lease
from fabric.testing import ScriptedModel
from pipelines import AsyncMemory, Memory
from tests.stories.scripts import observation

SAID = ("I work at Stripe.", "I play the oboe.", "I keep bees.")
LEFT = "closed with background work left, which is done when the file is opened next"


class Dead:
    """A model that never answers."""

    async def complete(self, request: Request) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield Delta(reply=await self.complete(request))


def reads_again(path: Path) -> None:
    """Open the file again with a model that answers: all that was captured is read then, and was kept once."""
    model = ScriptedModel(lambda _: json.dumps({"observations": [observation("Works at Stripe")]}))
    with Memory(path, user="jake", model="test/memory", models=model) as memory:
        assert memory.wait() == []
        kept = [record for record in memory.export() if record["kind"] == "turn"]
        assert [(record["text"], record["captured"]) for record in kept] == [(text, True) for text in SAID]
    assert len(model.requests) == len(SAID)


def warnings(logged: list[Any]) -> list[tuple[str, int]]:
    return [(entry["event"], entry["jobs"]) for entry in logged if entry["log_level"] == "warning"]


def test_a_model_that_never_answers_holds_up_no_closing_and_loses_nothing(tmp_path: Path):
    memory = Memory(tmp_path / "m.duckdb", user="jake", model="test/memory", models=Dead())
    for text in SAID:
        memory.capture(text)
    with structlog.testing.capture_logs() as logged:
        memory.close(patience=0.1)
    assert warnings(logged) == [(LEFT, len(SAID))]
    reads_again(tmp_path / "m.duckdb")


async def test_an_async_memory_does_the_same(tmp_path: Path):
    memory = AsyncMemory(tmp_path / "m.duckdb", user="jake", model="test/memory", models=Dead())
    for text in SAID:
        await memory.capture(text)
    with structlog.testing.capture_logs() as logged:
        await memory.close(patience=0.1)
    assert warnings(logged) == [(LEFT, len(SAID))]
    await asyncio.to_thread(reads_again, tmp_path / "m.duckdb")


def interrupted(path: Path) -> None:
    with Memory(path, user="jake", model="test/memory", models=Dead()) as memory:
        for text in SAID:
            memory.capture(text)
        raise KeyboardInterrupt


def test_whoever_interrupts_the_program_waits_for_no_model(tmp_path: Path):
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "m.duckdb")
    reads_again(tmp_path / "m.duckdb")


def test_closing_waits_for_all_that_gets_done_and_warns_of_nothing(tmp_path: Path):
    with structlog.testing.capture_logs() as logged, Memory(tmp_path / "m.duckdb", user="jake") as memory:
        for text in SAID:
            memory.capture(text)
    assert warnings(logged) == []
    with Memory(tmp_path / "m.duckdb", user="jake") as memory:
        assert memory.fabric.jobs() == []


def test_a_closed_memory_refuses_while_another_has_the_file_open(tmp_path: Path):
    closed, other = (Memory(tmp_path / "m.duckdb", user=user) for user in ("anna", "ben"))
    closed.close()
    calls = (
        lambda: closed.recall("tea"),
        lambda: closed.capture("I like gin."),
        lambda: closed.remember("Likes gin"),
        closed.wait,
        lambda: list(closed.export()),
    )
    for call in calls:
        with pytest.raises(StoreError, match="closed; open it again"):
            call()
    other.capture("I like tea.")
    assert other.wait() == []
    other.close()
    with pytest.raises(StoreError, match="closed; open it again"):
        other.recall("tea")


def test_a_memory_without_a_user_says_what_to_give(tmp_path: Path):
    with pytest.raises(ScopeError, match="name whose memory it is, as in Memory"):
        Memory(tmp_path / "m.duckdb")
    Lease(tmp_path / "m.duckdb").close()  # nothing has it open
