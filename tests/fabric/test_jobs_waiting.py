"""Waiting for background work: in a pipeline, inside other work, while draining and closing."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from fabric import Block, Context, Fabric, handler
from fabric.errors import ModelUnavailableError, WorkError
from fabric.flow.sequencer import sequencer

from .small_pipelines import NOTES, chat, note, notes, outcomes, talk, texts


@handler(name="child", uses=[NOTES])
async def child(text: str, ctx: Context) -> str:
    """Store a note under a job of its own."""
    return await note.resume(f"child of {text}", ctx)


def nested(*, wait: bool, inner: Block[Any, Any] = child) -> Block[Any, Any]:
    chain = sequencer(name="capture").then(lambda text: text).work(inner)
    if wait:
        chain = chain.wait_for_work(fail_on_error=True)
    return sequencer(name="talk").then(chat).work(chain.then(lambda text: f"captured {text}"))


@pytest.mark.parametrize("wait", [False, True])
def test_work_inside_of_work_is_done_too_and_never_waits_for_itself(wait: bool):
    with Fabric(max_concurrency=1) as fabric:
        session = fabric.session("s", user="u")
        session.run(nested(wait=wait), "x")
        session.run(nested(wait=wait), "y")
        assert fabric.drain(timeout=120) == []
        names = [item.name for item in outcomes(session)]
        assert sorted(names) == ["capture", "capture", "child", "child"]
        if wait:
            assert names == ["child", "capture", "child", "capture"]


def test_work_that_fails_inside_of_work_is_a_job_of_its_own():
    @handler(name="child")
    def broken() -> None:
        raise ValueError("bad child")

    with Fabric() as fabric:
        session = fabric.session("s")
        session.run(nested(wait=True, inner=broken), "x")
        fabric.drain()
        (failed,) = fabric.jobs()
        assert failed.block == "talk > capture"
        assert "WorkError: talk > capture > child: background work failed: ValueError: bad child" in failed.error
        session.run(nested(wait=False, inner=broken), "y")
        fabric.drain()
        assert [job.block for job in fabric.jobs()] == ["talk > capture", "talk > capture > child"]


def test_waiting_for_work_returns_when_each_had_its_try():
    @handler(name="flaky")
    def flaky(kind: str) -> str:
        if kind == "down":
            raise ModelUnavailableError("down")
        if kind == "bad":
            raise ValueError("bad")
        return kind

    quiet = sequencer(name="quiet").work(flaky).wait_for_work()
    strict = sequencer(name="strict").work(flaky).wait_for_work(fail_on_error=True)
    with Fabric(retry_delay=500) as fabric:
        session = fabric.session("s")
        for kind in ("good", "bad"):
            session.run(quiet, kind)
        session.run(strict, "good")
        with pytest.raises(WorkError, match=r"strict > flaky: background work failed: ValueError: bad"):
            session.run(strict, "bad")
        with pytest.raises(WorkError, match="put off"):
            fabric.session("other").run(strict, "down")
        fabric.session("third").run(quiet, "down")
        assert sorted(job.status for job in fabric.jobs()) == ["failed", "failed", "pending", "pending"]


async def test_waiting_for_work_ends_at_its_timeout_and_the_work_goes_on():
    release, done = asyncio.Event(), threading.Event()

    @handler(name="slow")
    async def slow() -> None:
        await release.wait()
        done.set()

    async with Fabric() as fabric:
        pipeline = sequencer(name="p").then(chat).work(slow).wait_for_work(timeout=0)
        with pytest.raises(TimeoutError, match="it goes on"):
            await fabric.session("s").arun(pipeline, "x")
        fabric.services.work_portal.loop.call_soon_threadsafe(release.set)
    assert done.is_set()


def test_draining_with_a_timeout_returns_what_still_runs():
    begun, release = threading.Event(), threading.Event()

    @handler(name="slow")
    async def slow() -> None:
        begun.set()
        await asyncio.to_thread(release.wait)

    with Fabric() as fabric:
        fabric.session("s").run(talk(slow), "x")
        begun.wait()
        assert [job.status for job in fabric.drain(timeout=0.01)] == ["running"]
        release.set()


def test_closing_with_a_timeout_leaves_the_rest_pending(tmp_path: Path):
    begun = threading.Event()

    @handler(name="slow")
    async def slow() -> None:
        begun.set()
        await asyncio.Event().wait()

    fabric = Fabric(tmp_path / "c.duckdb")
    fabric.session("s").run(talk(slow), "x")
    begun.wait()
    fabric.close(timeout=0.01)
    with Fabric(tmp_path / "c.duckdb") as fabric:
        (job,) = fabric.jobs()
        assert (job.status, job.attempts) == ("pending", 0)


def test_a_turn_that_waited_for_work_and_failed_repeats_neither_work_nor_items():
    failing = [True]

    @handler(name="end")
    def end(value: str) -> str:
        if failing:
            failing.pop()
            raise ConnectionError
        return value

    pipeline = sequencer(name="talk").then(chat).work(note).wait_for_work().then(end)
    with Fabric() as fabric:
        session = fabric.session("s", user="u")
        with pytest.raises(ConnectionError):
            session.run(pipeline, "x", turn_id="t")
        session.run(pipeline, "x", turn_id="t")
        assert texts(session.items) == ["x", "re: x"]
        assert session.run(notes).output == ["re: x"]
        assert len(outcomes(session)) == 1
