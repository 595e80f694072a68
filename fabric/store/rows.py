"""The verbs of one transaction, in SQL: every statement names the number of the scope that owns the rows."""
# ruff: noqa: S608  identifiers are checked, values are parameters

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import StoreError
from ..scope import Scope
from .base import Match, Row, RowVectors, Table, Where
from .catalog import MANY_KEYS, Catalog, Known
from .columns import condition, row_id, to_json
from .documents import Documents
from .inserting import New, Search, insert, row_key
from .kept import KeptTexts, Place, Texts
from .searching import Indexes, Searching, entry_of, half, tokens_of
from .sql import Sql, chunks, marks

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from .index import TextIndex

CHUNK = 1000
"""How many rows one statement handles at most."""
FEW = 2000
"""Up to how many rows a scope is cut out by the index; the database itself stops using an index at 2,048."""


class SqlRows:
    """`Rows` over one transaction; what it changes in memory is noted, so that a rollback can forget it."""

    def __init__(self, sql: Sql, catalog: Catalog, indexes: Indexes, kept: KeptTexts) -> None:
        self._sql = sql
        self._catalog = catalog
        self._texts = Texts(kept)
        self._searching = Searching(sql, indexes, self._texts)
        self._documents = Documents(sql, self._texts)
        self.touched: set[tuple[str, int]] = set()

    def get(self, table: Table, scope: Scope, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in the order of ``ids``."""
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        if owner is None:
            return []
        keys = {row_key(owner, wanted): wanted for wanted in ids}
        texts = {key: self._texts.get(Place(known.name, key), owner) for key in keys}
        unread = {key: keys[key] for key, text in texts.items() if text is None}
        for some in chunks(self._there(known, owner, unread), CHUNK):
            query = f"SELECT _key, _row FROM {known.sql} WHERE _key IN ({marks(some)})"
            for key, text in self._sql.rows(query, some):
                texts[key] = text
                self._texts.found(Place(known.name, key), owner, text)
        found = {wanted: text for key, wanted in keys.items() if (text := texts[key])}
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
        """Return the rows that meet all conditions, by insertion or by ``order``; those without a value come last."""
        known, owner = self._catalog.table(table), self._catalog.scope(scope)
        conditions, values = _conditions(known, where)
        rest = f"{conditions} ORDER BY {_order(known, order)}{_window(limit, offset)}"
        narrow = bool(where) or limit is not None
        if owner is None or known.sizes.get(owner) == 0:
            return []
        if narrow and (ids := self._narrowed(known, owner, where, order, limit, offset)) is not None:
            return self.get(table, scope, ids)
        fields = {one.field for one in where} | {order.removeprefix("-")} - {""}
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
        met = self._meeting(known, owner, where)
        if met is not None:
            return len(met)
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
        gone = self._remove(known, self._there(known, owner, keys))
        for key in keys:
            self._texts.change(Place(known.name, key), owner, "")
        index = self._changed(known, owner, gone, ())
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
        self._texts.committed()

    def fill(self, known: Known) -> None:
        """Fill the columns that a wider definition added, from the rows themselves."""
        query = f"SELECT _key, _scope, _seq, _row FROM {known.sql} WHERE _seq > ? ORDER BY _seq LIMIT {CHUNK * 10}"
        last = -1
        while found := self._sql.rows(query, [last]):
            old = self._remove(known, [key for key, *_ in found])
            new = [New(key, owner, old[key], json.loads(row), row) for key, owner, _, row in found]
            insert(self._sql, known, new)
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
        self._learn_keys(known, owner)
        held = self._remove(known, self._there(known, owner, {key: row["id"] for key, row in keys.items()}))
        given = dict(vectors.by_id) if vectors is not None else {}
        space = self._searching.space(vectors.space, make=True) if vectors is not None and given else None
        new: list[New] = []
        for key, row in keys.items():
            old = held.get(key)
            place = known.next_place if old is None else old.place
            known.next_place = max(known.next_place, place + 1)
            tokens = tokens_of(known, row)
            kept = old if old is not None and old.tokens == tokens else Search()
            own = given.get(row["id"])
            search = Search(place, tokens, kept.space, kept.vector)
            if own is not None:
                search = Search(place, tokens, space, half(own).tobytes())
            new.append(New(key, owner, search, row, to_json(row, f"row {row['id']!r} of {known.name!r}")))
        insert(self._sql, known, new)
        for one in new:
            self._texts.change(Place(known.name, one.key), owner, one.text)
        self._reindex(known, owner, new, held)

    def _there(self, known: Known, owner: int, ids: Mapping[int, str]) -> list[int]:
        """Return those of the keys that may be in the file: where it is known in memory, without asking."""
        index = self._searching.known(known, owner)
        if index is not None:
            return [key for key, row_id in ids.items() if row_id in index]
        keys = known.keys.get(owner)
        return list(ids) if keys is None else [key for key in ids if key in keys]

    def _learn_keys(self, known: Known, owner: int) -> None:
        """Know from now on which rows a scope of few has: a new one is then inserted without a look for an old one."""
        if owner in known.keys or self._searching.known(known, owner) is not None:
            return
        found = self._sql.rows(f"SELECT _key FROM {known.sql} WHERE _scope = ? LIMIT {MANY_KEYS + 1}", [owner])
        known.learn_keys(owner, [key for (key,) in found])

    def _narrowed(
        self, known: Known, owner: int, where: Sequence[Where], order: str, limit: int | None, offset: int
    ) -> list[str] | None:
        """Return the ids that `find` is to return, where the index can tell and they are few."""
        met = self._meeting(known, owner, where)
        if met is None or (limit is None and len(met) > FEW) or (limit is not None and limit > FEW):
            return None
        from .narrowing import ordered  # noqa: PLC0415  numpy

        index = self._searching.known(known, owner)
        return None if index is None else ordered(index, known, met, order, limit, offset)

    def _meeting(self, known: Known, owner: int, where: Sequence[Where]) -> "NDArray[int64] | None":
        index = self._searching.known(known, owner)
        if index is None and known.text and self._size(known, owner) <= FEW:
            index = self._searching.index(known, owner)
        if index is None:
            return None
        from .narrowing import meeting  # noqa: PLC0415  numpy

        return meeting(index, known, where)

    def _reindex(self, known: Known, owner: int, new: list[New], held: dict[int, Search]) -> None:
        index = self._changed(known, owner, held, [one.key for one in new])
        if index is None:
            return
        for one in new:
            old = held.get(one.key)
            index.put(entry_of(known, one.row, one.search.place, one.search.tokens or ""), old.tokens if old else None)
            index.note_vector(one.row["id"], one.search.space, one.search.vector)

    def _remove(self, known: Known, keys: Sequence[int]) -> dict[int, Search]:
        """Delete rows and return by key their places and what they are searched by.

        A changed row is deleted and inserted, because updates in place make checkpoints slow.
        """
        found: dict[int, Search] = {}
        for some in chunks(keys, CHUNK):
            query = (
                f"DELETE FROM {known.sql} WHERE _key IN ({marks(some)}) RETURNING _key, _seq, _terms, _space, _vector"
            )
            found |= {key: Search(*rest) for key, *rest in self._sql.rows(query, some)}
        return found

    def _clear(self, known: Known, owner: int) -> int:
        self._searching.drop(known, owner)
        self._texts.clear(known.name, owner)
        known.sizes.pop(owner, None)
        known.keys.pop(owner, None)
        return self._sql.run(f"DELETE FROM {known.sql} WHERE _scope = ?", [owner])

    def _searched(self, table: Table) -> Known:
        known = self._catalog.table(table)
        if not known.text:
            raise StoreError(f"collection {known.name!r} is not searched: its definition names no text field")
        return known

    def _changed(self, known: Known, owner: int, gone: Collection[int], new: Collection[int]) -> "TextIndex | None":
        """Note which rows the scope lost and got, and return its index if there is one to keep true."""
        known.changed(owner, gone, new)
        self.touched.add((known.name, owner))
        return self._searching.known(known, owner)


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
