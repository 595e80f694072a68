"""The memory beside a busy or broken world: slow, broken or absent models, no network, any time zone, many threads."""

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from capabilities.semantic import FactTable
from fabric import Fabric, generator, handler, sequencer
from fabric.errors import StoreError
from fabric.models.base import Delta, Reply, Request
from fabric.testing import FrozenClock
from pipelines import memory_system
from tests import forkserver
from tests.stories.scripts import MemoryModel, chat_with, observation, open_memory

ROOT = Path(__file__).parents[2]
WHOLE_PIPELINE = """
import json, os, sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind"):
        raise RuntimeError(f"the network was asked for: {event} {arguments}")

sys.addaudithook(refuse)
from fabric import Fabric, handler, sequencer
from pipelines import memory_system
from pipelines.replay import ReplayClock
from datetime import datetime, UTC

clock = ReplayClock()
mem = memory_system(episodic=True, semantic=True)
pipeline = sequencer(name="talk").then(handler(lambda text: "noted", name="chat")).work(mem.capture_from_items)
with Fabric(sys.argv[1], clock=clock) as fabric:
    session = fabric.session("monday", user="jake")
    for hour, text in enumerate(["I work at Stripe.", "I am flying to Oslo tomorrow.", "I joined Globex last month."]):
        clock.set(datetime(2026, 3, 28, 22 + hour // 2, 45, tzinfo=UTC))
        session.run(pipeline, text)
        fabric.drain()
    session.run(mem.consolidate, {"force": True})
    session.run(mem.prune, {"force": True})
    found = [[one.content, round(one.relevance, 6)] for one in session.run(mem.recall_block, "work Oslo")]
    kept = sorted(
        [one["kind"], one.get("content", one.get("text")), str(one.get("valid_from")), str(one.get("valid_to"))]
        for one in session.run(mem.export_block).output
    )
print(json.dumps([found, kept]))
"""


