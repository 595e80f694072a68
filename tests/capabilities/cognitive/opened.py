"""A cognitive memory that is open for a test, under a clock that stands still."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from capabilities.cognitive.capability import create_cognition
from capabilities.cognitive.memory import CognitiveMemory
from capabilities.traces import TraceMemory
from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock

T = TypeVar("T")


class Mind:
    """Calls of one cognitive memory, each in a run of its own; ``clock`` is moved by the test."""

    def __init__(self, fabric: Fabric, clock: FrozenClock, config: Mapping[str, Any], mood: Any, embedder: Any) -> None:
        self.fabric = fabric
        self.clock = clock
        self.cognition = create_cognition(config, mood=mood, embedder=embedder)
        self.capability = self.cognition.capability

    async def __call__(
        self,
        work: Callable[[CognitiveMemory], Awaitable[T]],
        session: str = "monday",
        user: str | None = "jake",
        **ids: str,
    ) -> T:
        """Return what a function does with the memory of a session."""

        @handler(name="work", uses=[self.capability])
        async def call(_: object, ctx: Context) -> Any:
            return await work(ctx[self.capability])

        result: T = (await self.fabric.session(session, user=user, **ids).arun(call)).output
        return result

    async def tools(self, work: Callable[[TraceMemory], Awaitable[T]], user: str | None = "jake") -> T:
        """Return what a function does with the traces as the memory tools have them."""

        @handler(name="tools", uses=[self.cognition.traces])
        async def call(_: object, ctx: Context) -> Any:
            return await work(ctx[self.cognition.traces])

        result: T = (await self.fabric.session("monday", user=user).arun(call)).output
        return result


@asynccontextmanager
async def open_mind(
    path: Path | str = ":memory:",
    config: Mapping[str, Any] | None = None,
    *,
    mood: Any = None,
    embedder: Any = "default",
    clock: FrozenClock | None = None,
) -> AsyncIterator[Mind]:
    """Open a memory and close it."""
    still = clock or FrozenClock()
    async with Fabric(path, clock=still) as fabric:
        yield Mind(fabric, still, config or {}, mood, embedder)
