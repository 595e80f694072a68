"""Runs of an agent with a mind, one after another or beside each other, on one provider."""

from collections.abc import Awaitable, Callable
from typing import Any

from capabilities.meaning import Embedded
from capabilities.mind import Mind, MindProvider, MindTable, mind
from capabilities.mind.record import MindEntry
from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock

NAME = "mind/shared"
Work = Callable[[Mind], Awaitable[Any]]


class Minds:
    """One file and one provider, on which runs happen one after another or beside each other."""

    def __init__(self, provider: MindProvider) -> None:
        self.provider = provider
        self.clock = FrozenClock()
        self.fabric = Fabric(":memory:", clock=self.clock)
        self.options: dict[str, Any] = {"embedder": None, "namespace": NAME}

    async def run(self, work: Work, *, user: str = "ann", session: str = "s", **options: Any) -> Any:
        """Run once, and return what ``work`` returns."""
        uses = [mind(**{**self.options, "provider": self.provider, **options})]
        block = handler(lambda ctx: work(ctx.cap.mind), name="run", uses=uses)
        result = await self.fabric.session(session, user=user).arun(block)
        self.items = list(result.items)
        return result.output

    async def entries(self, **who: str) -> dict[str, MindEntry]:
        """Return what is committed, by what it says."""
        return {one.text: one for one in await self.run(lambda held: held.entries(), **who)}

    async def table(self, work: Callable[[MindTable], Any]) -> Any:
        """Return what ``work`` makes of the mind, without a run."""

        async def directly(ctx: Context) -> Any:
            return await self.provider.transact(ctx, NAME, work, Embedded())

        block = handler(directly, name="directly", uses=list(self.provider.resources))
        return (await self.fabric.session("s", user="ann").arun(block)).output