def in_a_process(folder: Path, zone: str) -> Any:
    """Run the whole pipeline without network or keys, in that time zone; return what it recalled and kept."""
    keys = {name: value for name, value in os.environ.items() if "KEY" not in name and "TOKEN" not in name}
    command = [sys.executable, "-c", WHOLE_PIPELINE, str(folder / f"{zone.replace('/', '-')}.duckdb")]
    done = forkserver.run(
        command, cwd=ROOT, env={**keys, "TZ": zone}, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_whole_pipeline_works_without_network_and_alike_in_every_time_zone(tmp_path: Path):
    utc, india, newfoundland = (in_a_process(tmp_path, zone) for zone in ("UTC", "Asia/Kolkata", "America/St_Johns"))
    assert utc == india == newfoundland
    assert any("Globex" in content for content, _ in utc[0])


class HangingModel:
    """A model that answers nobody until it is let."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.let = threading.Event()

    async def complete(self, request: Request) -> Reply:
        self.asked.set()
        await asyncio.to_thread(self.let.wait, 300)
        return Reply(json.dumps({"observations": [observation("Works at Stripe")]}))

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield Delta(reply=await self.complete(request))


def test_a_memory_model_that_hangs_delays_no_reply_and_loses_no_turn():
    model = HangingModel()
    mem = memory_system(model="test/memory", episodic=True, semantic=True)
    with Fabric(models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        assert session.run(chat_with(mem), "I work at Stripe").output == "I heard: I work at Stripe"
        assert model.asked.wait(300)
        assert session.run(chat_with(mem), "Still there?").output == "I heard: Still there?"
        assert [job.status for job in fabric.jobs()] == ["running", "pending"]
        turns = [record for record in session.run(mem.export_block).output if record["kind"] == "turn"]
        texts = ["I work at Stripe", "I heard: I work at Stripe", "Still there?", "I heard: Still there?"]
        assert [(turn["text"], turn["captured"]) for turn in turns] == [(text, False) for text in texts]
        found = [memory.content for memory in session.run(mem.recall_block, "where do I work? Stripe")]
        model.let.set()
        assert "I work at Stripe" in found
        assert fabric.drain() == []
        assert [memory.content for memory in session.run(mem.recall_block)] == ["Works at Stripe"]
        turns = [record for record in session.run(mem.export_block).output if record["kind"] == "turn"]
        assert [(turn["text"], turn["captured"]) for turn in turns] == [(text, True) for text in texts]


@pytest.mark.parametrize("broken", ['{"observations": [{"subject": "us', "", "I could not find anything.", "null"])
def test_a_turn_whose_answer_cannot_be_read_is_read_by_rules(broken: str):
    model = MemoryModel(lambda _: broken, lambda _: broken)
    fabric, mem = open_memory(model)
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(chat_with(mem), "I work at Stripe")
        assert fabric.drain() == []
        turns = [record for record in session.run(mem.export_block).output if record["kind"] == "turn"]
        assert [(turn["text"], turn["captured"]) for turn in turns][:1] == [("I work at Stripe", True)]
        assert [memory.content for memory in session.run(mem.recall_block)] == ["Works at Stripe"]


def test_bad_observations_cost_only_themselves():
    said = [
        observation("Works at Stripe"),
        {"content": "no importance"},
        observation("Likes tea", importance=7),
        observation("", importance=0.5),
        observation("ha " * 900),
        "not an object",
        observation("Has two cats", category="relationship", surprise=True),
    ]
    fabric, mem = open_memory(MemoryModel(said))
    with fabric:
        session = fabric.session("monday", user="jake")
        session.run(mem.capture, "I work at Stripe, like tea, and have two cats")
        found = [memory.content for memory in session.run(mem.recall_block)]
    assert {"Works at Stripe", "Has two cats"} <= set(found)
    assert len(found) <= 3


def test_threads_that_add_search_and_close_get_an_answer_or_a_store_error(tmp_path: Path):
    mem = memory_system(episodic=True, semantic=True)
    fabric = Fabric(tmp_path / "busy.duckdb")
    pipeline = chat_with(mem)
    wrong: list[Exception] = []

    def work(number: int) -> None:
        session = fabric.session(f"session {number}", user="jake")
        try:
            for turn in range(20):
                session.run(pipeline, f"I like thing{turn}.")
                session.run(mem.recall_block, "thing")
        except StoreError:
            pass
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    threads[0].join(0.5)
    fabric.close()
    for thread in threads:
        thread.join()
    assert wrong == []
    with Fabric(tmp_path / "busy.duckdb") as reopened:
        reopened.register(pipeline)
        assert reopened.drain() == []


def test_a_prune_that_breaks_half_way_changes_nothing():
    fabric, mem = open_memory(None)
    table = mem.layout.semantic
    assert table is not None

    @handler(name="break", uses=[mem.capability])
    async def tear(ctx: Any) -> None:
        def work(tx: Any) -> None:
            facts = FactTable(tx, table, ctx.clock)
            for fact in facts.current():
                facts.remove(fact.id)
            raise RuntimeError("half way")

        await ctx.transact(work)

    with fabric:
        session = fabric.session("monday", user="jake")
        for text in ("I work at Stripe.", "I like tea.", "I live in Oslo."):
            session.run(mem.capture, text)
        before = session.run(mem.export_block).output
        with pytest.raises(RuntimeError, match="half way"):
            session.run(tear)
        assert session.run(mem.export_block).output == before
        assert next(iter(session.run(mem.recall_block, "tea"))).content == "Likes tea"


def test_a_chat_turn_costs_one_call_of_each_model_whatever_is_remembered():
    model = MemoryModel(*[[observation("Works at Stripe")]] * 10)
    mem = memory_system(model="test/memory", episodic=True, semantic=True)
    chat = generator(name="chat", model="test/chat", uses=[mem.capability])
    pipeline = sequencer(name="talk").then(chat).work(mem.capture_from_items)
    with Fabric(models=model.client, clock=FrozenClock()) as fabric:
        session = fabric.session("monday", user="jake")
        for number in range(3):
            reply = session.run(pipeline, f"I work at Stripe, as I said {number} times " + "and more " * 1_000)
            fabric.drain()
            assert reply.usage.calls == 1
    assert len([request for request in model.client.requests if request.model == "test/memory"]) == 3
