"""What a run has recorded until the store has it: log and file say the same, whatever ends the run."""

import asyncio
import threading
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from contextlib import suppress

from ..errors import RunError, StoreError
from ..record.items import Draft, Item
from ..record.log import ITEMS, SessionLog, opens_turn
from ..record.meanwhile import Meanwhile
from ..store.base import Row
from ..threads.portal import kept
from .services import Services

SOON_SECONDS = 0.005
"""How long a user's message waits to be stored: a run that ends before stores it with all that it did, at once."""


class Recording:
    """The items that one run adds to a session's log. Every method may be called from any thread."""

    def __init__(self, services: Services, log: SessionLog, meanwhile: Meanwhile) -> None:
        self.log = log
        self._meanwhile = meanwhile
        self._since = log.erasures
        self._services = services
        self._lock = threading.Lock()
        self._unstored: list[Item] = []
        self._said = 0  # how many of them, from the first, are to be stored whatever becomes of the run
        self._own: set[str] = set()
        self._storing: list[Future[None]] = []
        self._is_ending = self._has_ended = False

    def __bool__(self) -> bool:
        return bool(self._unstored)

    def add(self, draft: Draft, *, turn: int, block: str, turn_id: str) -> Item:
        """Add one item, to be stored when the run ends; RunError once it has ended."""
        with self._lock:
            self.check_going(block)
            clock, since = self._services.clock, self._since
            item = self.log.add(draft, clock=clock, turn=turn, since=since, block=block, turn_id=turn_id)
            self._unstored.append(item)
            self._own.add(item.id)
        if self._meanwhile:
            self.blank()
            return next(iter(self.log.find([item.id])), item)
        return item

    def blank(self) -> None:
        """Blank what is not stored yet and tells of what was forgotten meanwhile."""
        with self._lock:
            to_blank = self._meanwhile.told_among(self._unstored)
        if to_blank:
            self.log.erase(to_blank)

    def check_going(self, block: str) -> None:
        """Raise RunError when the run has ended: nothing would store what comes now."""
        if self._has_ended:
            raise RunError(
                f"{block}: the run has ended, so nothing can be recorded or asked for in it any more: "
                "wait in the block for the threads and tasks that it starts"
            )

    def is_erased(self, turn: int) -> bool:
        """Return whether a turn was erased since the run began."""
        return self.log.is_erased(turn, self._since)

    def merge_child(self, other: "Recording") -> None:
        """Take over what a job recorded that was done inside this run."""
        with self._lock:
            self._unstored.extend(other.pop_unstored()[0])

    def keep_soon(self) -> None:
        """Store what there is now soon, whatever becomes of the run: the user has said something."""
        with self._lock:
            self._said, self._is_ending = len(self._unstored), False
        self._services.portal.tell_later(SOON_SECONDS, self._store_soon)

    def store_now(self, written: "Future[None]") -> None:
        """Let the run wait at its end for something that is being written."""
        self._storing.append(written)

    def pop_unstored(self) -> tuple[list[Item], list[Row]]:
        """Return the items that are not stored yet, and their rows, and count them as stored from now on."""
        with self._lock:
            items, self._unstored, self._said = self._unstored, [], 0
        return items, [self.log.row(item) for item in items]

    async def stored(self) -> None:
        """Wait until what began to be stored is stored; raise what went wrong. The rest is for `pop_unstored`."""
        self._is_ending = True
        await self._settled()

    async def said_stored(self) -> None:
        """Store the user's messages now and wait for it: what is drawn from one is then never there without it."""
        self._store_said()
        await self._settled()

    async def _settled(self) -> None:
        while self._storing:
            first = self._storing[0]
            await asyncio.shield(asyncio.wrap_future(first))
            with suppress(ValueError):  # another branch of the run waited for it, too
                self._storing.remove(first)

    async def withdraw(self, items: Sequence[Item]) -> set[str]:
        """Take items of this run back, those that are stored too, apart from the user's; return their ids."""
        gone = {item.id for item in items if item.id in self._own and not opens_turn(item)}
        stored = gone - self._drop_unstored(gone)
        if stored:
            await self._settled()
            await kept(self._services.portal, self._delete(stored))
        return gone

    def end(self) -> None:
        """Add nothing more."""
        with self._lock:
            self._has_ended = True

    def abandon(self) -> None:
        """End, and take back what was not stored: a run that failed leaves the user's messages only."""
        self._store_said()
        with self._lock:
            self._has_ended = True
            gone, self._unstored = self._unstored, []
        self.log.discard({item.id for item in gone})

    def keep_said(self, items: Sequence[Item]) -> None:
        """Begin to store the user's messages among items that were not stored together; take back the others."""
        messages = [item for item in items if opens_turn(item)]
        self.log.discard({item.id for item in items if item not in messages})
        with self._lock:
            self._unstored, self._said = [*messages, *self._unstored], len(messages) + self._said
        self._store_said()

    def _store_soon(self) -> None:
        if not self._is_ending:  # else the run is about to store all it has
            self._store_said()

    def _store_said(self) -> None:
        with self._lock, suppress(StoreError):  # closed meanwhile
            items, self._unstored, self._said = self._unstored[: self._said], self._unstored[self._said :], 0
            if items:
                storing = self._services.portal.keep(store_items(self._services, self.log, items))
                self._storing.append(storing)

    def _drop_unstored(self, ids: Collection[str]) -> set[str]:
        with self._lock:
            found = {item.id for item in self._unstored if item.id in ids}
            self._said = sum(item.id not in ids for item in self._unstored[: self._said])
            self._unstored = [item for item in self._unstored if item.id not in ids]
        self.log.discard(found)
        return found

    async def _delete(self, ids: set[str]) -> None:
        await self._services.store.transact(lambda tx: tx.delete(ITEMS, self.log.scope, sorted(ids)))
        self.log.discard(ids)


async def store_items(services: Services, log: SessionLog, items: Sequence[Item]) -> None:
    """Store items that a log has, or take them back where that fails; to be `kept`."""
    rows = [log.row(item) for item in items]
    try:
        await services.store.transact(lambda tx: tx.put(ITEMS, log.scope, log.current(rows)))
    except BaseException:
        log.discard({item.id for item in items})
        raise
    log.stored(items)
