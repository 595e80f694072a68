"""What is stored with a job: in its transaction, once, and not at all where there is no job."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from fabric import Fabric, handler, sequencer
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.resource import Document, Transaction


class Noted(BaseModel):
    notes: list[str] = []


NOTED = Document("noted", Noted, "session")


async def keeper(value: str) -> tuple[str, Callable[[Transaction], None]]:
    def note(tx: Transaction) -> None:
        tx.write(NOTED, Noted(notes=[*tx.read(NOTED).notes, value]))

    return f"{value}!", note


@handler(name="read", uses=[NOTED])
async def read(ctx: Context) -> list[str]:
    return (await ctx.read(NOTED)).notes


def told(seen: list[str], inside: Block[Any, Any] | None = None, name: str = "tell") -> Block[Any, Any]:
    """Return work that tells the value it got, after what the store holds by then."""

    @handler(name=name, uses=[NOTED])
    async def tell(value: str, ctx: Context) -> str:
        seen.append(f"{value} after {', '.join((await ctx.read(NOTED)).notes)}")
        return value

    steps = sequencer(name="told").then(tell)
    return (steps.work(inside) if inside is not None else steps).store_with_job(keeper)


def test_it_is_there_when_the_run_ends_and_the_job_gets_what_the_keeper_gave():
    seen: list[str] = []
    pipeline = sequencer(name="talk").work(told(seen))
    with Fabric() as fabric:
        session = fabric.session("monday")
        session.run(pipeline, "hello", turn_id="one")
        assert session.run(read).output == ["hello"]
        session.run(pipeline, "hello", turn_id="one")
        fabric.drain()
        assert session.run(read).output == ["hello"]
    assert seen == ["hello! after hello"]


def test_a_run_that_fails_stores_neither_and_a_block_that_is_no_work_stores_nothing():
    seen: list[str] = []
    broken = sequencer(name="broken").work(told(seen)).then(handler(int, name="number"))
    with Fabric() as fabric:
        session = fabric.session("monday")
        with pytest.raises(ValueError, match="invalid literal"):
            session.run(broken, "hello")
        session.run(told(seen), "hello")
        assert session.run(read).output == []
        assert fabric.drain() == []


def test_work_of_work_stores_it_when_the_outer_job_is_done():
    seen: list[str] = []
    inner = told(seen, name="tell-inside").renamed("inner")
    with Fabric() as fabric:
        session = fabric.session("monday")
        session.run(sequencer(name="talk").work(told(seen, inner)), "hello")
        assert fabric.drain() == []
        assert session.run(read).output == ["hello", "hello!"]
    assert seen == ["hello! after hello", "hello!! after hello, hello!"]
