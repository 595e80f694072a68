"""Earlier calls: those that are done whole though nobody waits for them any more, and whom a later call waits for."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

from ..scope import SCOPE_KINDS, ScopeIds
from .portal import Portal, undivided

_INSIDE: ContextVar["asyncio.Task[Any] | None"] = ContextVar("fabric_inside_whole", default=None)


class EarlierCalls:
    """The calls under way in one open file that are done whole. `one_by_one` belongs to its portal's loop.

    What was asked for earlier is done earlier, also where its caller was cancelled: calls of one session come one
    after the other, and `finish` lets what deletes wait for all that may still write. A call inside another waits for
    nothing.
    """

    def __init__(self) -> None:
        self._under_way: dict[asyncio.Task[Any], ScopeIds] = {}
        self._writing: dict[Future[None], ScopeIds] = {}

    @asynccontextmanager
    async def one_by_one(self, ids: ScopeIds) -> AsyncGenerator[None]:
        """Be a call of this session until the end of the block, which begins when the earlier ones have ended."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  an async function runs in a task
        earlier = self._that(lambda other: other.scope("session") == ids.scope("session"))
        self._under_way[task] = ids
        token = _INSIDE.set(task)
        try:
            await _ended(earlier)
            yield
        finally:
            _INSIDE.reset(token)
            del self._under_way[task]

    @contextmanager
    def writing(self, ids: ScopeIds) -> Generator[None]:
        """Be a call that writes step by step until the end of the block: it waits for none, and may run on any loop."""
        ended: Future[None] = Future()
        self._writing[ended] = ids
        try:
            yield
        finally:
            del self._writing[ended]
            ended.set_result(None)

    async def finish(self, portal: Portal, ids: ScopeIds) -> None:
        """Wait, on any loop, for the earlier calls that write what one of these ids owns."""
        await undivided(portal.submit(self._finish(ids)))

    async def _finish(self, ids: ScopeIds) -> None:
        await _ended(self._that(lambda other: _share(ids, other)))
        steps = [ended for ended, other in list(self._writing.items()) if _share(ids, other)]
        await _ended([asyncio.wrap_future(ended) for ended in steps])

    def _that(self, concerns: Callable[[ScopeIds], bool]) -> list["asyncio.Task[Any]"]:
        if _INSIDE.get() in self._under_way:
            return []
        return [task for task, ids in self._under_way.items() if concerns(ids)]


def _share(one: ScopeIds, other: ScopeIds) -> bool:
    return any(one.has(kind) and other.has(kind) and one.scope(kind) == other.scope(kind) for kind in SCOPE_KINDS)


async def _ended(calls: "Sequence[asyncio.Future[Any]]") -> None:
    if calls:
        await asyncio.wait(calls)
