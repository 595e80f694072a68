"""The catalog of a file: its collections with their columns, and its scopes with the numbers that stand for them."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fabric.errors import ResourceConflictError, StoreError
from fabric.scope import Scope
from fabric.search.base import ColumnType

from ..base import Row, Table
from .columns import SQL_TYPES, original, storable
from .migrations import SEARCH_COLUMNS
from .sql import Sql, identifier

MANY_KEYS = 2_000
"""From how many rows on the keys of a scope are not kept in memory."""
PACKED = "_cells"
"""The column in which cells are packed."""
SCOPES = 1_000
"""Of how many scopes the keys are kept, for each collection."""


@dataclass(slots=True)
class StoredCollection:
    """One collection of the file: every column it ever had, the place the next new row gets, and known scope sizes.

    How it is searched (``terms``, ``kept``, ``thread``) is not in the file: a definition says it again.
    """

    name: str
    columns: dict[str, ColumnType]
    text: str
    next_place: int = 0
    sizes: dict[int, int] = field(default_factory=dict[int, int])
    keys: dict[int, set[int] | None] = field(default_factory=dict[int, "set[int] | None"])
    """The keys of the scopes that were written to; None for one of too many rows to keep them."""
    terms: Callable[[Row], Sequence[str]] | None = None
    kept: tuple[str, ...] = ()
    thread: str = ""
    packs: bool = False
    """Whether its rows have room for packed cells; one of an earlier form of the file has a column for each instead."""
    packed: dict[str, ColumnType] = field(default_factory=dict[str, ColumnType])
    """The kept columns that have none in the file: their cells stand together in `PACKED`."""

    @property
    def kinds(self) -> dict[str, ColumnType]:
        """The types of all columns, packed ones too."""
        return self.columns | self.packed

    def changed(self, owner: int, gone: Collection[int], new: Collection[int]) -> None:
        """Take note of which rows a scope lost, and then got."""
        if owner in self.sizes:
            self.sizes[owner] += len(new) - len(gone)
        keys = self.keys.get(owner)
        if keys is not None:
            keys.difference_update(gone)
            keys.update(new)
            if len(keys) > MANY_KEYS:
                self.keys[owner] = None

    def learn_packed(self, table: Table) -> None:
        """Know from a definition which cells are packed, as far as its rows have room for them."""
        if self.packs and table.packed:
            self.packed = {name: table.columns[name] for name in table.packed if name not in self.columns}

    def learn_keys(self, owner: int, keys: Collection[int]) -> None:
        """Take note of all the keys of a scope; more than ``MANY_KEYS`` stand for too many to keep."""
        if len(self.keys) >= SCOPES:
            del self.keys[next(iter(self.keys))]
        few = len(keys) <= MANY_KEYS
        self.keys[owner] = set(keys) if few else None
        if few:
            self.sizes[owner] = len(keys)

    def is_empty(self, owner: int) -> bool:
        """Return whether the scope is known to have no rows: it was counted, or nobody ever had one."""
        return self.next_place == 0 or self.sizes.get(owner) == 0

    def forget_sizes(self) -> None:
        """Forget how many rows the scopes have, and which."""
        self.sizes.clear()
        self.keys.clear()

    @property
    def sql(self) -> str:
        """The name as SQL has it."""
        return identifier(self.name, "the collection name")

    def column(self, name: str) -> tuple[str, ColumnType]:
        """Return a column's SQL name and type; raise StoreError when the collection has no such column."""
        if name == "id":
            return "id", "text"
        if name not in self.columns:
            raise StoreError(
                f"collection {self.name!r} has no column {name!r}: it can be filtered and ordered by "
                f"{', '.join(['id', *sorted(self.kinds)])}; declare the field in its columns"
            )
        return identifier(name, "the column name"), self.columns[name]


