"""Calls that are cancelled, and forgetting: what was asked for earlier is over, or void, before what comes later."""

import _thread
import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from blocks.forgetting.forget import Forget
from fabric import Fabric, handler, sequencer
from fabric.jobs.job import TURNS
from fabric.scope import ScopeIds
from pipelines import AsyncMemory, Memory
from tests.fabric.cancelling import Held

OLD, NEW = "I work at Stripe.", "I live in Oslo."
LONG = [{"role": "user", "content": f"Town number {number} is called Tromsdal-{number}."} for number in range(12)]
SESSION = ScopeIds(session="default", user="jake").scope("session")
PATIENCE = 30


@contextmanager
def held_within(store: Held) -> Iterator[threading.Event]:
    """Stop in the next transaction until the block ends; the event says that it is there."""
    there, goes_on = threading.Event(), threading.Event()

    def within() -> None:
        store.within = lambda: None
        there.set()
        assert goes_on.wait(PATIENCE)

    store.within = within
    try:
        yield there
    finally:
        goes_on.set()


async def reached(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, PATIENCE)


async def cancelled(task: asyncio.Task[Any]) -> None:
    with pytest.raises(asyncio.CancelledError):
        await task


async def texts(memory: AsyncMemory) -> list[str]:
    assert await memory.wait() == []
    return sorted([record["text"] async for record in memory.export() if record["kind"] == "turn"])


@pytest.mark.parametrize("way", ["facade", "session"])
async def test_a_cancelled_forget_is_over_when_its_caller_is_told(way: str):
    store = Held(":memory:")
    async with Fabric(store=store) as fabric, AsyncMemory(fabric, user="jake", embedder=None) as memory:

        def forget() -> "asyncio.Task[Any]":
            if way == "facade":
                return asyncio.create_task(memory.forget(everything=True))
            session = fabric.session("default", user="jake")
            return asyncio.create_task(session.arun(memory.system.forget_block, Forget(scope="user")))

        await memory.capture(OLD)
        await memory.wait()
        with held_within(store) as there:
            task = forget()
            await reached(there)
            task.cancel()
            await asyncio.wait([task], timeout=0.05)
            assert not task.done()
        await cancelled(task)
        await memory.capture(NEW)
        assert await texts(memory) == [NEW]
        with held_within(store) as there:
            reading = asyncio.create_task(memory.recall("Oslo"))
            await reached(there)
            task = forget()
            await asyncio.sleep(0.02)
            task.cancel()
            await cancelled(task)
        await reading
        assert await texts(memory) == [NEW]


def test_an_interrupted_forget_is_over_when_its_caller_goes_on():
    store, is_over = Held(":memory:"), threading.Event()

    def within() -> None:
        store.within = lambda: None
        _thread.interrupt_main()
        time.sleep(0.05)
        is_over.set()

    with Fabric(store=store) as fabric, Memory(fabric, user="jake", embedder=None) as memory:
        memory.capture(OLD)
        memory.wait()
        store.within = within
        with pytest.raises(KeyboardInterrupt):
            memory.forget(everything=True)
        assert is_over.is_set()
        memory.capture(NEW)
        memory.wait()
        assert [record["text"] for record in memory.export() if record["kind"] == "turn"] == [NEW]


async def test_nothing_of_a_cancelled_capture_comes_after_a_forget_or_twice():
    store = Held(":memory:")
    named = [{**one, "id": f"m{at}"} for at, one in enumerate(LONG)]
    async with Fabric(store=store) as fabric, AsyncMemory(fabric, user="jake", embedder=None) as memory:
        for messages in (LONG, named):
            with held_within(store) as there:
                task = asyncio.create_task(memory.capture(messages))
                await reached(there)
                task.cancel()
                await cancelled(task)
            await memory.forget(everything=True)
            assert await texts(memory) == []
            assert fabric.session("default", user="jake").items == []
            assert await store.transact(lambda rows: rows.find(TURNS, SESSION)) == []
        with held_within(store) as there:
            task = asyncio.create_task(memory.capture(LONG))
            await reached(there)
            task.cancel()
            await cancelled(task)
        again = await memory.capture(LONG)
        assert (again.turns, again.known) == (0, len(LONG))
        assert await texts(memory) == sorted(record["content"] for record in LONG)


async def test_a_named_turn_that_is_forgotten_while_it_ends_leaves_nothing():
    store = Held(":memory:")
    async with Fabric(store=store) as fabric, AsyncMemory(fabric, user="jake", embedder=None) as memory:
        told, go = asyncio.Event(), asyncio.Event()

        async def slow(text: str) -> str:
            told.set()
            await go.wait()
            return f"You said: {text}"

        session = fabric.session("default", user="jake")
        run = asyncio.create_task(session.arun(handler(slow, name="slow"), OLD, turn_id="t1"))
        await told.wait()
        await memory.forget(everything=True)
        go.set()
        await run
        rows = await store.transact(lambda rows: rows.find(TURNS, SESSION))
        assert rows == []


async def test_what_begins_after_a_forget_is_of_no_turn_that_went():
    done: list[str] = []
    work = sequencer(name="later").work(lambda text: text, handler(done.append, name="notes"))
    async with Fabric(store=Held(":memory:")) as fabric, AsyncMemory(fabric, user="jake", embedder=None) as memory:
        session = fabric.session("default", user="jake")
        await memory.capture(OLD)
        await memory.wait()
        await memory.forget(session.items[0].id)
        await session.aadd_messages([{"role": "assistant", "content": "Anything else?"}])
        assert (await session.arun(work, NEW, turn_id="t1")).jobs
        assert await memory.wait() == []
        assert done == [NEW]
        await memory.forget(subject="anna")
        assert "Anything else?" in [item.text for item in session.items]
