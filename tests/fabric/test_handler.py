"""A function of any allowed shape becomes a block, under its own name and with its own words."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

from fabric import Context, handler, sequencer
from fabric.errors import ConfigurationError
from fabric.testing import run_block


async def async_value(value: int) -> int:
    return value + 1


async def async_both(value: int, ctx: Context) -> str:
    return f"{value} {ctx.user}"


class Adder:
    def __call__(self, value: int) -> int:
        return value + 10

    def method(self, value: int, ctx: Context) -> str:
        return f"{value} {ctx.path}"


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (lambda: 7, 7),
        (lambda value: value + 1, 2),
        (lambda ctx: ctx.user, "tester"),
        (lambda value, ctx: f"{value} {ctx.user}", "1 tester"),
        (lambda value, context: f"{value} {context.session}", "1 test"),
        (lambda value, extra=5: value + extra, 6),
        (lambda value=3: value, 1),
        (lambda *values: values, (1,)),
        (async_value, 2),
        (async_both, "1 tester"),
        (functools.partial(lambda a, value: a + value, 5), 6),
        (Adder(), 11),
        (Adder().method, "1 block"),
        (str, "1"),
        (float, 1.0),
    ],
)
async def test_functions_of_every_shape_are_called_as_they_ask(fn: Callable[..., Any], expected: Any):
    assert (await run_block(handler(fn, name="block"), 1)).output == expected


@pytest.mark.parametrize("fn", [lambda a, _b, _c: a, lambda value, *, _key: value])
def test_a_function_of_another_shape_is_refused_when_the_handler_is_made(fn: Callable[..., Any]):
    with pytest.raises(ConfigurationError, match="block: '<lambda>' takes"):
        handler(fn, name="block")


def test_name_and_description_come_from_the_function_unless_given():
    @handler
    def plain(value: str) -> str:
        """Say it plainly."""
        return value

    @handler(name="given", description="as told")
    def other(value: str) -> str:
        """Not this."""
        return value

    assert (plain.name, plain.description) == ("plain", "Say it plainly.")
    assert (other.name, other.description) == ("given", "as told")
    with pytest.raises(ConfigurationError, match="a block needs a name"):
        handler(lambda value: value)


def test_annotations_say_what_a_handler_takes_and_gives():
    async def count(text: str, ctx: Context) -> int:
        return len(text)

    def user(ctx: Context) -> str:
        return str(ctx.user)

    assert (handler(count).accepts, handler(count).returns) == (str, int)
    assert (handler(user).accepts, handler(user).returns) == (Any, str)
    assert handler(count, input_schema=bytes, output_schema=float).accepts is bytes
    assert handler(count, connect_input=str).accepts is Any


async def test_annotations_alone_check_no_value():
    def count(text: str) -> int:
        return len(text)

    chain = sequencer(name="chain").map(lambda value: value).then(count)
    assert (await run_block(chain, [1, 2, 3])).output == 3


async def test_a_handler_is_a_tool():
    def add(numbers: list[int]) -> int:
        """Add numbers."""
        return sum(numbers)

    tool = handler(add).as_tool()
    assert (tool.name, tool.description) == ("add", "Add numbers.")
    assert tool.schema()["function"]["parameters"]["properties"]["input"]["type"] == "array"