class Catalog:
    """The collections and scopes of one open file; `load` makes it what the file says."""

    def __init__(self) -> None:
        self._tables: dict[str, StoredCollection] = {}
        self._scopes: dict[Scope, int] = {}
        self._next_scope = 0
        self.touched = False

    def load(self, sql: Sql) -> None:
        """Read everything from the file."""
        packing = "SELECT table_name FROM duckdb_columns() WHERE database_name = current_database() AND column_name = ?"
        packs = {name for (name,) in sql.rows(packing, [PACKED])}
        for name, columns, text in sql.rows("SELECT name, columns, text FROM _tables"):
            self._tables[name] = StoredCollection(name, json.loads(columns), text, packs=name in packs)
        every = list(self._tables.values())
        lasts = [f"SELECT {number}, max(_seq) FROM {collection.sql}" for number, collection in enumerate(every)]
        for number, last in sql.rows(" UNION ALL ".join(lasts)) if lasts else ():
            every[number].next_place = 0 if last is None else int(last) + 1
        self.reload_scopes(sql)

    def copied(self) -> "Catalog":
        """Return the same as it is now, whatever becomes of this one."""
        found = Catalog()
        for collection in self._tables.values():
            found._tables[collection.name] = replace(collection, sizes=dict(collection.sizes), keys={})
        found._scopes, found._next_scope = dict(self._scopes), self._next_scope
        return found

    def count(self, sql: Sql) -> None:
        """Count the rows that the scopes have in each collection where that is not known, all at once."""
        for collection in self._tables.values():
            if collection.next_place == 0 or collection.sizes.keys() >= set(self._scopes.values()):
                continue
            counted = sql.rows(f"SELECT _scope, count(*) FROM {collection.sql} GROUP BY _scope")
            collection.sizes = dict.fromkeys(self._scopes.values(), 0) | {
                int(scope): int(size) for scope, size in counted
            }

    def reload_scopes(self, sql: Sql) -> None:
        """Read the scopes again, after a transaction that changed them was rolled back."""
        scopes = sql.rows("SELECT kind, key, number FROM _scopes")
        self._scopes = {Scope(kind, original(key)): number for kind, key, number in scopes}
        self._next_scope = max([self._next_scope, *(number + 1 for number in self._scopes.values())])
        self.touched = False

    def table(self, table: Table) -> StoredCollection:
        """Return the collection; raise StoreError when it was not defined."""
        collection = self._tables.get(table.name)
        if collection is None:
            raise StoreError(
                f"collection {table.name!r} is not installed: declare its resource with uses=[...] on a block "
                "of the pipeline that runs (a store used on its own: call store.define(table) first)"
            )
        return collection

    def tables(self) -> list[StoredCollection]:
        """Return every collection that the file has."""
        return list(self._tables.values())

    def scope(self, scope: Scope) -> int | None:
        """Return the scope's number, or None when it owns nothing."""
        _check_scope(scope)
        return self._scopes.get(scope)

    def scope_for_writing(self, sql: Sql, scope: Scope) -> int:
        """Return the scope's number, giving it one when it is new."""
        number = self.scope(scope)
        if number is not None:
            return number
        self.touched = True
        number = self._next_scope
        self._next_scope += 1
        sql.run("INSERT INTO _scopes VALUES (?, ?, ?)", [number, scope.kind, storable(scope.key)])
        self._scopes[scope] = number
        for collection in self._tables.values():
            collection.learn_keys(number, ())
        return number

    def forget_scope(self, sql: Sql, scope: Scope) -> None:
        """Remove the scope itself, whose key may hold a person's name."""
        self.touched = True
        sql.run("DELETE FROM _scopes WHERE number = ?", [self._scopes.pop(scope)])

    def scopes(self) -> dict[int, Scope]:
        """Return every scope by its number."""
        return {number: scope for scope, number in self._scopes.items()}

    def missing(self, tables: Iterable[Table]) -> list[StoredCollection]:
        """Return the definitions that the file would need to have and has not."""
        wanted: dict[str, StoredCollection] = {}
        for table in tables:
            collection = wanted.get(table.name) or self._tables.get(table.name)
            widened = _widened(collection, table)
            if widened is not collection:
                wanted[table.name] = widened
        return list(wanted.values())

    def install(self, sql: Sql, wanted: Sequence[StoredCollection]) -> list[StoredCollection]:
        """Create or widen collections in the file; return those whose rows that are there got further columns."""
        new = [collection for collection in wanted if collection.name not in self._tables]
        if new:
            sql.create([statement for collection in new for statement in _created(collection)])
            values = [
                value
                for collection in new
                for value in (collection.name, json.dumps(collection.columns), collection.text)
            ]
            sql.run(f"INSERT INTO _tables VALUES {', '.join(['(?, ?, ?)'] * len(new))}", values)
        return [collection for collection in wanted if collection.name in self._tables and self._widen(sql, collection)]

    def _widen(self, sql: Sql, wanted: StoredCollection) -> bool:
        values = [json.dumps(wanted.columns), wanted.text, wanted.name]
        sql.run("UPDATE _tables SET columns = ?, text = ? WHERE name = ?", values)
        new = wanted.columns.keys() - self._tables[wanted.name].columns.keys()
        for name in sorted(new):
            sql.run(f"ALTER TABLE {wanted.sql} ADD COLUMN {_column(name, wanted.columns)}")
        return bool(new)

    def learn(self, table: Table) -> bool:
        """Take over from a definition how the collection is searched; return whether that is new."""
        collection = self._tables[table.name]
        collection.learn_packed(table)
        kept = tuple(name for name in table.kept if name in collection.kinds)  # not those that it will yet get
        thread = table.thread if table.thread in collection.kinds else ""
        search = (table.terms or collection.terms, kept or collection.kept, thread or collection.thread)
        if search == (collection.terms, collection.kept, collection.thread):
            return False
        collection.terms, collection.kept, collection.thread = search
        return True

    def register(self, wanted: Iterable[StoredCollection]) -> None:
        """Know the collections from now on, once their transaction is committed."""
        self._tables.update((collection.name, collection) for collection in wanted)


