"""The contract that every block keeps: connect, check, retry, check, rescue."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from fabric import BlockFinished, BlockStarted, Fabric, Retry, handler, sequencer
from fabric.errors import ConfigurationError, SchemaError, SchemaMismatchError
from fabric.flow.block import Block
from fabric.testing import run_block


class Order(BaseModel):
    item: str
    count: int = Field(gt=0)


async def output(block: Block[Any, Any], value: Any = None) -> Any:
    return (await run_block(block, value)).output


def flaky(failures: int, error: Exception) -> tuple[Callable[[Any], Any], list[int]]:
    tries: list[int] = []

    def run(value: Any) -> Any:
        tries.append(1)
        if len(tries) <= failures:
            raise error
        return value

    return run, tries


async def test_the_input_is_connected_then_checked_and_the_output_checked():
    block = handler(
        lambda order: {"item": order.item, "count": order.count + 1},
        name="order",
        connect_input=lambda text: {"item": text, "count": "2"},
        input_schema=Order,
        output_schema=Order,
    )
    assert await output(block, "tea") == Order(item="tea", count=3)


async def test_a_wrong_input_names_path_side_and_field():
    chain = sequencer(name="shop").then(handler(str, name="order", input_schema=Order))
    with pytest.raises(
        SchemaError, match=r"shop > order: input does not fit Order: item: .*; count: .*; got \{'count': 0\}"
    ):
        await output(chain, {"count": 0})


async def test_a_wrong_output_names_path_side_and_field():
    block = handler(lambda: {"item": "tea", "count": 0}, name="order", output_schema=Order)
    with pytest.raises(SchemaError, match="order: output does not fit Order: count"):
        await output(block)


async def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(SchemaError, match=r"\(1002 characters\)"):
        await output(handler(str, name="order", input_schema=int), "x" * 1000)


async def test_retry_tries_again_as_often_as_it_says():
    run, tries = flaky(2, ValueError())
    assert await output(handler(run, name="flaky", retry=Retry(attempts=3)), "ok") == "ok"
    run, tries = flaky(3, ValueError("still"))
    with pytest.raises(ValueError, match="still"):
        await output(handler(run, name="flaky", retry=Retry(attempts=3)), "ok")
    assert len(tries) == 3


async def test_retry_is_only_for_the_errors_it_names():
    run, tries = flaky(1, KeyError())
    with pytest.raises(KeyError):
        await output(handler(run, name="flaky", retry=Retry(on=(ValueError,))), 1)
    assert len(tries) == 1


@pytest.mark.parametrize(("attempt", "delay"), [(1, 0.5), (2, 1.0), (3, 2.0), (4, 3.0), (5, 3.0)])
def test_the_delay_doubles_up_to_its_limit(attempt: int, delay: float):
    assert Retry(base_delay=0.5, max_delay=3).delay(attempt) == delay


@pytest.mark.parametrize("options", [{"attempts": 0}, {"base_delay": -1}, {"max_delay": -1}])
def test_a_retry_that_cannot_work_is_refused(options: dict[str, Any]):
    with pytest.raises(ConfigurationError):
        Retry(**options)


async def test_a_rescue_gets_the_error_after_the_last_try():
    run, tries = flaky(9, ValueError("broken"))
    block = handler(run, name="risky", retry=Retry(attempts=2), rescue={ValueError: handler(str, name="saved")})
    assert await output(block) == "broken"
    assert len(tries) == 2


async def test_a_rescue_takes_wrong_inputs_and_outputs_too():
    saved = handler(lambda _error: Order(item="none", count=1), name="saved")
    wrong_in = handler(str, name="strict", input_schema=Order, rescue=saved)
    wrong_out = handler(dict, name="strict", output_schema=Order, rescue=saved)
    assert [await output(block) for block in (wrong_in, wrong_out)] == [Order(item="none", count=1)] * 2


async def test_what_a_rescue_gives_is_checked_like_any_output():
    saved = handler(lambda _error: {"item": "tea", "count": 0}, name="saved")
    with pytest.raises(SchemaError, match="strict: output"):
        await output(handler(dict, name="strict", output_schema=Order, rescue=saved))


async def test_the_error_of_a_rescue_is_raised_with_the_first_as_its_context():
    def worse(error: Exception) -> None:
        raise KeyError("worse")

    run, _ = flaky(1, ValueError("first"))
    with pytest.raises(KeyError, match="worse") as caught:
        await output(handler(run, name="risky", rescue=handler(worse, name="worse")))
    assert isinstance(caught.value.__context__, ValueError)


async def test_cancellation_is_neither_retried_nor_rescued():
    begun: list[int] = []
    started = asyncio.Event()

    async def slow() -> None:
        begun.append(1)
        started.set()
        await asyncio.sleep(60)

    block = handler(slow, name="slow", retry=Retry(), rescue=handler(str, name="saved"))
    task = asyncio.create_task(output(block))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert begun == [1]


def test_a_stream_tells_when_each_block_begins_and_ends():
    def fail(value: Any) -> None:
        raise ValueError("broken")

    chain = sequencer(name="chain").then(handler(str, name="text")).tap(handler(fail, name="bad")).rescue(str)
    with Fabric() as fabric:
        events = [e for e in fabric.session("s").stream(chain, 1) if isinstance(e, (BlockStarted, BlockFinished))]
    assert events == [
        BlockStarted("chain"),
        BlockStarted("chain > text"),
        BlockFinished("chain > text"),
        BlockStarted("chain > bad"),
        BlockFinished("chain > bad", error="ValueError: broken"),
        BlockStarted("chain > str"),
        BlockFinished("chain > str"),
        BlockFinished("chain"),
    ]


def test_walk_yields_each_block_once_outermost_first():
    a, b, c, d = (handler(str, name=name) for name in "abcd")
    inner = sequencer(name="inner").then(b).then(c)
    root = sequencer(name="root").then(a).then(inner).tap(a).then(inner).then(d)
    assert [block.name for block in root.walk()] == ["root", "a", "inner", "b", "c", "d"]


def test_renamed_and_connect_input_give_other_blocks_of_the_same_kind():
    block = sequencer(name="one").then(handler(str, name="text"))
    other = block.renamed("two").connect_input(len)
    assert (block.name, other.name, block.connector) == ("one", "two", None)
    assert type(other) is type(block)


def test_a_schema_that_is_none_and_types_that_clash_are_found():
    with pytest.raises(ConfigurationError, match=r"order: .* is not a schema"):
        handler(str, name="order", input_schema=object())

    def count(text: str) -> int:
        return len(text)

    with pytest.raises(SchemaMismatchError, match="'count' gives int, but its output_schema is str"):
        handler(count, output_schema=str)


def test_a_schema_may_be_any_type_pydantic_knows():
    assert handler(str, name="order", input_schema=list[Order] | None).accepts == list[Order] | None


def test_what_is_no_capability_cannot_be_declared():
    def mind() -> None: ...

    with pytest.raises(ConfigurationError, match=r"uses has <function .*; call it: mind\(\)"):
        handler(lambda: 1, name="one", uses=[mind])  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match="uses has 'memory', no capability or resource"):
        handler(lambda: 1, name="one", uses=["memory"])  # type: ignore[list-item]
