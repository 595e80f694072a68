"""Cancels a call at each place where it waits, and compares what memory and file say of it afterwards."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Literal

from fabric import Fabric, Item, Session
from fabric.record.log import ITEMS, item_of
from fabric.store.base import Rows
from fabric.store.duckdb.store import DuckDBStore

Moment = Literal["before", "within", "after"]
"""Whether the cancelling comes before the store does what is waited for, within its transaction, or after its end."""


class Held(DuckDBStore):
    """A store in whose transactions a test can stop."""

    def __init__(self, path: Any) -> None:
        super().__init__(path)
        self.within: Callable[[], None] = lambda: None

    async def transact(self, work: Callable[[Rows], Any]) -> Any:
        def watched(rows: Rows) -> Any:
            result = work(rows)
            self.within()
            return result

        return await super().transact(watched)


class Waits(Coroutine[Any, Any, Any]):
    """A coroutine that tells ``at(number)`` of each time it waits."""

    def __init__(self, work: Coroutine[Any, Any, Any], at: Callable[[int], None]) -> None:
        self._work, self._at, self._number = work, at, 0

    def send(self, value: Any) -> Any:
        waited_for = self._work.send(value)
        self._number += 1
        self._at(self._number)
        return waited_for

    def throw(self, *error: Any) -> Any:
        return self._work.throw(*error)

    def close(self) -> None:
        self._work.close()

    def __await__(self) -> Any:
        return (yield from self._work.__await__())


async def cancelled_at(work: Coroutine[Any, Any, Any], number: int, moment: Moment, store: Held) -> tuple[bool, Any]:
    """Run ``work``, cancelled when it waits for the ``number``-th time; return whether it was, and what it gave."""
    loop = asyncio.get_running_loop()
    tasks: list[asyncio.Task[Any]] = []
    reached = asyncio.Event()
    is_cancelled = threading.Event()

    def cancel() -> None:
        tasks[0].cancel()
        is_cancelled.set()

    def within() -> None:
        store.within = lambda: None
        loop.call_soon_threadsafe(cancel)
        is_cancelled.wait(5)

    def at(here: int) -> None:
        if here != number:
            return
        reached.set()
        if moment == "before":
            loop.call_soon(cancel)
        elif moment == "within":
            store.within = within
        else:
            waited = tasks[0]
            loop.call_later(0.005, waited.cancel)

    tasks.append(loop.create_task(Waits(work, at)))
    result: Any = None
    with suppress(asyncio.CancelledError):
        result = await tasks[0]
    store.within = lambda: None
    return reached.is_set(), result


def held_items(fabric: Fabric, session: Session) -> list[Item]:
    """Return the items that the file holds."""
    scope = session.ids.scope("session")
    return [item_of({**row}) for row in fabric.store.transact_sync(lambda tx: tx.find(ITEMS, scope, order="seq"))]


def check_agreement(fabric: Fabric, session: Session) -> list[Item]:
    """Check that memory and file say the same, that ids and numbers are unique; return the items."""
    items, held = session.items, held_items(fabric, session)
    assert held == items
    assert max(Counter(item.id for item in items).values(), default=1) == 1
    assert len({item.seq for item in items}) == len(items)
    turns = [item.turn for item in items if item.role == "user" and item.kind == "message"]
    assert turns == sorted(set(turns)), "each message of the user has a turn of its own"
    return items


async def settled(fabric: Fabric) -> None:
    """Wait for what was begun by calls that were cancelled, and for background work."""
    await fabric.on_portal(fabric.services.portal.finish_kept())
    await fabric.adrain()
