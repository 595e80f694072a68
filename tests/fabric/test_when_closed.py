"""What a block asks to have done when the file is closed, and how long closing waits for what can wait."""

import asyncio
import time
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from fabric import Context, Document, Fabric, handler, sequencer
from fabric.record.log import ITEMS
from fabric.workers.other_session import other_session


class Sums(BaseModel):
    open: list[int] = []
    summed: int = 0


SUMS = Document("sums", Sums, "session")


@handler(name="gather", uses=[SUMS])
async def gather(number: int, ctx: Context) -> int:
    """Gather numbers, and sum them up when there are three, or when the file is closed."""
    if number:
        found = await ctx.update(SUMS, lambda sums: sums.model_copy(update={"open": [*sums.open, number]}))
        if len(found.open) < 3:
            ctx.when_closed(0)
            return 0
    ctx.when_closed(None)
    return (await ctx.update(SUMS, lambda sums: Sums(summed=sums.summed + sum(sums.open)))).summed


@handler(name="read", uses=[SUMS])
async def read(_: Any, ctx: Context) -> Sums:
    return await ctx.read(SUMS)


GATHER = sequencer(name="gathering").work(gather)


def test_what_was_asked_for_last_is_done_when_the_file_is_closed(tmp_path: Path):
    path = tmp_path / "sums.duckdb"
    with Fabric(path) as fabric:
        for name, numbers in (("a", (1, 2)), ("b", (1, 2, 3)), ("c", (1, 2, 3, 4))):
            for number in numbers:
                fabric.session(name).run(GATHER, number)
            fabric.drain()
        assert [fabric.session(name).run(read).output.summed for name in "abc"] == [0, 6, 6]
    with Fabric(path) as fabric:
        found = [fabric.session(name).run(read).output for name in "abc"]
        assert [(one.summed, one.open) for one in found] == [(3, []), (6, []), (10, [])]
        assert fabric.jobs() == []


def test_what_cannot_be_done_while_closing_is_done_when_it_is_opened_next(tmp_path: Path):
    path = tmp_path / "sums.duckdb"
    fabric = Fabric(path)
    fabric.session("a").run(GATHER, 5)
    fabric.drain()
    fabric.close(timeout=0)
    with Fabric(path) as again:
        again.register(GATHER)
        again.drain()
        assert again.session("a").run(read).output.summed == 5


def test_an_erased_session_is_left_alone(tmp_path: Path):
    path = tmp_path / "sums.duckdb"
    with Fabric(path) as fabric:
        session = fabric.session("a")
        session.run(GATHER, 5)
        fabric.drain()
        scope = session.ids.scope("session")
        fabric.store.transact_sync(
            lambda rows: rows.delete(ITEMS, scope, [row["id"] for row in rows.find(ITEMS, scope)])
        )
    with Fabric(path) as fabric:
        assert fabric.session("a").items == []
        assert fabric.session("a").run(read).output.summed == 0


def slow(patience: float | None) -> Any:
    async def wait(_: Any) -> str:
        started.set()
        await asyncio.sleep(SECONDS)
        return "done"

    started = asyncio.Event()
    block = handler(wait, name="slow")
    return sequencer(name="slowly").work(block if patience is None else block.leaves_after(patience))


SECONDS = 600.0


def test_closing_leaves_what_has_no_patience_for_the_next_opening(tmp_path: Path):
    path = tmp_path / "slow.duckdb"
    began = time.monotonic()
    with Fabric(path) as fabric:
        fabric.session("a").run(slow(0.2))
        fabric.session("b").run(GATHER, 5)
    assert time.monotonic() - began < SECONDS / 2
    with Fabric(path) as fabric:
        assert [job.block for job in fabric.jobs()] == ["slowly > slow"]
        assert fabric.session("b").run(read).output.summed == 5, "what others are to do is done"


def test_what_is_asked_for_while_the_last_work_is_done_is_left_for_the_next_opening(tmp_path: Path):
    done: list[str] = []

    async def work(what: str, ctx: Context) -> None:
        if what == "begin":
            ctx.when_closed("last")
        elif what == "long":
            while "last" not in done:
                await asyncio.sleep(0.01)
            ctx.when_closed("asked for late")
        else:
            done.append(what)

    pipeline = sequencer(name="s").work(handler(work, name="work").leaves_after(1.5))
    with Fabric(tmp_path / "file.duckdb") as fabric:
        fabric.session("a").run(pipeline, "long")
        fabric.session("b").run(pipeline, "begin")
    is_left = True
    while is_left:
        with Fabric(tmp_path / "file.duckdb") as fabric:
            is_left = bool(fabric.jobs())
            fabric.register(pipeline)
            fabric.drain()
    assert "asked for late" in done


def test_draining_waits_for_it(tmp_path: Path):
    finished: list[str] = []

    async def wait(text: str) -> None:
        await asyncio.sleep(0.3)
        finished.append(text)

    with Fabric(tmp_path / "file.duckdb") as fabric:
        fabric.session("a").run(sequencer(name="s").work(handler(wait, name="wait").leaves_after(0.01)), "x")
        fabric.drain()
        assert finished == ["x"]


@handler(name="visit", uses=[SUMS])
async def visit(name: str, ctx: Context) -> tuple[list[str], str]:
    async with other_session(ctx, name) as theirs:
        await theirs.update(SUMS, lambda sums: Sums(summed=sums.summed + 1))
        return [item.text for item in theirs.items if item.role == "user"], theirs.session


def test_a_block_reads_and_writes_in_another_session_of_the_user():
    with Fabric() as fabric:
        for user in ("jake", "anna"):
            fabric.session("old", user=user).add_messages([{"role": "user", "content": f"I am {user}"}])
        new = fabric.session("new", user="jake")
        said, session = new.run(visit, "old").output
        assert (said, session) == (["I am jake"], "old")
        assert fabric.session("old", user="jake").run(read).output.summed == 1
        assert new.run(read).output.summed == 0
        assert fabric.session("old", user="anna").run(read).output.summed == 0
