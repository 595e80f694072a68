"""Lending: what a capability holds for as long as a block that declares it runs, such as a draft and its flush."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from .capability import Capability, merge_capabilities
from .context import Context


def lasting(name: str, declared: Iterable[Capability[Any]]) -> Sequence[Capability[Any]]:
    """Return those of the declared capabilities, and of those they use, that hold something while a block runs."""
    merged = merge_capabilities((name, one) for one in declared)
    return [one for one in merged.values() if one.during is not None]


@asynccontextmanager
async def lend(capabilities: Sequence[Capability[Any]], ctx: Context) -> AsyncGenerator[None]:
    """Let the capabilities begin for the block of ``ctx``, and end after it; those that a block around it has go on."""
    before = ctx.lent
    async with AsyncExitStack() as stack:
        for capability in capabilities:
            if capability.during is not None and ctx.find_lent(capability.base) is None:
                made = await stack.enter_async_context(capability.during(ctx))
                ctx.lent = {**(ctx.lent or {}), capability.base: made}
        try:
            yield
        finally:
            ctx.lent = before


@asynccontextmanager
async def lend_around(ctx: Context) -> AsyncGenerator[None]:
    """Let what the blocks around that of ``ctx`` declare begin, each for its own block, as if these ran."""
    around: list[Context] = []
    while ctx.parent is not None:
        ctx = ctx.parent
        around.append(ctx)
    async with AsyncExitStack() as stack:
        for outer in reversed(around):
            if outer.block is not None:
                held = lasting(outer.block.name, outer.block.capabilities)
                await stack.enter_async_context(lend(held, outer))
        yield