def _widened(collection: StoredCollection | None, table: Table) -> StoredCollection:
    """Return a collection with the columns that its definition adds; the same object where that adds none."""
    packs = bool(table.packed) if collection is None else collection.packs
    wanted: dict[str, ColumnType] = {
        name: kind for name, kind in table.columns.items() if name != "id" and not (packs and name in table.packed)
    }
    if collection is None:
        return StoredCollection(table.name, wanted, table.text, packs=packs)
    _check_same(collection, table)
    if wanted.items() <= collection.columns.items() and table.text in ("", collection.text):
        return collection
    return replace(collection, columns=collection.columns | wanted, text=collection.text or table.text)


def _column(name: str, columns: Mapping[str, ColumnType]) -> str:
    if columns[name] not in SQL_TYPES:
        raise StoreError(f"column {name!r} has the unknown type {columns[name]!r}: expected {', '.join(SQL_TYPES)}")
    return f"{identifier(name, 'the column name')} {SQL_TYPES[columns[name]]}"


def _created(wanted: StoredCollection) -> list[str]:
    """Return the statements that make a collection."""
    fixed = ["_key HUGEINT NOT NULL", "_scope BIGINT NOT NULL", "_seq BIGINT NOT NULL"]
    fixed += ["id VARCHAR NOT NULL", "_row VARCHAR NOT NULL"]
    fixed += SEARCH_COLUMNS
    declared = [_column(name, wanted.columns) for name in wanted.columns]
    declared += [f"{PACKED} VARCHAR"] if wanted.packs else []
    return [f"CREATE TABLE {wanted.sql} ({', '.join(fixed + declared)})", *indexed(wanted)]


def indexes(collection: StoredCollection) -> dict[str, str]:
    """Return the names of the database's own indexes of a collection, and the column that each is of."""
    return {f"_{collection.name}_{column.removeprefix('_')}": column for column in ("_key", "_scope")}


def indexed(collection: StoredCollection) -> list[str]:
    """Return the statements that make the database's own indexes of a collection."""
    return [f'CREATE INDEX "{name}" ON {collection.sql} ({column})' for name, column in indexes(collection).items()]


def _check_same(collection: StoredCollection, table: Table) -> None:
    for name, kind in table.columns.items():
        if collection.columns.get(name, kind) != kind:
            raise ResourceConflictError(
                f"collection {table.name!r} has column {name!r} as {collection.columns[name]} in the file and as "
                f"{kind} in this definition: give the collection or the column another name"
            )
    if collection.text and table.text and collection.text != table.text:
        raise ResourceConflictError(
            f"collection {table.name!r} is searched by field {collection.text!r} in the file and by {table.text!r} in "
            "this definition: give the collection another name"
        )


def _check_scope(scope: Scope) -> None:
    if not isinstance(scope, Scope):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise StoreError(f"rows are owned by a Scope, got {type(scope).__name__}: use session.ids.scope(kind)")
