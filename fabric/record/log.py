"""The session's log of items: numbered in memory without waiting, written to the store by whoever ends a step."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

from ..clock import Clock, not_before, utc
from ..scope import Scope
from ..store.base import Row, Rows, Store, Table
from .forgotten import ERASED, blanked
from .items import Draft, Item
from .order import Order

ITEMS = Table("fabric_items", {"seq": "integer", "turn": "integer", "role": "text", "kind": "text"})
NOTED = ("outcome", "error")
"""Kinds of items that say how work ended, and are no part of the conversation."""
LATEST = 64
"""How many of the items stored last tell what was said last: those of a long run are stored after later ones."""
RECENT_SESSIONS = 128
"""How many sessions' logs are kept in memory after their last use."""


class SessionLog:
    """The items of one session, oldest first. Every method may be called from any thread."""

    def __init__(self, scope: Scope, rows: Iterable[Row] = (), order: Order | None = None) -> None:
        self.scope = scope
        self.order = order or Order()
        self._lock = threading.Lock()
        self._items: list[Item] = []
        self._by_id: dict[str, Item] = {}
        self._turn_ids: dict[str, str] = {}
        self._unstored: set[str] = set()
        self._named: dict[str, list[Item]] = {}
        self._erased: dict[int, int] = {}
        self._erasures = 0
        self._under_way: set[str] = set()
        self._failed: set[str] = set()
        self._dealt_with: set[str] = set()
        self._seq = 0
        self._turns = 0
        self._all: tuple[Item, ...] | None = None
        for row in rows:
            self._append(item_of(row), row.get("turn_id", ""))
        if self._items and opens_turn(self._items[-1]):  # whoever was to answer it ended with an earlier process
            self._failed.add(self._items[-1].id)

    @property
    def erasures(self) -> int:
        """How often something was erased: what begins now is of no turn that was erased before."""
        with self._lock:
            return self._erasures

    @property
    def turns(self) -> int:
        """How many user messages the session has."""
        with self._lock:
            return self._turns

    @property
    def last_text(self) -> str:
        """What was said last, "" for nothing."""
        with self._lock:
            return next((item.text for item in reversed(self._items) if item.kind == "message"), "")

    def items(self, turn: int | None = None) -> Sequence[Item]:
        """Return the items, or those up to a turn."""
        with self._lock:
            if self._all is None:
                self._all = tuple(self._items)
            everything, turns = self._all, self._turns
        if turn is None or turn >= turns:
            return everything
        return tuple(item for item in everything if item.turn <= turn)

    def find(self, ids: Iterable[str]) -> list[Item]:
        """Return the items with these ids, missing ones left out."""
        with self._lock:
            return [self._by_id[record_id] for record_id in ids if record_id in self._by_id]

    def earlier(self, turn_id: str, draft: Draft, taken: Collection[str]) -> Item | None:
        """Return the item that an earlier try of this turn stored for the same draft, unless it is among ``taken``.

        A user's message counts as soon as it is recorded: it is never taken back.
        """
        with self._lock:
            for item in self._named.get(turn_id, ()):
                same = (item.role, item.kind, item.text, item.name) == (draft.role, draft.kind, draft.text, draft.name)
                if same and item.id not in taken and (item.id not in self._unstored or opens_turn(item)):
                    return item
        return None

    def begin(self, message_id: str) -> None:
        """Take note that a run is about to answer the user's message of this id."""
        with self._lock:
            self._under_way.add(message_id)
            self._failed.discard(message_id)

    def end(self, message_ids: Collection[str]) -> None:
        """Take note that no run will answer these messages any more."""
        with self._lock:
            self._dealt_with.update(self._under_way.intersection(message_ids) - self._failed)
            self._under_way.difference_update(message_ids)

    def fail(self, message_ids: Collection[str]) -> None:
        """Take note that the runs that were to answer these messages failed."""
        with self._lock:
            self._failed.update(message_ids)

    def is_missed(self, message_id: str) -> bool:
        """Return whether no run of this process is about to answer the user's message of this id, or ended well."""
        with self._lock:
            return message_id not in self._under_way and message_id not in self._dealt_with

    def waiting(self, draft: Draft) -> Item | None:
        """Return the session's last item where it is this very message of the user and nobody answers it.

        Its run failed, or it was added to the session from outside. What background work noted since is no answer.
        """
        with self._lock:
            last = next((item for item in reversed(self._items) if item.kind not in NOTED), None)
            if last is None or not opens_turn(last) or last.text != draft.text or last.id in self._under_way:
                return None
            return last if last.id in self._failed or not last.block else None

    def add(self, draft: Draft, *, clock: Clock, turn: int, since: int, block: str = "", turn_id: str = "") -> Item:
        """Append an item, numbered; a user's message opens the next turn, anything else belongs to ``turn``.

        Whoever adds it began after ``since`` erasures: it is blanked if its turn was erased later.
        """
        item = Item(
            id=draft.id or clock.new_id("item"),
            seq=0,
            turn=turn,
            role=draft.role,
            kind=draft.kind,
            text=draft.text,
            created_at=clock.now(),
            block=block,
            name=draft.name,
            call_id=draft.call_id,
            parts=draft.parts,
            data=draft.data,
        )
        with self._lock:
            at = not_before(self._items[-1].created_at if self._items else None, item.created_at, clock)
            place = self._turns + 1 if opens_turn(item) else turn
            after = self.order.counts_as(item.created_at, clock)
            numbered = replace(item, seq=self._seq + 1, turn=place, created_at=at, counts_as=after)
            if self._erased.get(numbered.turn, 0) > since:
                numbered = blanked(numbered)
            self._append(numbered, turn_id)
            self._unstored.add(numbered.id)
        return numbered

    def stored(self, items: Iterable[Item]) -> None:
        """Take note that the items are in the store."""
        with self._lock:
            self._unstored.difference_update(item.id for item in items)

    def discard(self, ids: Collection[str]) -> None:
        """Take back items that were never stored."""
        if not ids:
            return
        with self._lock:
            self._unstored.difference_update(ids)
            self._items = [item for item in self._items if item.id not in ids]
            for record_id in ids:
                self._by_id.pop(record_id, None)
                named = self._turn_ids.pop(record_id, "")
                self._named[named] = [item for item in self._named.pop(named, []) if item.id != record_id]
            self._turns = max((item.turn for item in self._items), default=0)
            self._all = None

    def erase(self, ids: Collection[str] | None, turns: Collection[int] = ()) -> None:
        """Blank the messages with these ids and drop what else has one, as the store did; None drops everything.

        Of these turns the same becomes of what is not stored yet, and of what a run adds later that had begun before.
        """
        with self._lock:
            self._erasures += 1
            erased = {*turns, *(range(self._turns + 1) if ids is None else ())}
            self._erased.update(dict.fromkeys(erased, self._erasures))
            gone = [item for item in self._items if ids is None or item.id in ids or item.turn in erased]
            blank = {item.id: None if ids is None else _blank(item) for item in gone}
            self._items = [blanked for item in self._items if (blanked := blank.get(item.id, item)) is not None]
            self._by_id = {item.id: item for item in self._items}
            self._all = None

    def is_erased(self, turn: int, since: int) -> bool:
        """Return whether a turn was erased after so many erasures, as while a run of it was under way."""
        with self._lock:
            return self._erased.get(turn, 0) > since

    def current(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows of items that are about to be stored as the items are now: erased ones without a word."""
        with self._lock:
            stored = [(row, self._by_id.get(row["id"])) for row in rows]
        return [self.row(item) if item.text == ERASED else row for row, item in stored if item is not None]

    def row(self, item: Item) -> Row:
        """Return the item as the store keeps it."""
        return {**row_of(item), "turn_id": self._turn_ids.get(item.id, "")}

    def _append(self, item: Item, turn_id: str) -> None:
        self._items.append(item)
        self._by_id[item.id] = item
        if turn_id:
            self._turn_ids[item.id] = turn_id
            self._named.setdefault(turn_id, []).append(item)
        self._seq = max(self._seq, item.seq)
        self._turns = max(self._turns, item.turn)
        self._all = None


class Logs:
    """The logs in use, one per session however many sessions objects and runs share it, and the recent ones."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._changes = 0
        self._order, self._is_learnt = Order(), False
        self._alive: WeakValueDictionary[Scope, SessionLog] = WeakValueDictionary()
        self._recent: OrderedDict[Scope, SessionLog] = OrderedDict()

    def __len__(self) -> int:
        with self._lock:
            return len(self._alive)

    async def load(self, scope: Scope) -> SessionLog:
        """Return the session's log, read from the store unless it is in memory."""
        log = self._known(scope)
        while log is None:
            changes = self._changes
            rows = await self._store.transact(lambda rows: self._read(rows, scope))
            log = self._keep(SessionLog(scope, rows, self._order), changes)
        return log

    def load_sync(self, scope: Scope) -> SessionLog:
        """Do the same from code that cannot await."""
        log = self._known(scope)
        while log is None:
            changes = self._changes
            rows = self._store.transact_sync(lambda rows: self._read(rows, scope))
            log = self._keep(SessionLog(scope, rows, self._order), changes)
        return log

    def erase(self, items: Mapping[Scope, Collection[str] | None], turns: Mapping[Scope, Collection[int]]) -> None:
        """Do what `SessionLog.erase` does in every log that is in memory; called when the store has erased it."""
        with self._lock:
            self._changes += 1
        for scope in {**items, **turns}:
            log = self._known(scope)
            if log is not None:
                log.erase(items.get(scope, ()), turns.get(scope, ()))

    def forget(self, scope: Scope | None = None) -> None:
        """Drop a session's log, or all of them, from memory: what the store holds was changed by somebody else."""
        with self._lock:
            self._changes += 1
            for owner in [scope] if scope is not None else [*self._alive]:
                self._alive.pop(owner, None)
                self._recent.pop(owner, None)

    def _read(self, rows: Rows, scope: Scope) -> list[Row]:
        """Read a session's items; the first time since the file was opened also learn what was said last in it."""
        if not self._is_learnt:
            latest = map(item_of, rows.newest(ITEMS, LATEST))
            self._order.learn(item.counts_as or item.created_at for item in latest)
            self._is_learnt = True
        return rows.find(ITEMS, scope, order="seq")

    def _known(self, scope: Scope) -> SessionLog | None:
        with self._lock:
            log = self._alive.get(scope)
            return None if log is None else self._touch(log)

    def _keep(self, loaded: SessionLog, changes: int) -> SessionLog | None:
        """Keep a log that was read after so many changes of the store; None when there was another meanwhile."""
        with self._lock:
            if changes != self._changes:
                return None
            return self._touch(self._alive.setdefault(loaded.scope, loaded))

    def _touch(self, log: SessionLog) -> SessionLog:
        self._recent[log.scope] = log
        self._recent.move_to_end(log.scope)
        while len(self._recent) > RECENT_SESSIONS:
            self._recent.popitem(last=False)
        return log


def _blank(item: Item) -> Item | None:
    return None if item.kind in NOTED else blanked(item)


def opens_turn(item: Item | Draft) -> bool:
    """Return whether it is a message of the user."""
    return item.role == "user" and item.kind == "message"


def row_of(item: Item) -> Row:
    """Return an item as JSON values."""
    row: Row = {
        "id": item.id,
        "seq": item.seq,
        "turn": item.turn,
        "role": item.role,
        "kind": item.kind,
        "text": item.text,
        "created_at": utc(item.created_at).isoformat(),
        "block": item.block,
        "name": item.name,
        "call_id": item.call_id,
        "parts": [dict(part) for part in item.parts],
        "data": dict(item.data),
    }
    return row if item.counts_as is None else {**row, "counts_as": utc(item.counts_as).isoformat()}


def item_of(row: Row) -> Item:
    """Return the item that a row was made from."""
    fields: dict[str, Any] = {key: value for key, value in row.items() if key != "turn_id"}
    fields["created_at"] = datetime.fromisoformat(row["created_at"])
    fields["parts"] = tuple(row["parts"])
    if "counts_as" in row:
        fields["counts_as"] = datetime.fromisoformat(row["counts_as"])
    return Item(**fields)
