"""A bank in a file, driven as a tool would."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from blocks.retain.answering import local_backend
from capabilities.retain import Bank, LocalConfig, RetainItem
from capabilities.retain.banks import in_bank
from capabilities.retain.local import LOCAL_RESOURCES, LocalBackend, Memory
from capabilities.retain.local.tables import FACTS, MEMORIES
from capabilities.semantic import Fact
from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock


@handler(name="call", uses=list(LOCAL_RESOURCES))
async def call(work: Callable[[Context], Awaitable[Any]], ctx: Context) -> Any:
    return await work(ctx)


@dataclass
class Place:
    """An open file with a clock that stands still, and the backend of one bank in it."""

    fabric: Fabric
    clock: FrozenClock
    backend: LocalBackend

    def do(self, work: Callable[[Context], Awaitable[Any]], *, session: str = "monday", user: str = "jake") -> Any:
        return self.fabric.session(session, user=user).run(call, work).output

    def retain(self, *contents: str, flush: bool = True, **whose: str) -> list[str]:
        items = [RetainItem(content=one) for one in contents]
        ids = list(self.do(lambda ctx: self.backend.retain(ctx, items), **whose).ids)
        if flush:
            self.do(self.backend.flush, **whose)
        return ids

    def found(self, query: str) -> list[str]:
        return [one.content for one in self.do(lambda ctx: self.backend.recall(ctx, query)).found]

    def say(self, message: str, work: Callable[[Context], Awaitable[Any]]) -> Any:
        """Do something in a turn that began with a message of the user."""

        async def answer(_: str, ctx: Context) -> Any:
            return await work(ctx)

        turn = replace(handler(answer, name="turn", uses=list(LOCAL_RESOURCES)), hears=True)
        return self.fabric.session("monday", user="jake").run(turn, message).output

    def memories(self) -> list[Memory]:
        bank = self.backend.bank.id
        found: list[Memory] = self.do(lambda ctx: ctx.transact(lambda tx: in_bank(tx, bank).find(MEMORIES)))
        return found

    def facts(self, *, closed: bool = False) -> list[str]:
        return [one.content for one in self.versions() if (one.status != "current") == closed]

    def versions(self) -> list[Fact]:
        bank = self.backend.bank.id
        found: list[Fact] = self.do(lambda ctx: ctx.transact(lambda tx: in_bank(tx, bank).find(FACTS)))
        return found

    def later(self, **time: float) -> None:
        self.clock.advance(**time)


def backend_of(bank: str = "bank", *more: str, **options: Any) -> LocalBackend:
    return local_backend(LocalConfig(), Bank(bank, (bank, *more)), **options)


@pytest.fixture
def place() -> Iterator[Place]:
    clock = FrozenClock()
    with Fabric(":memory:", clock=clock) as fabric:
        yield Place(fabric, clock, backend_of(embedder=None))
