"""The backends that have to keep the contract of banks, and how they are driven; a `Kind` in `KINDS` adds another."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from blocks.retain.answering import local_backend
from capabilities.retain import Backend, Bank, HindsightConfig, LocalConfig, Retained, RetainItem
from capabilities.retain.hindsight import HINDSIGHT_RESOURCES, HindsightBackend
from capabilities.retain.local import LOCAL_RESOURCES
from fabric import Fabric, handler
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.resource import Resource
from tests.hindsight.series import Teller

Call = Callable[[Context], Awaitable[Any]]
MOST_FLUSHES = 50


class Place(NamedTuple):
    """The server that a backend asks, where it asks one, and what the ids of banks begin with there."""

    url: str = ""
    token: str = ""
    prefix: str = ""


NOWHERE = Place()


@dataclass(frozen=True)
class Kind:
    """One kind of backend: how it is made for a bank, what its blocks declare, and in what its texts differ."""

    name: str
    make: Callable[[Bank, Place], Backend]
    """Makes one for a bank, on the server of a place where it needs one."""
    resources: Sequence[Resource]
    edits: bool
    """Whether memories have ids to edit by."""
    clears: bool
    """Whether `clear` removes what can be recalled."""
    keeps_words: bool
    """Whether what is recalled is the text that was retained, and not what a server makes of it."""


LOCAL = Kind(
    "local",
    lambda bank, _: local_backend(LocalConfig(), bank),
    LOCAL_RESOURCES,
    edits=True,
    clears=True,
    keeps_words=True,
)
HINDSIGHT = Kind(
    "hindsight",
    lambda bank, place: HindsightBackend(HindsightConfig(api_url=place.url, api_token=place.token), bank),
    HINDSIGHT_RESOURCES,
    edits=False,
    clears=False,
    keeps_words=False,
)
REAL = replace(HINDSIGHT, name="hindsight-server")
"""The same on the real server, where there is one."""
KINDS: tuple[Kind, ...] = (LOCAL, HINDSIGHT, REAL)


@dataclass
class Desk:
    """An open file, and a backend in it; every call is made in a running block, as of a tool."""

    fabric: Fabric
    kind: Kind
    place: Place = NOWHERE

    def __post_init__(self) -> None:
        self._banks: set[str] = set()

        @handler(name="contract/call", uses=list(self.kind.resources))
        async def call(work: Call, ctx: Context) -> Any:
            return await work(ctx)

        self.block: Block[Any, Any] = call

    def open(self, bank: str = "bank", *more: str) -> Backend:
        """Return a backend that writes one bank and reads it and others."""
        ids = tuple(f"{self.place.prefix}{one}" for one in (bank, *more))
        self._banks.update(ids)
        return self.kind.make(Bank(ids[0], ids), self.place)

    def do(self, work: Call, *, session: str = "monday", user: str = "jake", org: str | None = None) -> Any:
        """Do something in a session."""
        return self.fabric.session(session, user=user, org=org).run(self.block, work).output

    def retain(self, backend: Backend, *contents: str, **whose: Any) -> Retained:
        """Retain these contents in one call, and wait until they can be found."""
        items = [RetainItem(content=one) for one in contents]
        retained: Retained = self.do(lambda ctx: backend.retain(ctx, items), **whose)
        self.settle(backend, **whose)
        return retained

    def settle(self, backend: Backend, **whose: Any) -> None:
        """Flush until nothing waits, and wait until a real server has done what it does after its answers."""
        for _ in range(MOST_FLUSHES):
            flushed = self.do(backend.flush, **whose)
            if not flushed.waiting and not flushed.done:
                for bank in self._banks if self.kind is REAL else ():
                    Teller(self.place.url, self.place.token, bank).settle()
                return
        raise AssertionError(f"something still waits: {flushed}")

    def found(self, backend: Backend, query: str, **whose: Any) -> list[str]:
        """Return what a question recalls."""
        return [one.content for one in self.do(lambda ctx: backend.recall(ctx, query), **whose).found]
