"""What each method of a sequencer does with the value, with errors, and with the time."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from fabric import Context, handler, sequencer
from fabric.errors import ConfigurationError, GuardError, NoBranchError, RunError, SchemaError
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


async def test_an_empty_sequencer_gives_its_input():
    assert await output(start, 3) == 3


async def test_steps_run_in_order_each_on_the_output_before():
    chain = start.then(double).then(lambda number: number + 1).map(str).then(lambda text, ctx: f"{text} {ctx.user}")
    assert await output(chain, 3) == "7 tester"


async def test_every_method_returns_a_new_sequencer_and_leaves_the_old_one():
    one = start.then(double)
    two = one.then(lambda number: number + 1)
    assert [await output(one, 1), await output(two, 1), await output(start, 1)] == [2, 3, 1]
    assert len(start.children()) == 0
    with pytest.raises(AttributeError):
        one.name = "other"  # type: ignore[misc]


async def test_a_connector_makes_the_input_of_then():
    assert await output(start.then(lambda pair: pair["n"], double), {"n": 4}) == 8


@pytest.mark.parametrize(("condition", "expected"), [(True, 8), (False, 4), (lambda n: n > 3, 8), (lambda n: n > 4, 4)])
async def test_then_if_runs_the_block_or_passes_the_value(condition: Any, expected: int):
    assert await output(start.then_if(condition, double), 4) == expected


async def test_a_condition_may_be_async_and_see_the_context():
    async def known(value: int, ctx: Context) -> bool:
        await asyncio.sleep(0)
        return ctx.user == "tester"

    assert await output(start.then_if(known, lambda n: n + 1, double), 4) == 10


async def test_parallel_gives_a_dict_by_key_and_runs_at_once():
    meeting = asyncio.Barrier(2)

    async def meet(value: int) -> int:
        await meeting.wait()
        return value

    assert await output(start.parallel({"a": meet, "b": meet, "c": double}), 2) == {"a": 2, "b": 2, "c": 4}


@pytest.mark.parametrize("method", ["parallel", "for_each"])
async def test_no_more_than_max_concurrency_run_at_a_time(method: str):
    running: list[int] = []
    most = 0
    two = asyncio.Barrier(2)

    async def busy(value: Any) -> None:
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        await two.wait()
        running.pop()

    async with asyncio.timeout(60):
        if method == "parallel":
            await output(start.parallel({str(n): busy for n in range(6)}, max_concurrency=2))
        else:
            await output(start.for_each(busy, max_concurrency=2), list(range(6)))
    assert most == 2


async def test_a_failed_branch_fails_the_step_after_the_others_were_cancelled_and_awaited():
    ended: list[str] = []
    begun = asyncio.Event()

    async def slow(value: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("slow")

    async def wrong(value: Any) -> None:
        await begun.wait()
        raise ValueError("broken") from KeyError("cause")

    with pytest.raises(ValueError, match="broken") as caught:
        await output(start.parallel({"slow": slow, "wrong": wrong}))
    assert ended == ["slow"]
    assert isinstance(caught.value.__cause__, KeyError)


async def test_cancelling_a_run_cancels_its_branches():
    ended: list[int] = []
    begun = asyncio.Barrier(3)

    async def slow(number: int) -> None:
        try:
            await begun.wait()
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    task = asyncio.create_task(output(start.for_each(slow), [1, 2]))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [1, 2]


async def test_for_each_keeps_the_order():
    ended = {number: asyncio.Event() for number in (1, 2, 3)}

    async def late(number: int) -> int:
        if number < 3:
            await ended[number + 1].wait()
        ended[number].set()
        return number * 10

    async with asyncio.timeout(60):
        assert await output(start.for_each(late), [1, 2, 3]) == [10, 20, 30]
    assert await output(start.for_each(lambda pair: pair["list"], double), {"list": (1, 2)}) == [2, 4]


@pytest.mark.parametrize(("value", "expected"), [(None, []), ([], [])])
async def test_for_each_of_nothing_is_an_empty_list(value: Any, expected: list[Any]):
    assert await output(start.for_each(double), value) == expected


@pytest.mark.parametrize("value", ["text", {"a": 1}, 7])
async def test_for_each_of_no_list_raises_and_says_what_it_got(value: Any):
    with pytest.raises(RunError, match=f"chain: for_each 'double' expects a list, got {type(value).__name__}"):
        await output(start.for_each(double), value)


async def test_do_until_runs_at_least_once_and_feeds_the_output_back():
    assert await output(start.do_until(True, double), 1) == 2
    assert await output(start.do_until(lambda n: n > 100, double), 1) == 128
    assert await output(start.do_until(lambda n: n > 9, lambda n: n + 1, double), 1) == 10


async def test_do_until_gives_up_after_250_rounds():
    rounds: list[int] = []
    with pytest.raises(GuardError, match=r"chain: do_until 'step-1' ran 250 times"):
        await output(start.do_until(False, lambda: rounds.append(1)))
    assert len(rounds) == 250


async def test_branch_takes_the_first_option_whose_condition_holds():
    chain = start.branch(
        {
            "big": (lambda n: n > 10, lambda _n: "big"),
            "text": (str, lambda text: len(text) > 1, lambda text: f"text {text}"),
            "rest": (True, lambda _n: "rest"),
        }
    )
    assert [await output(chain, n) for n in (11, 10, 1)] == ["big", "text 10", "rest"]


async def test_branch_without_a_match_raises_and_names_the_options():
    with pytest.raises(NoBranchError, match=r"chain: no branch took 5; tried: a, b"):
        await output(start.branch({"a": (False, double), "b": (lambda n: n > 5, double)}), 5)


async def test_tap_is_awaited_and_keeps_the_value():
    seen: list[int] = []

    async def look(number: int) -> str:
        await asyncio.sleep(0)
        seen.append(number)
        return "ignored"

    def after(number: int) -> list[int]:
        return [number, *seen]

    assert await output(start.tap(look).then(after), 3) == [3, 3]


async def test_the_errors_of_a_tap_are_raised():
    with pytest.raises(ValueError, match="broken"):
        await output(start.tap(failing(ValueError("broken"))), 3)


async def test_exit_if_ends_only_its_own_sequence():
    inner = sequencer(name="inner").exit_if(lambda n: n > 3).then(double)
    chain = start.then(inner).then(lambda n: n + 1)
    assert [await output(chain, n) for n in (3, 4)] == [7, 5]


async def test_rescue_takes_errors_by_type_and_its_output_ends_the_sequence():
    chain = (
        start.then(lambda error: failing(error)(None))
        .then(double)
        .rescue({KeyError: lambda error: f"key {error}", LookupError: lambda _error: "lookup"})
    )
    assert await output(chain, KeyError("k")) == "key 'k'"
    assert await output(chain, IndexError()) == "lookup"
    with pytest.raises(ValueError, match="other"):
        await output(chain, ValueError("other"))


async def test_a_later_rescue_replaces_the_one_before():
    chain = start.then(failing(KeyError())).rescue({KeyError: lambda _error: 1})
    assert await output(chain.rescue(lambda _error: 2)) == 2
    assert await output(chain) == 1
    with pytest.raises(KeyError):
        await output(chain.rescue({ValueError: lambda _error: 3}))


async def test_an_error_says_in_which_block_it_happened():
    chain = start.then(sequencer(name="inner").then(handler(failing(ValueError("broken")), name="bad")))
    with pytest.raises(ValueError, match="broken") as caught:
        await output(chain)
    assert caught.value.__notes__ == ["in block chain > inner > bad"]


class Name(BaseModel):
    name: str


async def test_a_sequencer_without_a_schema_adopts_that_of_its_first_block():
    greet = handler(lambda name: f"hi {name.name}", name="greet", input_schema=Name)
    chain = start.then(greet)
    assert chain.input_schema is Name
    assert await output(chain, {"name": "Jo"}) == "hi Jo"
    assert start.tap(double).then(greet).input_schema is None
    assert start.then(lambda text: {"name": text}, greet).input_schema is None
    assert sequencer(name="own", input_schema=dict).then(greet).input_schema is dict


async def test_a_value_is_checked_once_when_the_schema_is_adopted():
    checks: list[str] = []

    class Counted(BaseModel):
        def model_post_init(self, context: object) -> None:
            checks.append("checked")

    chain = start.then(handler(lambda value: value, name="first", input_schema=Counted))
    await output(sequencer(name="outer").then(chain), {})
    assert checks == ["checked"]


async def test_the_output_schema_holds_for_the_end_of_the_chain():
    chain = sequencer(name="typed", output_schema=Name).then(lambda text: {"name": text})
    assert await output(chain, "Jo") == Name(name="Jo")
    with pytest.raises(SchemaError, match=r"typed: output does not fit Name: name"):
        await output(chain, 3)


async def test_functions_get_names_of_their_own_and_may_be_used_twice():
    def add(number: int) -> int:
        return number + 1

    chain = start.then(add).then(add).then(lambda n: n).parallel({"a": lambda n: n, "b": lambda n: n})
    assert [block.name for _, block in chain.children()] == ["add", "add-2", "step-3", "step-4-a", "step-4-b"]
    assert await output(chain, 1) == {"a": 3, "b": 3}


async def test_one_block_may_stand_in_a_chain_twice():
    assert await output(start.then(double).then(double), 1) == 4


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: start.then(3), "chain, step 1: expected a block or a function, got 3"),
        (lambda: start.then(double, double), "expected a function here"),
        (lambda: start.then_if("yes", double), "a condition is True, False or a function"),
        (lambda: start.parallel({"a": double}, max_concurrency=0), "max_concurrency=0; expected at least 1"),
        (lambda: start.parallel({}), "parallel needs at least one block"),
        (lambda: start.branch({}), "branch needs at least one option"),
        (lambda: start.branch({"a": (double,)}), "branch 'a': expected"),
        (lambda: start.then(lambda a, _b, _c: a), r"a function here takes \(\), \(value\), \(ctx\) or \(value, ctx\)"),
        (lambda: sequencer(name=" "), "a block needs a name"),
        (lambda: sequencer(name="a > b"), "a block needs a name, without ' > ' in it"),
    ],
)
def test_what_cannot_work_is_refused_while_building(build: Callable[[], Any], message: str):
    with pytest.raises(ConfigurationError, match=message):
        build()
