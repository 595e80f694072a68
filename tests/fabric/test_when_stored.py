"""What a block asks to be done when its run is stored is done with it, or not at all."""

from typing import Any

import pytest
from pydantic import BaseModel

from fabric import Context, Document, Fabric, handler, sequencer
from fabric.flow.resource import Transaction
from fabric.testing import FrozenClock


class Names(BaseModel):
    names: list[str] = []


NAMES = Document("names", Names, "session")


def adds(name: str) -> Any:
    def work(tx: Transaction) -> None:
        tx.write(NAMES, Names(names=[*tx.read(NAMES).names, name]))

    return work


@handler(name="asks", uses=[NAMES])
async def asks(name: str, ctx: Context) -> str:
    ctx.when_stored(adds(name))
    assert (await ctx.read(NAMES)).names.count(name) == 0  # not before
    assert ctx.is_under_way(ctx.run.id)
    if name.startswith("bad"):
        raise ValueError(name)
    return ctx.run.id


@handler(name="reads", uses=[NAMES])
async def reads(_: object, ctx: Context) -> list[str]:
    return (await ctx.read(NAMES)).names


@handler(name="knows")
async def knows(run_id: str, ctx: Context) -> bool:
    return ctx.is_under_way(run_id)


inner = sequencer(name="inner").map(lambda value: f"{value} inside").then(asks)
outer = (
    sequencer(name="outer")
    .work(inner)
    .wait_for_work(fail_on_error=True)
    .map(lambda value: f"{value} outside")
    .then(asks)
)
JOBS = sequencer(name="jobs").map(str).work(outer)


def test_it_is_done_with_the_run_and_never_where_that_fails():
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("monday")
        run = session.run(asks, "first").output
        assert session.run(reads).output == ["first"]
        assert session.run(knows, run).output is False
        with pytest.raises(ValueError, match="bad"):
            session.run(asks, "bad")
        for _ in range(2):
            session.run(asks, "named", turn_id="one")
        assert session.run(reads).output == ["first", "named"]
        assert [item.kind for item in session.items if item.kind != "message"] == []


def test_it_is_done_with_a_job_and_those_that_the_job_waits_for():
    with Fabric(":memory:", clock=FrozenClock()) as fabric:
        session = fabric.session("monday")
        session.run(JOBS, "job")
        fabric.drain()
        assert session.run(reads).output == ["job inside", "job outside"]
        session.run(JOBS, "bad")
        fabric.drain()
        assert session.run(reads).output == ["job inside", "job outside"]
        assert [job.status for job in fabric.jobs()] == ["failed"]
