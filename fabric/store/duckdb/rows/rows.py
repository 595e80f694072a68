"""The verbs of one transaction, in SQL: every statement names the number of the scope that owns the rows."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fabric.errors import StoreError
from fabric.lazy import lazy
from fabric.scope import Scope
from fabric.search.base import Match
from fabric.slices import chunks
from fabric.store.base import Row, RowVectors, Table, Where

from ..catalog import Catalog, StoredCollection
from ..columns import condition, row_id
from ..sql import Sql, among
from .containing import containing
from .documents import Documents
from .inserting import row_key
from .packing import check, chosen
from .row_cache import RowCache, RowKey, Texts
from .searching import Indexes, Searching
from .token_runs import LEAST
from .writing import CHUNK, Writing, prepare

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from fabric.search.index import TextIndex

    from . import narrowing
else:
    narrowing = lazy(".narrowing", __package__)

PAGE = 2_000
"""How many rows of a scope are read at once where all are read."""
FEW = 2000
"""Up to how many rows a scope is cut out by the index; the database itself stops using an index at 2,048."""


class SqlRows:
    """`Rows` over one transaction; what it changes in memory is noted, so that a rollback can forget it."""

    def __init__(self, sql: Sql, catalog: Catalog, indexes: Indexes, row_cache: RowCache) -> None:
        self._sql = sql
        self._catalog = catalog
        self._texts = Texts(row_cache)
        self._after: list[Callable[[], object]] = []
        self._searching = Searching(sql, indexes)
        self._documents = Documents(sql, self._texts)
        self._writing = Writing(sql, self._searching, self._texts)

    @property
    def touched(self) -> set[tuple[str, int]]:
        """The collections and scopes that were written to."""
        return self._writing.touched

    def get(self, table: Table, scope: Scope, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in the order of ``ids``."""
        collection, owner = self._catalog.table(table), self._catalog.scope(scope)
        if owner is None:
            return []
        keys = {row_key(owner, wanted): wanted for wanted in ids}
        texts = {key: self._texts.get(RowKey(collection.name, key), owner) for key in keys}
        texts |= self._searching.rows(
            collection, owner, {key: keys[key] for key, text in texts.items() if text is None}
        )
        unread = {key: keys[key] for key, text in texts.items() if text is None}
        for some in chunks(self._writing.there(collection, owner, unread), CHUNK):
            keyed, values = among(some)
            query = f"SELECT _key, _row FROM {collection.sql} WHERE _key IN {keyed}"
            for key, text in self._sql.rows(query, values):
                texts[key] = text
                self._texts.found(RowKey(collection.name, key), owner, text)
        by_id = {wanted: text for key, wanted in keys.items() if (text := texts[key])}
        return [json.loads(by_id[wanted]) for wanted in ids if wanted in by_id]

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
        collection, owner = self._catalog.table(table), self._catalog.scope(scope)
        if _is_packed(collection, where, order):
            return [] if owner is None else self._found_by_index(table, scope, where, order, limit, offset)
        conditions, values = _conditions(collection, where)
        rest = f"{conditions} ORDER BY {_order(collection, order)}{_window(limit, offset)}"
        narrow = bool(where) or limit is not None
        if owner is None or collection.is_empty(owner):
            return []
        if narrow and (ids := self._narrowed(collection, owner, where, order, limit, offset)) is not None:
            return self.get(table, scope, ids)
        fields = {term.field for term in where} | {order.removeprefix("-")} - {""}
        source = self._source(
            collection, owner, ["_row", "_seq", *(collection.column(field)[0] for field in fields)], narrow
        )
        return [json.loads(row) for (row,) in self._sql.rows(f"{source.format('_row')}{rest}", [owner, *values])]

    def count(self, table: Table, scope: Scope, where: Sequence[Where] = ()) -> int:
        """Return how many rows meet all conditions."""
        collection, owner = self._catalog.table(table), self._catalog.scope(scope)
        if _is_packed(collection, where):
            return 0 if owner is None else self._counted_by_index(table, scope, where)
        conditions, values = _conditions(collection, where)
        if owner is None:
            return 0
        if not where:
            return self._size(collection, owner)
        met = self._meeting(collection, owner, where)
        if met is not None:
            return len(met)
        columns = ["_seq", *(collection.column(field)[0] for field in {term.field for term in where})]
        source = self._source(collection, owner, columns, narrow=True)
        return int(self._sql.rows(f"{source.format('count(*)')}{conditions}", [owner, *values])[0][0])

    def put(
        self, table: Table, scope: Scope, rows: Iterable[Row], vectors: RowVectors | None = None, *, new: bool = False
    ) -> None:
        """Insert the rows, or replace those of the same id in their place; ``new`` ones replace none."""
        collection = self._learned(table)
        latest = {row_id(row, collection.name): row for row in rows}
        if not latest:
            return
        prepared = [prepare(collection, [latest[wanted] for wanted in some], vectors) for some in chunks(latest, CHUNK)]
        owner = self._catalog.scope_for_writing(self._sql, scope)
        added = sum(self._writing.put(collection, owner, some, new=new) for some in prepared)
        if collection.text and added >= LEAST:
            self._searching.grown(collection, owner)

    def delete(self, table: Table, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the rows with these ids."""
        collection, owner = self._catalog.table(table), self._catalog.scope(scope)
        return 0 if owner is None else self._writing.delete(collection, owner, ids)

    def clear(self, table: Table, scope: Scope) -> int:
        """Delete every row of the scope."""
        collection, owner = self._catalog.table(table), self._catalog.scope(scope)
        return 0 if owner is None else self._writing.clear(collection, owner)

    def owners(self) -> list[Scope]:
        """Return every scope that ever wrote to the file and was not purged since."""
        return list(self._catalog.scopes().values())

    def purge(self, scope: Scope) -> dict[str, int]:
        """Delete every row and document of the scope, and the scope itself."""
        owner = self._catalog.scope(scope)
        if owner is None:
            return {}
        deleted = {collection.name: self._writing.clear(collection, owner) for collection in self._catalog.tables()}
        deleted["documents"] = self._documents.purge(owner)
        self._catalog.forget_scope(self._sql, scope)
        return {name: number for name, number in deleted.items() if number}

    def tables(self) -> list[str]:
        """Return the names of all tables, then that of the documents."""
        return [*(collection.name for collection in self._catalog.tables()), "documents"]

    def scan(self, scope: Scope, table: str) -> Iterator[Row]:
        """Yield the scope's rows of a table, or its documents, page by page."""
        owner = self._catalog.scope(scope)
        if owner is None:
            return
        if table == "documents":
            yield from self._documents.scan(owner)
            return
        collection = self._catalog.table(Table(table, {}))
        if self._size(collection, owner) == 0:
            return
        source = self._source(collection, owner, ["_seq", "_row"], narrow=True).format("_seq, _row")
        last, is_last = -1, False
        while not is_last:
            page = self._sql.rows(f"{source} AND _seq > ? ORDER BY _seq LIMIT {PAGE}", [owner, last])
            yield from (json.loads(text) for _, text in page)
            is_last = len(page) < PAGE
            last = page[-1][0] if page else last

    def containing(self, scopes: Sequence[Scope], table: str, texts: Sequence[str]) -> Iterator[tuple[Scope, Row]]:
        """Yield the rows of these scopes that hold one of the texts, with the scope of each."""
        owners = {owner: scope for scope in scopes if (owner := self._catalog.scope(scope)) is not None}
        if not owners or not texts:
            return
        if table == "documents":
            rows = self._documents.containing(list(owners), texts)
        else:
            collection = self._catalog.table(Table(table, {}))
            filled = [owner for owner in owners if not collection.is_empty(owner)]
            matching = containing(self._sql, collection.sql, "_row", filled, texts) if filled else []
            rows = [(owner, json.loads(text)) for owner, text in matching]
        yield from ((owners[owner], row) for owner, row in rows)

    def newest(self, table: Table, limit: int) -> list[Row]:
        """Return the rows of the last so many places; what was deleted leaves its place empty."""
        collection = self._catalog.table(table)
        if collection.next_place == 0:
            return []
        query = f"SELECT _row FROM {collection.sql} WHERE _seq >= ? ORDER BY _seq"
        return [json.loads(text) for (text,) in self._sql.rows(query, [collection.next_place - limit])]

    def match(self, table: Table, scope: Scope, words: Sequence[str], limit: int) -> list[Match]:
        """Return the rows that share most words with ``words``."""
        collection, owner = self._searched(table), self._catalog.scope(scope)
        if limit < 0:
            raise StoreError(f"limit must not be negative, got {limit}")
        if owner is None or not words or not limit:
            return []
        return self._searching.index(collection, owner).match(words, limit)

    def index(self, table: Table, scope: Scope, space: str = "") -> "TextIndex | None":
        """Return the scope's index, with the vectors of ``space``."""
        collection, owner = self._searched(table), self._catalog.scope(scope)
        if owner is None:
            return None
        self._learned(table)
        searching = self._searching
        return searching.with_vectors(collection, owner, space) if space else searching.index(collection, owner)

    def set_vectors(self, table: Table, scope: Scope, vectors: RowVectors) -> int:
        """Give rows that are there their vectors."""
        collection, owner = self._searched(table), self._catalog.scope(scope)
        if owner is None or not vectors.by_id:
            return 0
        keys = {row_key(owner, row_id): row_id for row_id in vectors.by_id}
        self._writing.touched.add((collection.name, owner))
        for key in keys:
            self._texts.searched_anew(RowKey(collection.name, key), owner)
        return self._searching.set_vectors(collection, owner, vectors.space, keys, vectors.by_id)

    def outside_space(self, table: Table, scope: Scope, space: str, limit: int) -> list[Row]:
        """Return the first rows that have no vector in this space."""
        collection, owner = self._searched(table), self._catalog.scope(scope)
        return [] if owner is None else self._searching.outside(collection, owner, space, limit)

    def without_passages(self, table: Table, scope: Scope, space: str) -> int:
        """Return how many rows with a vector in this space may need others for the passages of their texts."""
        collection, owner = self._searched(table), self._catalog.scope(scope)
        return 0 if owner is None else self._searching.without_passages(collection, owner, space)

    def spaces(self, table: Table, scope: Scope) -> dict[str, int]:
        """Return how many rows have a vector in each space."""
        collection, owner = self._searched(table), self._catalog.scope(scope)
        return {} if owner is None else self._searching.spaces(collection, owner)

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
        for call in self._after:
            call()

    def afterwards(self, call: Callable[[], object]) -> None:
        """Call a function once the transaction is committed and before the next begins; never if it is rolled back."""
        self._after.append(call)

    def fill(self, collection: StoredCollection) -> None:
        """Fill the columns that a wider definition added, from the rows themselves."""
        self._writing.fill(collection)

    def _source(self, collection: StoredCollection, owner: int, columns: Sequence[str], narrow: bool) -> str:
        """Return the start of a query over the rows of a scope, up to the condition on it.

        The index on the scope is used only when nothing else is asked in the same place: a scope of few rows is
        therefore cut out first. A big one is better scanned with all conditions at once.
        """
        if not narrow or self._size(collection, owner) > FEW:
            return f"SELECT {{}} FROM {collection.sql} WHERE _scope = ?"
        taken = ", ".join(dict.fromkeys(columns))
        own = f"WITH own AS MATERIALIZED (SELECT {taken} FROM {collection.sql} WHERE _scope = ?)"
        return f"{own} SELECT {{}} FROM own WHERE TRUE"

    def _size(self, collection: StoredCollection, owner: int) -> int:
        if collection.is_empty(owner):
            return 0
        if owner not in collection.sizes:
            ((size,),) = self._sql.rows(f"SELECT count(*) FROM {collection.sql} WHERE _scope = ?", [owner])
            collection.sizes[owner] = int(size)
        return collection.sizes[owner]

    def _narrowed(
        self,
        collection: StoredCollection,
        owner: int,
        where: Sequence[Where],
        order: str,
        limit: int | None,
        offset: int,
    ) -> list[str] | None:
        """Return the ids that `find` is to return, where the index can tell and they are few."""
        met = self._meeting(collection, owner, where)
        if met is None or (limit is None and len(met) > FEW) or (limit is not None and limit > FEW):
            return None

        index = self._searching.cached_index(collection, owner)
        return None if index is None else narrowing.ordered(index, collection, met, order, limit, offset)

    def _found_by_index(
        self, table: Table, scope: Scope, where: Sequence[Where], order: str, limit: int | None, offset: int
    ) -> list[Row]:
        """Return what `find` does where packed cells are asked for, which no statement sees."""
        _window(limit, offset)
        collection, index = self._catalog.table(table), self.index(table, scope)
        check(collection, where, order)
        if index is None:
            return []
        met = narrowing.meeting(index, collection, where)
        ids = None if met is None else narrowing.ordered(index, collection, met, order, limit, offset)
        if ids is not None:
            return self.get(table, scope, ids)
        found = chosen(collection, self.find(table, scope), where, order)
        return found[offset : None if limit is None else offset + limit]

    def _counted_by_index(self, table: Table, scope: Scope, where: Sequence[Where]) -> int:
        collection, index = self._catalog.table(table), self.index(table, scope)
        check(collection, where, "")
        if index is None:
            return 0
        met = narrowing.meeting(index, collection, where)
        return len(chosen(collection, self.find(table, scope), where, "") if met is None else met)

    def _meeting(self, collection: StoredCollection, owner: int, where: Sequence[Where]) -> "NDArray[int64] | None":
        index = self._searching.cached_index(collection, owner)
        if index is None and collection.text and self._size(collection, owner) <= FEW:
            index = self._searching.index(collection, owner)
        if index is None:
            return None

        return narrowing.meeting(index, collection, where)

    def _learned(self, table: Table) -> StoredCollection:
        """Return the collection; where nobody has declared it here, how it is searched is told now."""
        collection = self._catalog.table(table)
        if collection.terms is None and table.terms is not None and self._catalog.learn(table):
            self._searching.drop_table(table.name)
        return collection

    def _searched(self, table: Table) -> StoredCollection:
        collection = self._catalog.table(table)
        if not collection.text:
            raise StoreError(f"collection {collection.name!r} is not searched: its definition names no text field")
        return collection


def _is_packed(collection: StoredCollection, where: Sequence[Where], order: str = "") -> bool:
    packed = collection.packed
    return bool(packed) and (order.removeprefix("-") in packed or any(term.field in packed for term in where))


def _conditions(collection: StoredCollection, where: Sequence[Where]) -> tuple[str, list[Any]]:
    terms = [condition(*collection.column(term.field), term) for term in where]
    return "".join(f" AND {text}" for text, _ in terms), [value for _, values in terms for value in values]


def _order(collection: StoredCollection, order: str) -> str:
    if not order:
        return "_seq"
    column, _ = collection.column(order.removeprefix("-"))
    return f"{column} {'DESC' if order.startswith('-') else 'ASC'} NULLS LAST, _seq"


def _window(limit: int | None, offset: int) -> str:
    for name, value in (("limit", limit), ("offset", offset)):
        if value is not None and value < 0:
            raise StoreError(f"{name} must not be negative, got {value}")
    return (f" LIMIT {int(limit)}" if limit is not None else "") + (f" OFFSET {int(offset)}" if offset else "")
