"""What was captured is found at once and once: before it is read, while a model is away, and after the process died."""

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from blocks.capture.keep import WAITING
from fabric import Fabric, handler, sequencer
from fabric.models.base import Delta, Reply, Request
from pipelines import AsyncMemory, Memory, memory_system
from tests import forkserver

ROOT = Path(__file__).parents[2]
SAID = ("I work at Stripe.", "I play the oboe.", "I keep bees.", "I dislike coriander.")
DIES = """
import os, signal, sys
from pipelines import Memory
from tests.stories.test_kept_at_once import SAID, Silent

memory = Memory(sys.argv[1], user="jake", model="test/memory", models=Silent())
for text in SAID:
    memory.capture(text)
os.kill(os.getpid(), signal.SIGKILL)
"""


class Silent:
    """A model that answers nobody until it is let, and then that it found nothing."""

    def __init__(self) -> None:
        self.let = threading.Event()

    async def complete(self, request: Request) -> Reply:
        await asyncio.to_thread(self.let.wait, 300)
        return Reply(json.dumps({"observations": []}))

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield Delta(reply=await self.complete(request))


@pytest.fixture
def silent() -> Iterator[Silent]:
    model = Silent()
    yield model
    model.let.set()


def turns(memory: Memory) -> list[tuple[str, bool]]:
    return [(record["text"], record["captured"]) for record in memory.export() if record["kind"] == "turn"]


def finds(memory: Memory, text: str) -> bool:
    return memory.recall(text)[0].content == text


def test_each_message_is_found_as_soon_as_it_is_captured_and_kept_once():
    with Memory(user="jake") as memory:
        for number in range(10):
            memory.capture(f"The zebra{number} lives in the valley{number}.")
            assert finds(memory, f"The zebra{number} lives in the valley{number}.")
        assert memory.wait() == []
        assert len(turns(memory)) == 10
        assert all(captured for _, captured in turns(memory))


def test_a_model_that_is_away_hides_nothing_that_was_said(silent: Silent):
    with Fabric(models=silent) as fabric:
        memory = Memory(fabric, user="jake", model="test/memory")
        for text in SAID:
            memory.capture(text)
        assert all(finds(memory, text) for text in SAID)
        assert turns(memory) == [(text, False) for text in SAID]
        assert memory.why(memory.recall("oboe")[0].id) is not None
        silent.let.set()
        assert memory.wait() == []
        assert turns(memory) == [(text, True) for text in SAID]


def test_what_waits_is_told_from_what_was_read_also_where_much_waits(silent: Silent):
    with Fabric(models=silent) as fabric:
        memory = Memory(fabric, user="jake", model="test/memory")
        said = [f"I saw bird number{number}." for number in range(WAITING + 5)]
        for text in said:
            memory.capture(text)
        assert turns(memory) == [(text, False) for text in said]
        silent.let.set()
        assert memory.wait() == []
        assert turns(memory) == [(text, True) for text in said]


def test_a_killed_process_leaves_every_message_to_be_found_and_read_once(tmp_path: Path):
    path = tmp_path / "memory.duckdb"
    done = forkserver.run(
        [sys.executable, "-c", DIES, str(path)],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    model = Silent()
    with Fabric(path, models=model) as fabric:
        memory = Memory(fabric, user="jake", model="test/memory")
        assert all(finds(memory, text) for text in SAID)
        assert turns(memory) == [(text, False) for text in SAID]
        model.let.set()
        assert memory.wait() == []
        assert turns(memory) == [(text, True) for text in SAID]


def test_what_is_forgotten_before_it_is_read_does_not_come_back(silent: Silent):
    with Fabric(models=silent) as fabric:
        memory = Memory(fabric, user="jake", model="test/memory")
        for text in SAID[:2]:
            memory.capture(text)
        receipt = memory.forget(memory.recall("oboe")[0].id)
        assert receipt.found
        silent.let.set()
        assert memory.wait() == []
        assert [text for text, _ in turns(memory)] == [SAID[0]]


def test_a_pipeline_keeps_the_turn_with_its_job_also_where_it_fails(silent: Silent):
    mem = memory_system(model="test/memory", episodic=True, semantic=True)
    fails = handler(int, name="fails")
    with Fabric(models=silent) as fabric:
        session = fabric.session("monday", user="jake")
        session.run(sequencer(name="talk").work(mem.capture), SAID[0])
        assert session.run(mem.recall_block, SAID[0]).output[0].content == SAID[0]
        with pytest.raises(ValueError, match="invalid literal"):
            session.run(sequencer(name="broken").work(mem.capture).then(fails), SAID[1])
        kept: list[Any] = session.run(mem.export_block).output
        assert [record["text"] for record in kept if record["kind"] == "turn"] == list(SAID[:2])
        assert len(fabric.jobs()) == 2
        silent.let.set()


async def test_async_capture_and_late_answers_are_found_at_once(silent: Silent):
    async with Fabric(models=silent) as fabric:
        memory = AsyncMemory(fabric, user="jake", model="test/memory")
        await memory.capture([{"role": "user", "content": "Which bird sings at night?", "id": "1"}])
        answer = {"role": "assistant", "content": "The nightingale does, mostly in May."}
        await memory.capture([{"role": "user", "content": "Which bird sings at night?", "id": "1"}, answer])
        assert (await memory.recall("nightingale"))[0].content == answer["content"]
        silent.let.set()
        assert await memory.wait() == []
        kept = [record["text"] async for record in memory.export() if record["kind"] == "turn"]
        assert kept == ["Which bird sings at night?", answer["content"]]
