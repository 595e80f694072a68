"""The verbs of one transaction, in SQL: every statement names the number of the scope that owns the rows."""
# ruff: noqa: S608  identifiers are checked, values are parameters

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import StoreError
from ..scope import Scope
from .base import Match, Row, RowVectors, Table, Where
from .catalog import Catalog, Known
from .columns import SQL_TYPES, cell, condition, row_id, storable, to_json
from .documents import Documents, KeptDocuments
from .searching import Indexes, Searching, entry_of, half, tokens_of
from .sql import Sql, chunks, marks

if TYPE_CHECKING:
    from .index import TextIndex

CHUNK = 1000
"""How many rows one statement handles at most."""
SINGLE = 2
"""Up to how many rows are inserted one by one: planning a whole list costs more than it saves."""
FEW = 2000
"""Up to how many rows a scope is cut out by the index; the database itself stops using an index at 2,048."""


class SqlRows:
    """`Rows` over one transaction; what it changes in memory is noted, so that a rollback can forget it."""

    def __init__(self, sql: Sql, catalog: Catalog, indexes: Indexes, kept: KeptDocuments | None = None) -> None:
        self._sql = sql
        self._catalog = catalog
        self._searching = Searching(sql, indexes)
        self._documents = Documents(sql, kept or KeptDocuments())
        self.touched: set[tuple[str, int]] = set()

    def get(self, table: Table, scope: Scope, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in the order of ``ids``."""
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        if owner is None:
            return []
        keys = [row_key(owner, wanted) for wanted in ids]
        found: dict[int, str] = {}
        for some in chunks(dict.fromkeys(keys), CHUNK):
            found |= dict(self._sql.rows(f"SELECT _key, _row FROM {known.sql} WHERE _key IN ({marks(some)})", some))
        return [json.loads(found[key]) for key in keys if key in found]

    def find(
        self,
        table: Table,
        scope: Scope,
        where: Sequence[Where] = (),
        order: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Row]:
        """Return the rows that meet all conditions, by insertion or by ``order``; those without a value come last."""
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        conditions, values = _conditions(known, where)
        rest = f"{conditions} ORDER BY {_order(known, order)}{_window(limit, offset)}"
        if owner is None:
            return []
        fields = {one.field for one in where} | {order.removeprefix("-")} - {""}
        narrow = bool(where) or limit is not None
        source = self._source(known, owner, ["_row", "_seq", *(known.column(field)[0] for field in fields)], narrow)
        return [json.loads(row) for (row,) in self._sql.rows(f"{source.format('_row')}{rest}", [owner, *values])]

    def count(self, table: Table, scope: Scope, where: Sequence[Where] = ()) -> int:
        """Return how many rows meet all conditions."""
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        conditions, values = _conditions(known, where)
        if owner is None:
            return 0
        if not where:
            return self._size(known, owner)
        columns = ["_seq", *(known.column(field)[0] for field in {one.field for one in where})]
        source = self._source(known, owner, columns, narrow=True)
        return int(self._sql.rows(f"{source.format('count(*)')}{conditions}", [owner, *values])[0][0])

    def put(self, table: Table, scope: Scope, rows: Iterable[Row], vectors: RowVectors | None = None) -> None:
        """Insert the rows, or replace those of the same id in their place."""
        known = self._catalog.table(table)
        latest = {row_id(row, known.name): row for row in rows}
        if not latest:
            return
        owner = self._catalog.scope_for_writing(self._sql, scope)
        for some in chunks(latest, CHUNK):
            self._put(known, owner, {wanted: latest[wanted] for wanted in some}, vectors)

    def delete(self, table: Table, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the rows with these ids."""
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        if owner is None:
            return 0
        keys = {row_key(owner, wanted): wanted for wanted in ids}
        gone = self._remove(known, list(keys))
        index = self._changed(known, owner, -len(gone))
        if index is not None:
            for key, old in gone.items():
                index.remove(keys[key], old.tokens or "")
        return len(gone)

    def clear(self, table: Table, scope: Scope) -> int:
        """Delete every row of the scope."""
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        return 0 if owner is None else self._clear(known, owner)

    def owners(self) -> list[Scope]:
        """Return every scope that ever wrote to the file and was not purged since."""
        return list(self._catalog.scopes().values())

    def purge(self, scope: Scope) -> dict[str, int]:
        """Delete every row and document of the scope, and the scope itself."""
        owner = self._catalog.scope(scope)
        if owner is None:
            return {}
        deleted = {known.name: self._clear(known, owner) for known in self._catalog.tables()}
        deleted["documents"] = self._documents.purge(owner)
        self._catalog.forget_scope(self._sql, scope)
        return {name: number for name, number in deleted.items() if number}

    def match(self, table: Table, scope: Scope, words: Sequence[str], limit: int) -> list[Match]:
        """Return the rows that share most words with ``words``."""
        known, owner = self._searched(table), self._catalog.scope(scope)
        if limit < 0:
            raise StoreError(f"limit must not be negative, got {limit}")
        if owner is None or not words or not limit:
            return []
        return self._searching.index(known, owner).match(words, limit)

    def index(self, table: Table, scope: Scope, space: str = "") -> "TextIndex | None":
        """Return the scope's index, with the vectors of ``space``."""
        known, owner = self._searched(table), self._catalog.scope(scope)
        if owner is None:
            return None
        found = self._searching
        return found.with_vectors(known, owner, space) if space else found.index(known, owner)

    def set_vectors(self, table: Table, scope: Scope, vectors: RowVectors) -> int:
        """Give rows that are there their vectors."""
        known, owner = self._searched(table), self._catalog.scope(scope)
        if owner is None or not vectors.by_id:
            return 0
        keys = {row_key(owner, row_id): row_id for row_id in vectors.by_id}
        self.touched.add((known.name, owner))
        return self._searching.set_vectors(known, owner, vectors.space, keys, vectors.by_id)

    def outside_space(self, table: Table, scope: Scope, space: str, limit: int) -> list[Row]:
        """Return the first rows that have no vector in this space."""
        known, owner = self._searched(table), self._catalog.scope(scope)
        return [] if owner is None else self._searching.outside(known, owner, space, limit)

    def spaces(self, table: Table, scope: Scope) -> dict[str, int]:
        """Return how many rows have a vector in each space."""
        known, owner = self._searched(table), self._catalog.scope(scope)
        return {} if owner is None else self._searching.spaces(known, owner)

    def read(self, key: str, scope: Scope) -> Any:
        """Return the document's value, or None."""
        owner = self._catalog.scope(scope)
        if owner is None:
            return None
        return self._documents.read(row_key(owner, key), owner)

    def write(self, key: str, scope: Scope, value: Any) -> None:
        """Write the document's value; None removes it."""
        owner = self._catalog.scope(scope) if value is None else self._catalog.scope_for_writing(self._sql, scope)
        if owner is None:
            return
        self._documents.write(row_key(owner, key), owner, key, value)

    def flush(self) -> None:
        """Store what waits to be stored; called before the commit."""
        self._documents.flush()

    def committed(self) -> None:
        """Keep in memory what is in the file now; called after the commit."""
        self._documents.committed()

    def fill(self, known: Known) -> None:
        """Fill the columns that a wider definition added, from the rows themselves."""
        query = f"SELECT _key, _scope, _seq, _row FROM {known.sql} WHERE _seq > ? ORDER BY _seq LIMIT {CHUNK * 10}"
        last = -1
        while found := self._sql.rows(query, [last]):
            old = self._remove(known, [key for key, *_ in found])
            new = [_New(key, owner, old[key], json.loads(row)) for key, owner, _, row in found]
            _insert(self._sql, known, new)
            last = found[-1][2]

    def _source(self, known: Known, owner: int, columns: Sequence[str], narrow: bool) -> str:
        """Return the start of a query over the rows of a scope, up to the condition on it.

        The index on the scope is used only when nothing else is asked in the same place: a scope of few rows is
        therefore cut out first. A big one is better scanned with all conditions at once.
        """
        if not narrow or self._size(known, owner) > FEW:
            return f"SELECT {{}} FROM {known.sql} WHERE _scope = ?"
        taken = ", ".join(dict.fromkeys(columns))
        own = f"WITH own AS MATERIALIZED (SELECT {taken} FROM {known.sql} WHERE _scope = ?)"
        return f"{own} SELECT {{}} FROM own WHERE TRUE"

    def _size(self, known: Known, owner: int) -> int:
        if owner not in known.sizes:
            found = self._sql.rows(f"SELECT count(*) FROM {known.sql} WHERE _scope = ?", [owner])
            known.sizes[owner] = int(found[0][0])
        return known.sizes[owner]

    def _put(self, known: Known, owner: int, rows: dict[str, Row], vectors: RowVectors | None) -> None:
        keys = {row_key(owner, row_id): row for row_id, row in rows.items()}
        held = self._remove(known, self._held(known, owner, keys))
        given = dict(vectors.by_id) if vectors is not None else {}
        space = self._searching.space(vectors.space, make=True) if vectors is not None and given else None
        new: list[_New] = []
        for key, row in keys.items():
            old = held.get(key)
            place = known.next_place if old is None else old.place
            known.next_place = max(known.next_place, place + 1)
            tokens = tokens_of(known, row)
            kept = old if old is not None and old.tokens == tokens else _Search()
            own = given.get(row["id"])
            search = _Search(place, tokens, kept.space, kept.vector)
            if own is not None:
                search = _Search(place, tokens, space, half(own).tobytes())
            new.append(_New(key, owner, search, row))
        _insert(self._sql, known, new)
        self._reindex(known, owner, new, held)

    def _held(self, known: Known, owner: int, keys: Mapping[int, Row]) -> list[int]:
        """Return the keys that may be in the file: where the index is in memory, it knows without asking."""
        index = self._searching.known(known, owner)
        return [key for key, row in keys.items() if index is None or row["id"] in index]

    def _reindex(self, known: Known, owner: int, new: "list[_New]", held: "dict[int, _Search]") -> None:
        index = self._changed(known, owner, len(new) - len(held))
        if index is None:
            return
        for one in new:
            old = held.get(one.key)
            index.put(entry_of(known, one.row, one.search.place, one.search.tokens or ""), old.tokens if old else None)
            index.note_vector(one.row["id"], one.search.space, one.search.vector)

    def _remove(self, known: Known, keys: Sequence[int]) -> "dict[int, _Search]":
        """Delete rows and return by key their places and what they are searched by.

        A changed row is deleted and inserted, because updates in place make checkpoints slow.
        """
        found: dict[int, _Search] = {}
        for some in chunks(keys, CHUNK):
            query = (
                f"DELETE FROM {known.sql} WHERE _key IN ({marks(some)}) RETURNING _key, _seq, _terms, _space, _vector"
            )
            found |= {key: _Search(*rest) for key, *rest in self._sql.rows(query, some)}
        return found

    def _clear(self, known: Known, owner: int) -> int:
        self._searching.drop(known, owner)
        known.sizes.pop(owner, None)
        return self._sql.run(f"DELETE FROM {known.sql} WHERE _scope = ?", [owner])

    def _searched(self, table: Table) -> Known:
        known = self._catalog.table(table)
        if not known.text:
            raise StoreError(f"collection {known.name!r} is not searched: its definition names no text field")
        return known

    def _changed(self, known: Known, owner: int, rows: int) -> "TextIndex | None":
        """Note that the scope has so many rows more, and return its index if there is one to keep true."""
        if owner in known.sizes:
            known.sizes[owner] += rows
        self.touched.add((known.name, owner))
        return self._searching.known(known, owner)


class _Search(NamedTuple):
    """A row's place, and what it is searched by."""

    place: int = 0
    tokens: str | None = None
    space: int | None = None
    vector: bytes | None = None


class _New(NamedTuple):
    """A row about to be inserted."""

    key: int
    owner: int
    search: _Search
    row: Row


def _insert(sql: Sql, known: Known, new: Sequence[_New]) -> None:
    names, kinds, cells = _cells(known, [one.row for one in new])
    names = ["_key", "_scope", "_seq", *names, "_terms", "_space", "_vector"]
    kinds = ["HUGEINT", "BIGINT", "BIGINT", *kinds, "VARCHAR", "INTEGER", "BLOB"]
    fixed: list[list[Any]] = [[one.key for one in new], [one.owner for one in new], [one.search.place for one in new]]
    searched: list[list[Any]] = [[one.search.tokens for one in new], [one.search.space for one in new]]
    cells = [*fixed, *cells, *searched, [one.search.vector for one in new]]
    columns = ", ".join(names)
    if len(new) <= SINGLE:
        values = [value for row in zip(*cells, strict=True) for value in row]
        row = f"({', '.join('?' * len(names))})"
        sql.run(f"INSERT INTO {known.sql} ({columns}) VALUES {', '.join([row] * len(new))}", values)
        return
    unnested = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    sql.run(f"INSERT INTO {known.sql} ({columns}) SELECT {unnested}", cells)


def row_key(owner: int, name: str) -> int:
    """Return the 127-bit key under which a row or document is stored, one for each scope and id."""
    digest = blake2b(f"{owner}:{name}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest, "big") >> 1


def _cells(known: Known, rows: Sequence[Row]) -> tuple[list[str], list[str], list[list[Any]]]:
    """Return the names, the SQL types and the values of the id, the row and the declared columns."""
    names, kinds = ["id", "_row"], ["VARCHAR", "VARCHAR"]
    cells: list[list[Any]] = [[storable(row["id"]) for row in rows]]
    cells.append([to_json(row, f"row {row['id']!r} of {known.name!r}") for row in rows])
    for field, kind in known.columns.items():
        names.append(known.column(field)[0])
        kinds.append(SQL_TYPES[kind])
        cells.append([cell(kind, row.get(field), f"{known.name}.{field}") for row in rows])
    return names, kinds, cells


def _conditions(known: Known, where: Sequence[Where]) -> tuple[str, list[Any]]:
    made = [condition(*known.column(one.field), one) for one in where]
    return "".join(f" AND {text}" for text, _ in made), [value for _, values in made for value in values]


def _order(known: Known, order: str) -> str:
    if not order:
        return "_seq"
    column, _ = known.column(order.removeprefix("-"))
    return f"{column} {'DESC' if order.startswith('-') else 'ASC'} NULLS LAST, _seq"


def _window(limit: int | None, offset: int) -> str:
    for name, value in (("limit", limit), ("offset", offset)):
        if value is not None and value < 0:
            raise StoreError(f"{name} must not be negative, got {value}")
    return (f" LIMIT {int(limit)}" if limit is not None else "") + (f" OFFSET {int(offset)}" if offset else "")
