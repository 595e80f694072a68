"""Moving a bank from one backend to another, and clearing one: what a person does, and no model."""

from collections.abc import Callable, Sequence
from typing import Any

from capabilities.retain.backend import Backend
from capabilities.retain.record import Moved
from fabric.errors import ConfigurationError
from fabric.flow.block import Block
from fabric.flow.capability import Use
from fabric.flow.context import Context
from fabric.flow.handler import handler

from .keeping import Current, in_use

Of = Callable[[], Backend]


def move_block(name: str, source: Of, target: Of, uses: Sequence[Use]) -> Block[Any, Moved]:
    """Return the block that copies a bank to another backend; nothing is taken from the first.

    A second time it copies only what is new: each thing has one name in all banks. ConfigurationError for a bank that
    would be copied to itself.
    """

    @handler(name=f"{name}/move", uses=uses)
    async def move(_: Any, ctx: Context) -> Moved:
        giving, taking = source(), target()
        if giving.name == taking.name:
            raise ConfigurationError(f"{ctx.path}: the bank is on {giving.name!r} already; name the other backend")
        carried = await giving.carried(ctx)
        return Moved(len(carried), await taking.take_over(ctx, carried))

    return move


def clear_block(name: str, current: Current, uses: Sequence[Use]) -> Block[Any, str]:
    """Return the block that removes what of the bank is in this file; a sentence that says what was removed, out."""

    @handler(name=f"{name}/clear", uses=uses)
    async def clear(_: Any, ctx: Context) -> str:
        return await in_use(current, ctx).clear(ctx)

    return clear
