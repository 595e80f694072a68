"""What a sequencer starts in the background, when, on what, and who hears of its failures."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from fabric import handler, sequencer
from fabric.errors import SchemaError, WorkError
from fabric.flow.block import Block
from fabric.testing import run_block

start = sequencer(name="chain")


async def output(block: Block[Any, Any], value: Any = None) -> Any:
    return (await run_block(block, value)).output


def failing(error: Exception) -> Callable[[Any], Any]:
    def fail(value: Any) -> Any:
        raise error

    return fail


@handler
def double(number: int) -> int:
    return number * 2


async def test_work_passes_the_value_on_and_runs_its_block_later_on_what_the_connector_made():
    seen: list[Any] = []
    gate = asyncio.Event()

    async def later(number: int) -> None:
        await gate.wait()
        seen.append(number)

    def connect(number: int) -> int:
        seen.append("connected")
        return number + 1

    def after(number: int) -> int:
        seen.append("after")
        gate.set()
        return number

    assert await output(start.work(connect, later).then(after).wait_for_work(), 3) == 3
    assert seen == ["connected", "after", 4]


async def test_a_failure_of_work_is_never_raised_unless_asked_for():
    work = start.work(failing(ValueError("broken")), name="lost")
    assert await output(work.wait_for_work(), 3) == 3
    with pytest.raises(WorkError, match="broken"):
        await output(work.wait_for_work(fail_on_error=True), 3)


async def test_the_connector_of_work_fails_in_the_foreground():
    with pytest.raises(ValueError, match="broken"):
        await output(start.work(failing(ValueError("broken")), double), 3)


async def test_the_input_of_work_is_checked_in_the_foreground():
    @handler(input_schema=int)
    def counted(number: int) -> int:
        return number

    with pytest.raises(SchemaError, match="chain > counted: input"):
        await output(start.work(counted), "no number")


async def test_the_rescues_of_a_block_count_in_the_background():
    seen: list[str] = []
    saved = handler(
        failing(ValueError("broken")), name="saved", rescue=handler(lambda e: seen.append(str(e)), name="r")
    )
    await output(start.work(saved).wait_for_work(fail_on_error=True))
    assert seen == ["broken"]


async def test_wait_for_work_waits_only_for_work_of_this_sequencer():
    gate = asyncio.Event()
    seen: list[str] = []

    async def held(value: Any) -> None:
        await gate.wait()
        seen.append("held")

    inner = sequencer(name="inner").work(lambda _value: seen.append("inner")).wait_for_work()
    chain = start.then(inner).tap(lambda _value: gate.set()).work(held).wait_for_work()
    await output(chain, 1)
    assert seen == ["inner", "held"]


async def test_work_begun_before_an_exit_still_runs():
    seen: list[int] = []
    await output(start.work(seen.append).exit_if(True).then(failing(ValueError())), 3)
    assert seen == [3]
