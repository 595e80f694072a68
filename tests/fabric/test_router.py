"""A router runs the route that its function picks, by block or by name, on the same value."""

from typing import Any

import pytest

from fabric import Context, handler, router, sequencer
from fabric.errors import ConfigurationError, NoBranchError, SchemaError
from fabric.flow.block import Block
from fabric.testing import run_block

even = handler(lambda number: number // 2, name="even")
odd = handler(lambda number: 3 * number + 1, name="odd")


async def output(block: Block[Any, Any], value: Any = None) -> Any:
    return (await run_block(block, value)).output


async def test_the_chosen_block_runs_on_the_same_value():
    step = router(name="step", routes=[even, odd], choose=lambda n: odd if n % 2 else even)
    assert [await output(step, n) for n in (6, 7)] == [3, 22]


async def test_the_choice_may_be_a_name_async_and_see_the_context():
    async def choose(number: int, ctx: Context) -> str:
        return "odd" if ctx.user == "tester" else "even"

    assert await output(router(name="step", routes=[even, odd], choose=choose), 1) == 4


@pytest.mark.parametrize("choice", [None, "other", 3, handler(lambda: 1, name="even"), handler(lambda: 1, name="x")])
async def test_a_choice_that_is_no_route_raises_and_names_the_routes(choice: Any):
    step = router(name="step", routes=[even, odd], choose=lambda _n: choice)
    with pytest.raises(NoBranchError, match=r"step: chose .*, expected one of its routes: even, odd"):
        await output(step, 1)


async def test_a_router_has_the_options_of_every_block():
    step = router(
        name="step",
        routes=[even],
        choose=lambda: "odd",
        input_schema=int,
        connect_input=len,
        rescue={NoBranchError: handler(lambda: "saved", name="saved")},
    )
    assert await output(step, "four") == "saved"
    with pytest.raises(SchemaError, match="chain > step: input"):
        await output(sequencer(name="chain").then(router(name="step", routes=[odd], choose=str, input_schema=int)), "x")


def test_a_router_needs_routes_and_a_function_it_can_call():
    with pytest.raises(ConfigurationError, match="router 'step' needs at least one route"):
        router(name="step", routes=[], choose=lambda: "a")
    with pytest.raises(ConfigurationError, match="step: choose"):
        router(name="step", routes=[even], choose=lambda _a, _b, _c: even)
