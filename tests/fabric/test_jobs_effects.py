"""Effects of work happen once, and what is recorded is stored as a whole or not at all."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabric import Context, Draft, Fabric, handler
from fabric.errors import ModelUnavailableError, StoreError, WorkError
from fabric.jobs.job import forget_jobs
from fabric.record.log import ITEMS
from fabric.store.base import Rows
from fabric.store.duckdb.store import DuckDBStore
from fabric.testing import FrozenClock

from .small_pipelines import NOTES, Note, note, notes, outcomes, talk, texts


def test_an_effect_happens_once_although_its_job_is_tried_again():
    clock = FrozenClock()

    @handler(name="note", uses=[NOTES])
    async def twice(text: str, ctx: Context) -> list[str]:
        def put(tx: Any) -> tuple[str, ...]:
            tx.put(NOTES, [Note(id=ctx.clock.new_id("note"), text=text)])
            return (text, str(len(tx.find(NOTES))))

        got = await ctx.transact(put, once="put")
        if clock.now().hour == 12:
            raise ModelUnavailableError("after the effect")
        return list(got)

    with Fabric(clock=clock, retry_delay=600) as fabric:
        session = fabric.session("s", user="u")
        session.run(talk(twice), "x")
        assert len(fabric.drain()) == 1
        clock.advance(hours=1)
        assert fabric.drain() == []
        assert session.run(notes).output == ["re: x"]
        assert outcomes(session)[0].data["result"] == ["re: x", "1"]


def test_an_effect_of_a_named_turn_happens_once_although_the_run_failed():
    failing = [True]

    @handler(name="effect", uses=[NOTES])
    async def effect(text: str, ctx: Context) -> str:
        note_id = await note.resume(text, ctx)
        if failing:
            failing.pop()
            raise ConnectionError("after the effect")
        return note_id

    with Fabric() as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(ConnectionError):
            session.run(effect, "x", turn_id="t")
        session.run(effect, "x", turn_id="t")
        assert session.run(notes).output == ["x"]
        session.run(effect, "x")
        assert session.run(notes).output == ["x", "x"]


def test_items_of_a_job_are_stored_with_its_end_or_not_at_all():
    @handler(name="talkative")
    def talkative(text: str, ctx: Context) -> None:
        ctx.record(Draft("system", "outcome", f"skipped {text}"))
        if text == "re: bad":
            raise ValueError

    with Fabric() as fabric:
        session = fabric.session("s")
        for text in ("bad", "good"):
            session.run(talk(talkative), text)
        fabric.drain()
        assert texts(session.items, "outcome") == ["skipped re: good", "done"]
        stored = fabric.store.transact_sync(lambda tx: tx.find(ITEMS, session.ids.scope("session"), order="seq"))
        assert [row["id"] for row in stored] == [item.id for item in session.items]


def test_forgotten_work_stores_nothing_any_more():
    begun, go = threading.Event(), threading.Event()
    refused: list[str] = []

    @handler(name="note", uses=[NOTES])
    async def slow(text: str, ctx: Context) -> None:
        begun.set()
        await asyncio.to_thread(go.wait)
        try:
            await note.resume(text, ctx)
        except WorkError as error:
            refused.append(str(error))
        ctx.record(Draft("system", "outcome", text))

    with Fabric() as fabric:
        session = fabric.session("s", user="u")
        session.run(talk(slow), "x")
        session.run(talk(slow), "y")
        begun.wait()
        assert fabric.store.transact_sync(lambda rows: forget_jobs(rows, session.ids.scope("user"))) == 2
        go.set()
        assert fabric.drain() == []
        assert fabric.jobs() == []
        assert session.run(notes).output == []
        assert outcomes(session) == []
        assert "forgotten" in refused[0]


class BrokenDisk(DuckDBStore):
    """A store that refuses to commit while ``full`` is set."""

    full = False

    async def transact(self, work: Callable[[Rows], Any]) -> Any:
        def checked(rows: Rows) -> Any:
            result = work(rows)
            if self.full:
                raise StoreError("no space left on device")
            return result

        return await super().transact(checked)


def test_a_full_disk_is_an_error_and_leaves_nothing_half_done(tmp_path: Path):
    store = BrokenDisk(tmp_path / "full.duckdb")
    with Fabric(store=store) as fabric:
        session = fabric.session("s", user="u")
        session.run(talk(), "one")
        fabric.drain()
        store.full = True
        with pytest.raises(StoreError, match="no space left"):
            session.run(talk(), "two")
        with pytest.raises(StoreError, match="no space left"):
            session.add_messages([{"role": "user", "content": "two"}])
        assert texts(session.items) == ["one", "re: one"]
        store.full = False
        session.run(talk(), "three")
        assert fabric.drain() == []
        assert texts(session.items) == ["one", "re: one", "three", "re: three"]
        assert session.run(notes).output == ["re: one", "re: three"]


def test_work_whose_end_could_not_be_stored_is_done_when_the_disk_has_room_again(tmp_path: Path):
    store = BrokenDisk(tmp_path / "full.duckdb")
    begun, go = threading.Event(), threading.Event()

    @handler(name="note", uses=[NOTES])
    async def slow(text: str, ctx: Context) -> str:
        noted = await note.resume(text, ctx)
        begun.set()
        await asyncio.to_thread(go.wait)
        return noted

    with Fabric(store=store) as fabric:
        session = fabric.session("s", user="u")
        session.run(talk(slow), "one")
        begun.wait()
        store.full = True
        go.set()
        assert len(fabric.drain()) == 1
        store.full = False
        assert fabric.drain() == []
        assert session.run(notes).output == ["re: one"]
        assert [item.data["attempts"] for item in outcomes(session)] == [2]
