"""Where intentions are kept, and which of them a session sees: the scopes of traces, by the session's ids."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabric.errors import RefusedError
from fabric.flow.resource import Collection, Resource, Transaction
from fabric.search.base import ColumnType
from fabric.store.base import Where

from ..traces.record import TraceScope
from ..traces.tables import Owner, place_of, views
from .record import Intention
from .state import as_it_is, certain


def _table(owner: Owner, name: str) -> Collection[Intention]:
    columns: Mapping[str, ColumnType] = {"status": "text", "trigger": "text", "claimed": "text", "due_at": "time"}
    return Collection(f"intentions_{name}", Intention, owner, columns, required=False)


TABLES: Mapping[Owner, Collection[Intention]] = {
    "session": _table("session", "thread"),
    "user": _table("user", "user"),
    "org": _table("org", "organization"),
}
PROSPECTIVE_RESOURCES: tuple[Resource, ...] = tuple(TABLES.values())


@dataclass(frozen=True, slots=True)
class Intentions:
    """The intentions that a session sees, in one transaction. ``is_under_way`` tells whether a run goes on."""

    tx: Transaction
    is_under_way: Callable[[str], bool]

    def pending(self) -> list[Intention]:
        """Return those that wait, oldest first, owner by owner."""
        asked = (Where("status", "=", "pending"), Where("claimed", "!=", ""))
        return [one for one in self._seen(asked) if one.status == "pending"]

    def claimed(self, run: str) -> list[Intention]:
        """Return those that a run brought back and that do not count yet."""
        return [one for one in self._seen((Where("claimed", "=", run),)) if one.claimed == run]

    def all(self) -> list[Intention]:
        """Return all of them, those that are done or cancelled too."""
        return list(self._seen(()))

    def find(self, intention_id: str) -> Intention | None:
        """Return one by its id; None where the session sees none of it."""
        for table, personas in _places(self.tx):
            found = self.tx.get(table, intention_id)
            if found is not None and found.persona in personas:
                return as_it_is(found, self.is_under_way)
        return None

    def add(self, intention: Intention, most: int) -> None:
        """Store a new one; RefusedError where so many wait already, for whose it is."""
        table = self._table(intention.scope)
        if self.tx.count(table, Where("status", "=", "pending")) >= most:
            raise RefusedError(f"{most} reminders wait already", do="Complete or cancel some of them first.")
        self.tx.put(table, [intention])

    def put(self, intentions: Iterable[Intention]) -> None:
        """Store changed ones."""
        by_table: dict[str, tuple[Collection[Intention], list[Intention]]] = {}
        for one in intentions:
            table = self._table(one.scope)
            by_table.setdefault(table.key, (table, []))[1].append(one)
        for table, changed in by_table.values():
            self.tx.put(table, changed)

    def make_certain(self, run: str) -> None:
        """Let what a run brought back count: it is being stored."""
        for table, _ in _places(self.tx):
            claimed = self.tx.find(table, Where("claimed", "=", run))
            self.tx.put(table, [certain(one) for one in claimed])

    def _seen(self, asked: Sequence[Where]) -> Iterator[Intention]:
        for table, personas in _places(self.tx):
            if not self.tx.count(table):
                continue
            rows = [one for where in asked for one in self.tx.find(table, where)] if asked else self.tx.find(table)
            held = {one.id: one for one in rows}
            yield from (as_it_is(one, self.is_under_way) for one in held.values() if one.persona in personas)

    def _table(self, scope: TraceScope) -> Collection[Intention]:
        return TABLES[place_of(scope, self.tx.ids).tables.owner]


def _places(tx: Transaction) -> Iterator[tuple[Collection[Intention], frozenset[str]]]:
    for view in views(tx.ids):
        yield TABLES[view.tables.owner], view.personas
