"""What a capability holds while a block runs: begun with it, shared inside it, ended with it, told of its error."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from pydantic import BaseModel

from fabric import Context, Fabric, define_capability, generator, handler, sequencer
from fabric.errors import CapabilityError, ScopeError
from fabric.flow.capability import Capability
from fabric.flow.failing import Retry
from fabric.flow.resource import Document
from fabric.testing import ScriptedModel, run_block


def notebook(log: list[str]) -> Capability[list[str]]:
    @asynccontextmanager
    async def during(ctx: Context) -> AsyncGenerator[list[str]]:
        log.append(f"begin {ctx.path}")
        pages: list[str] = []
        try:
            yield pages
        except BaseException as error:
            log.append(f"failed {type(error).__name__} {pages}")
            raise
        log.append(f"end {pages}")

    return define_capability("notebook", during=during)


async def test_blocks_inside_share_what_the_outermost_one_began():
    log: list[str] = []
    notes = notebook(log)
    first = handler(lambda ctx: ctx.cap.notebook.append("first"), name="first", uses=[notes])
    second = handler(lambda ctx: ctx[notes].append("second"), name="second")
    await run_block(sequencer(name="outer", uses=[notes]).then(first).then(second), 1)
    assert log == ["begin outer", "end ['first', 'second']"]


async def test_each_try_begins_anew_and_learns_of_its_error():
    log: list[str] = []
    tries: list[int] = []

    def work(ctx: Context) -> str:
        ctx.cap.notebook.append("a word")
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("once")
        return "done"

    block = handler(work, name="block", uses=[notebook(log)], retry=Retry(attempts=2))
    assert (await run_block(block, 1)).output == "done"
    assert log == ["begin block", "failed ValueError ['a word']", "begin block", "end ['a word']"]


async def test_it_comes_with_a_capability_that_uses_it():
    log: list[str] = []
    diary = define_capability("diary", uses=[notebook(log)])
    await run_block(handler(lambda ctx: ctx.cap.notebook.append("x"), name="block", uses=[diary]), 1)
    assert log == ["begin block", "end ['x']"]


async def test_it_is_gone_once_the_block_has_ended():
    notes = notebook([])
    kept: list[Context] = []

    def keep(ctx: Context) -> None:
        kept.append(ctx)

    await run_block(handler(keep, name="block", uses=[notes]), 1)
    with pytest.raises(CapabilityError, match="has no helpers"):
        kept[0].cap.notebook.append("late")


def test_background_work_gets_its_own():
    log: list[str] = []
    later = handler(lambda ctx: ctx.cap.notebook.append("later"), name="later")
    with Fabric() as fabric:
        fabric.session("s").run(sequencer(name="outer", uses=[notebook(log)]).work(later), 1)
        fabric.drain()
    assert log == ["begin outer", "end []", "begin outer", "end ['later']"]


def test_background_work_begins_it_for_the_block_that_declared_it_however_deep_the_work_is():
    log: list[str] = []
    later = handler(lambda ctx: ctx.cap.notebook.append("later"), name="later")
    inner = sequencer(name="inner").work(later)
    with Fabric() as fabric:
        fabric.session("s").run(sequencer(name="outer", uses=[notebook(log)]).then(inner), 1)
        fabric.drain()
    assert log == ["begin outer", "end []", "begin outer", "end ['later']"]


async def test_a_header_stands_before_the_system_text_and_context_after_it():
    model = ScriptedModel(["hi"])
    framed = define_capability("framed", header=["HEADER"], context=["CONTEXT"])
    chat = generator(name="chat", model="m", system="SYSTEM", uses=[framed])
    await run_block(chat, "hello", model=model)
    assert model.requests[0].messages[0]["content"] == "HEADER\n\nSYSTEM\n\nCONTEXT"


def test_a_resource_that_is_not_required_asks_for_its_scope_when_used():
    class Count(BaseModel):
        number: int = 0

    count = Document("count", Count, "org", required=False)
    with Fabric() as fabric:
        session = fabric.session("s")
        assert session.run(handler(lambda: "fine", name="leaves it", uses=[count])).output == "fine"
        reads = handler(lambda ctx: ctx.read(count), name="reads it", uses=[count])
        with pytest.raises(ScopeError, match="no org"):
            session.run(reads)
