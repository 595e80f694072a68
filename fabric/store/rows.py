"""The verbs of one transaction, in SQL: every statement names the number of the scope that owns the rows."""

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

from ..errors import StoreError
from ..scope import Scope
from .base import Match, Row, Table, Where
from .catalog import Catalog, Known
from .columns import SQL_TYPES, cell, condition, original, row_id, storable, to_json
from .sql import Sql, chunks, marks
from .words import WordIndex, WordIndexes

CHUNK = 1000
"""How many rows one statement handles at most."""


class SqlRows:
    """`Rows` over one transaction; what it changes in memory is noted, so that a rollback can forget it."""

    def __init__(self, sql: Sql, catalog: Catalog, indexes: WordIndexes) -> None:
        self._sql = sql
        self._catalog = catalog
        self._indexes = indexes
        self.touched: set[tuple[str, int]] = set()

    def get(self, table: Table, scope: Scope, ids: Sequence[str]) -> list[Row]:
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        if owner is None:
            return []
        found: dict[str, str] = {}
        for some in chunks(dict.fromkeys(ids), CHUNK):
            found |= {row_id: row for row_id, _, row in self._held(known, owner, some, "_row")}
        return [json.loads(found[wanted]) for wanted in ids if wanted in found]

    def find(
        self,
        table: Table,
        scope: Scope,
        where: Sequence[Where] = (),
        order: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Row]:
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        conditions, values = _conditions(known, where)
        query = f"SELECT _row FROM {known.sql} WHERE _scope = ?{conditions} ORDER BY {_order(known, order)}"
        query += _window(limit, offset)
        if owner is None:
            return []
        return [json.loads(row) for (row,) in self._sql.rows(query, [owner, *values])]

    def count(self, table: Table, scope: Scope, where: Sequence[Where] = ()) -> int:
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        conditions, values = _conditions(known, where)
        if owner is None:
            return 0
        query = f"SELECT count(*) FROM {known.sql} WHERE _scope = ?{conditions}"
        return int(self._sql.rows(query, [owner, *values])[0][0])

    def put(self, table: Table, scope: Scope, rows: Iterable[Row]) -> None:
        known = self._catalog.table(table)
        latest = {row_id(row, known.name): row for row in rows}
        if not latest:
            return
        owner = self._catalog.scope_for_writing(self._sql, scope)
        for some in chunks(latest, CHUNK):
            self._put(known, owner, {wanted: latest[wanted] for wanted in some})

    def delete(self, table: Table, scope: Scope, ids: Sequence[str]) -> int:
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        if owner is None:
            return 0
        deleted = 0
        for some in chunks(dict.fromkeys(ids), CHUNK):
            held = self._held(known, owner, some, "rowid")
            deleted += self._remove(known, owner, held)
        return deleted

    def clear(self, table: Table, scope: Scope) -> int:
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        return 0 if owner is None else self._clear(known, owner)

    def purge(self, scope: Scope) -> dict[str, int]:
        owner = self._catalog.scope(scope)
        if owner is None:
            return {}
        deleted = {known.name: self._clear(known, owner) for known in self._catalog.tables()}
        deleted["documents"] = self._sql.run("DELETE FROM _documents WHERE _scope = ?", [owner])
        self._catalog.forget_scope(self._sql, scope)
        return {name: number for name, number in deleted.items() if number}

    def match(self, table: Table, scope: Scope, words: Sequence[str], limit: int) -> list[Match]:
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        if not known.text:
            raise StoreError(f"collection {known.name!r} is not searched: its definition names no text field")
        if limit < 0:
            raise StoreError(f"limit must not be negative, got {limit}")
        if owner is None or not words or not limit:
            return []
        return self._index(known, owner).match(words, limit)

    def read(self, key: str, scope: Scope) -> Any:
        owner = self._catalog.scope(scope)
        if owner is None:
            return None
        query = "SELECT value FROM _documents WHERE _key = ? AND _scope = ? AND name = ?"
        found = self._sql.rows(query, [row_key(owner, key), owner, storable(key)])
        return json.loads(found[0][0]) if found else None

    def write(self, key: str, scope: Scope, value: Any) -> None:
        owner = self._catalog.scope(scope) if value is None else self._catalog.scope_for_writing(self._sql, scope)
        if owner is None:
            return
        place = [row_key(owner, key), owner, storable(key)]
        if value is None:
            self._sql.run("DELETE FROM _documents WHERE _key = ? AND _scope = ? AND name = ?", place)
            return
        text = to_json(value, f"document {key!r}")
        update = "UPDATE _documents SET value = ? WHERE _key = ? AND _scope = ? AND name = ?"
        if not self._sql.run(update, [text, *place]):
            self._sql.run("INSERT INTO _documents VALUES (?, ?, ?, ?)", [*place, text])

    def fill(self, known: Known) -> None:
        """Fill the columns that a wider definition added, from the rows themselves."""
        found = self._sql.rows(f"SELECT rowid, _row FROM {known.sql}")
        for some in chunks(found, CHUNK):
            self._update(known, [place for place, _ in some], [json.loads(row) for _, row in some])

    def _held(self, known: Known, owner: int, ids: Sequence[str], column: str) -> list[tuple[str, int, Any]]:
        """Return id, place and one more column of the rows that are there."""
        keys = [row_key(owner, wanted) for wanted in ids]
        found = self._sql.rows(
            f"SELECT id, _scope, _seq, {column} FROM {known.sql} WHERE _key IN ({marks(keys)})", keys
        )
        wanted = set(ids)
        rows = [(original(row_id), scope, place, value) for row_id, scope, place, value in found]
        return [(row_id, place, value) for row_id, scope, place, value in rows if scope == owner and row_id in wanted]

    def _put(self, known: Known, owner: int, rows: dict[str, Row]) -> None:
        held = {row_id: (place, position) for row_id, place, position in self._held(known, owner, list(rows), "rowid")}
        replaced = [row_id for row_id in rows if row_id in held]
        new = [row_id for row_id in rows if row_id not in held]
        if replaced:
            self._update(known, [held[row_id][1] for row_id in replaced], [rows[row_id] for row_id in replaced])
        places = {row_id: known.next_place + offset for offset, row_id in enumerate(new)}
        known.next_place += len(new)
        if new:
            self._insert(known, owner, places, rows)
        places |= {row_id: held[row_id][0] for row_id in replaced}
        index = self._changed(known, owner)
        if index is not None:
            for row_id, row in rows.items():
                index.put(row_id, places[row_id], _text(known, row))

    def _insert(self, known: Known, owner: int, places: dict[str, int], rows: dict[str, Row]) -> None:
        names, casts, cells = _cells(known, [rows[row_id] for row_id in places])
        keys = [row_key(owner, row_id) for row_id in places]
        fixed = [keys, [owner] * len(keys), list(places.values()), [storable(row_id) for row_id in places]]
        columns = ", ".join(["_key", "_scope", "_seq", "id", *names])
        unnested = ", ".join(
            ["unnest(?::BIGINT[])"] * 3 + ["unnest(?::VARCHAR[])"] + [f"unnest({cast})" for cast in casts]
        )
        self._sql.run(f"INSERT INTO {known.sql} ({columns}) SELECT {unnested}", [*fixed, *cells])

    def _update(self, known: Known, positions: list[int], rows: list[Row]) -> None:
        names, casts, cells = _cells(known, rows)
        unnested = ", ".join(f"unnest({cast}) AS {name}" for name, cast in zip(names, casts, strict=True))
        assigned = ", ".join(f"{name} = new.{name}" for name in names)
        query = (
            f"UPDATE {known.sql} AS old SET {assigned} "
            f"FROM (SELECT unnest(?::BIGINT[]) AS _position, {unnested}) AS new WHERE old.rowid = new._position"
        )
        self._sql.run(query, [positions, *cells])

    def _remove(self, known: Known, owner: int, held: list[tuple[str, int, Any]]) -> int:
        if not held:
            return 0
        index = self._changed(known, owner)
        if index is not None:
            for row_id, _, _ in held:
                index.remove(row_id)
        positions = [position for _, _, position in held]
        return self._sql.run(f"DELETE FROM {known.sql} WHERE rowid IN ({marks(positions)})", positions)

    def _clear(self, known: Known, owner: int) -> int:
        self._indexes.drop(known.name, owner)
        return self._sql.run(f"DELETE FROM {known.sql} WHERE _scope = ?", [owner])

    def _index(self, known: Known, owner: int) -> WordIndex:
        index = self._indexes.get(known.name, owner)
        if index is None:
            self.touched.add((known.name, owner))
            found = self._sql.rows(f"SELECT _seq, _row FROM {known.sql} WHERE _scope = ? ORDER BY _seq", [owner])
            rows = ((place, json.loads(row)) for place, row in found)
            index = WordIndex((row["id"], place, _text(known, row)) for place, row in rows)
            self._indexes.add(known.name, owner, index)
        return index

    def _changed(self, known: Known, owner: int) -> WordIndex | None:
        self.touched.add((known.name, owner))
        return self._indexes.get(known.name, owner) if known.text else None


def row_key(owner: int, row_id: str) -> int:
    """Return the 64-bit key under which rows are indexed; rows that share one are told apart by scope and id."""
    digest = blake2b(f"{owner}:{row_id}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _cells(known: Known, rows: Sequence[Row]) -> tuple[list[str], list[str], list[list[Any]]]:
    """Return the names, the parameter casts and the values of `_row` and the declared columns."""
    names, casts = ["_row"], ["?::VARCHAR[]"]
    cells: list[list[Any]] = [[to_json(row, f"row {row['id']!r} of {known.name!r}") for row in rows]]
    for field, kind in known.columns.items():
        names.append(known.column(field)[0])
        casts.append(f"?::{SQL_TYPES[kind]}[]")
        cells.append([cell(kind, row.get(field), f"{known.name}.{field}") for row in rows])
    return names, casts, cells


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


def _text(known: Known, row: Row) -> str:
    value = row.get(known.text)
    return value if isinstance(value, str) else ""
