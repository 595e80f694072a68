"""Where intentions are kept, and which of them a session sees: the scopes of traces, by the session's ids."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from fabric.errors import RefusedError
from fabric.flow.resource import Collection, Resource, Transaction
from fabric.lazy import lazy
from fabric.search.base import ColumnType, SearchView
from fabric.search.views import holds, ids_at

from ..traces.record import TraceScope
from ..traces.tables import Owner, by_owner, place_of, views
from .record import Intention, Trigger
from .state import as_it_is, certain, set_right

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

_COLUMNS: Mapping[str, ColumnType] = {
    "status": "text",
    "trigger": "text",
    "claimed": "text",
    "wakes_at": "time",
    "updated_at": "time",
}
"""By what intentions are found; kept in memory, since every turn looks for what is due."""
_SAME = ("content", "scope", "persona", "due_at", "events", "cue", "rule", "recurring", "cooldown")
"""What two intentions have in common that are one, said twice."""


def _table(owner: Owner, name: str) -> Collection[Intention]:
    return Collection(
        f"intentions_{name}",
        Intention,
        owner,
        _COLUMNS,
        text="trigger",
        terms=lambda _: (),
        kept=tuple(_COLUMNS),
        required=False,
    )


TABLES = by_owner(_table)
PROSPECTIVE_RESOURCES: tuple[Resource, ...] = tuple(TABLES.values())
Rows = Callable[[SearchView], "NDArray[np.bool_]"]
"""Which rows of a table, by their positions."""


@dataclass(frozen=True, slots=True)
class Intentions:
    """The intentions that a session sees, in one transaction. ``is_under_way`` tells whether a run goes on."""

    tx: Transaction
    is_under_way: Callable[[str], bool]

    def pending(self) -> list[Intention]:
        """Return the pending intentions that the session sees, oldest first, owner by owner."""
        return [
            intention
            for intention in self._seen(lambda rows: _pending(rows) | _claimed(rows))
            if intention.status == "pending"
        ]

    def waiting(self, now: datetime | None, triggers: Sequence[Trigger]) -> list[Intention]:
        """Return those that may be due: whose time has come, if it is given, and all that these triggers bring back."""

        def rows(view: SearchView) -> "NDArray[np.bool_]":
            awake = holds(view, "trigger", triggers)
            if now is not None:
                awake = awake | (view.columns["wakes_at"].values <= now.timestamp())
            return _pending(view) & awake | _claimed(view)

        return [intention for intention in self._seen(rows) if intention.status == "pending"]

    def set_right(self, now: datetime) -> None:
        """Arm those anew that were armed by a clock that was ahead of ``now``."""

        def rows(view: SearchView) -> "NDArray[np.bool_]":
            return holds(view, "status", ["pending", "fired"]) & (view.columns["updated_at"].values > now.timestamp())

        found = list(self._seen(rows))
        self.put(right for intention in found if (right := set_right(intention, now)) != intention)

    def claimed(self, run: str) -> list[Intention]:
        """Return those that a run brought back and that do not count yet."""
        return [
            intention
            for intention in self._seen(lambda rows: holds(rows, "claimed", [run]))
            if intention.claimed == run
        ]

    def all(self) -> list[Intention]:
        """Return all intentions that the session sees, also those that are done or cancelled."""
        return list(self._seen(lambda rows: rows.alive))

    def find(self, intention_id: str) -> Intention | None:
        """Return an intention by its id; None where the session sees none with it."""
        for table, personas in _places(self.tx):
            index = self.tx.index(table)
            found = None if index is None or index.position_of(intention_id) < 0 else self.tx.get(table, intention_id)
            if found is not None and found.persona in personas:
                return as_it_is(found, self.is_under_way)
        return None

    def add(self, intention: Intention, most: int) -> Intention:
        """Store a new one, or return the one of its id, or the pending one that is the same.

        RefusedError where so many wait already.
        """
        table = self._table(intention.scope)
        known = self.find(intention.id)
        if known is not None:
            return known
        waiting = self._rows(table, _pending)
        same = next((other for other in waiting if _is_same(other, intention)), None)
        if same is not None:
            return as_it_is(same, self.is_under_way)
        if len(waiting) >= most:
            raise RefusedError(f"{most} reminders wait already", do="Complete or cancel some of them first.")
        self.put([intention])
        return intention

    def put(self, intentions: Iterable[Intention]) -> None:
        """Store changed intentions in the places they were read from."""
        by_table: dict[str, tuple[Collection[Intention], list[Intention]]] = {}
        for intention in intentions:
            table = self._table(intention.scope)
            stored = intention.model_copy(update={"wakes_at": intention.next_at})
            by_table.setdefault(table.key, (table, []))[1].append(stored)
        for table, changed in by_table.values():
            self.tx.put(table, changed)

    def make_certain(self, run: str) -> None:
        """Let what a run brought back count: it is being stored."""
        for table, _ in _places(self.tx):
            claimed = self._rows(table, lambda rows: holds(rows, "claimed", [run]))
            self.tx.put(table, [certain(intention) for intention in claimed])

    def _seen(self, which: Rows) -> Iterator[Intention]:
        for table, personas in _places(self.tx):
            held = self._rows(table, which)
            yield from (as_it_is(intention, self.is_under_way) for intention in held if intention.persona in personas)

    def _rows(self, table: Collection[Intention], which: Rows) -> list[Intention]:
        index = self.tx.index(table)
        if index is None:
            return []
        positions = np.flatnonzero(which(index) & index.alive)
        return self.tx.get_many(table, ids_at(index, positions)) if len(positions) else []

    def _table(self, scope: TraceScope) -> Collection[Intention]:
        return TABLES[place_of(scope, self.tx.ids).tables.owner]


def _is_same(intention: Intention, other: Intention) -> bool:
    return all(getattr(intention, name) == getattr(other, name) for name in _SAME)


def _pending(view: SearchView) -> "NDArray[np.bool_]":
    return holds(view, "status", ["pending"])


def _claimed(view: SearchView) -> "NDArray[np.bool_]":
    found: NDArray[np.bool_] = (view.columns["claimed"].values >= 0) & ~holds(view, "claimed", [""])
    return found


def _places(tx: Transaction) -> Iterator[tuple[Collection[Intention], frozenset[str]]]:
    for view in views(tx.ids):
        yield TABLES[view.tables.owner], view.personas
