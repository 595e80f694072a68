"""Sleep: the facts that were put off are drawn, and memories that are old enough joined, as work behind the replies."""

from collections.abc import Sequence
from typing import Any

from capabilities.retain.local import LocalBackend, Slept
from fabric.flow.block import Block
from fabric.flow.capability import Use
from fabric.flow.context import Context
from fabric.flow.handler import handler

from .keeping import Current


def sleep_block(name: str, current: Current, uses: Sequence[Use]) -> Block[Any, Slept]:
    """Return the block that consolidates the bank in a file; elsewhere it has nothing to do, since a server does it.

    It may run at any time and in any number of sessions at once, stop at any
    point and run again: each memory becomes part of one episodic memory, once, and stays itself.
    """

    @handler(name=f"{name}/sleep", uses=uses)
    async def sleep(_: object, ctx: Context) -> Slept:
        chosen = current()
        if not isinstance(chosen, LocalBackend):
            return Slept()
        await chosen.flush(ctx)
        return await chosen.sleep(ctx)

    return sleep
