"""How rows are found by their texts: the indexes in memory, and how each is read from the file."""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fabric.embedding.base import same_model
from fabric.errors import StoreError
from fabric.lazy import lazy
from fabric.search.base import ColumnType
from fabric.slices import chunks
from fabric.store.base import Row
from fabric.text.passages import LONG
from fabric.text.words import words

from ..catalog import PACKED, StoredCollection
from ..columns import index_cell, original, originals, storable
from ..sql import Sql
from .packing import packed, unpacked
from .token_runs import LEAST, MOST, Part, Run, Runs, fitting, parts, stored_runs

if TYPE_CHECKING:
    import numpy as np
    from numpy import float16, float32
    from numpy.typing import NDArray

    from fabric.search import index as arrays
    from fabric.search.cells import Cells
    from fabric.search.index import Batch, Entry, TextIndex
else:
    arrays = lazy("fabric.search.index")
    np = lazy("numpy")

MAX_ROWS = 1_500_000
"""How many rows all indexes together may hold before the least recently used ones are dropped: about 1.2 kB each."""
BATCH = 20_000
"""How many rows of an index are read at once."""
KEPT_AT_ONCE = 200_000
"""Up to how many rows of a scope are kept whole with its index, from the second search on; of more, those read last.

Reading what a search finds costs more than the search; for one that stays alone, keeping all would cost more.
"""
SECOND = 2
WITHOUT_PASSAGES = f"_parts IS NULL AND strlen(_row) > {LONG}"
"""What is true in SQL of a row whose text nobody has looked for passages in, and which may be long."""
CHUNK = 1000


class Indexes:
    """The indexes in use, by collection and scope number, least recently used first."""

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows
        self._indexes: OrderedDict[tuple[str, int], TextIndex] = OrderedDict()
        self.spaces: dict[str, int] | None = None
        """The numbers of the spaces by name, once they were read."""
        self.runs: dict[tuple[str, int], list[Run]] | None = None
        """Where the runs of tokens are in the file, once that was read."""
        self.grown: set[tuple[str, int]] = set()
        """The collections and scopes to which many rows at once were added."""

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Yield the collection and the scope of each index."""
        return iter(list(self._indexes))

    def get(self, table: str, scope: int) -> "TextIndex | None":
        """Return the index if it is in memory."""
        index = self._indexes.get((table, scope))
        if index is not None:
            self._indexes.move_to_end((table, scope))
        return index

    def add(self, table: str, scope: int, index: "TextIndex") -> None:
        """Keep a newly built index and drop the least recently used ones over the bound."""
        self._indexes[table, scope] = index
        rows = sum(map(len, self._indexes.values()))
        while rows > self._max_rows and len(self._indexes) > 1:
            rows -= len(self._indexes.popitem(last=False)[1])

    def drop(self, table: str, scope: int) -> None:
        """Forget one index; the next look-up builds it again."""
        self._indexes.pop((table, scope), None)

    def drop_table(self, table: str) -> None:
        """Forget all indexes of a collection."""
        for name, scope in list(self._indexes):
            if name == table:
                del self._indexes[name, scope]


def tokens_of(collection: StoredCollection, row: Row) -> str | None:
    """Return the row's tokens as they are stored, separated by spaces; None where the collection is not searched."""
    if not collection.text:
        return None
    if collection.terms is not None:
        return " ".join(collection.terms(row))
    text = row.get(collection.text)
    return " ".join(words(text)) if isinstance(text, str) else ""


def entry_of(collection: StoredCollection, row: Row, place: int, tokens: str) -> "Entry":
    """Return the row as the index takes it."""
    kinds = collection.kinds
    return arrays.Entry(
        row["id"],
        place,
        tokens,
        tuple(index_cell(kinds[name], row.get(name), name) for name in collection.kept),
    )


class Searching:
    """Indexes and vectors of one transaction."""

    def __init__(self, sql: Sql, indexes: Indexes) -> None:
        self._sql = sql
        self._indexes = indexes

    def cached_index(self, collection: StoredCollection, owner: int) -> "TextIndex | None":
        """Return the index if it is in memory."""
        return self._indexes.get(collection.name, owner) if collection.text else None

    def drop(self, collection: StoredCollection, owner: int) -> None:
        """Forget the index, because all its rows are gone."""
        self._indexes.drop(collection.name, owner)

    def drop_table(self, table: str) -> None:
        """Forget all indexes of a collection, because it is searched in another way from now on."""
        self._indexes.drop_table(table)

    def index(self, collection: StoredCollection, owner: int) -> "TextIndex":
        """Return the index of a scope's rows; raise StoreError when the collection is not searched."""
        if not collection.text:
            raise StoreError(f"collection {collection.name!r} is not searched: its definition names no text field")
        index = self._indexes.get(collection.name, owner)
        if index is None or index.is_worn:
            columns: dict[str, ColumnType] = {name: collection.kinds[name] for name in collection.kept}
            index = arrays.TextIndex(columns, collection.thread, self._batches(collection, owner))
            self._indexes.add(collection.name, owner, index)
        return index

    def rows(self, collection: StoredCollection, owner: int, ids: Mapping[int, str]) -> dict[int, str]:
        """Return the JSON by key of those rows that are kept with the index; ``ids`` are the rows' ids by key."""
        index = self.cached_index(collection, owner)
        if index is None or not ids:
            return {}
        texts = {key: text for key, row_id in ids.items() if (text := index.row(row_id)) is not None}
        if len(texts) < len(ids):
            index.reads += 1
            if index.reads == SECOND and len(index) <= KEPT_AT_ONCE:
                names, rows = self._sql.arrays(f"SELECT id, _row FROM {collection.sql} WHERE _scope = ?", [owner])
                index.keep_rows(originals(names.tolist()), rows.tolist())
                return self.rows(collection, owner, ids)
        return texts

    def with_vectors(self, collection: StoredCollection, owner: int, space: str) -> "TextIndex":
        """Return the index with the vectors of that space, as far as the rows have any."""
        index, number = self.index(collection, owner), self.space(space)
        if index.space != (number or 0):
            index.begin_space(number or 0)
            if number and not collection.is_empty(owner):
                for ids, vectors, passages in self._stored_vectors(collection, owner, number):
                    index.set_vectors(number, ids, vector_rows(vectors))
                    index.set_passages(
                        number, ((row, stored) for row, stored in zip(ids, passages, strict=True) if stored)
                    )
        return index

    def set_vectors(
        self,
        collection: StoredCollection,
        owner: int,
        space: str,
        keys: Mapping[int, str],
        vectors: "Mapping[str, NDArray[float32]]",
    ) -> int:
        """Store the vectors of rows, of which ``keys`` tells the ids; return how many of the rows there were."""
        number = self.space(space, make=True) or 0
        written: dict[int, tuple[bytes, bytes]] = {}
        for some in chunks(keys, CHUNK):
            packed = {key: stored(vectors[keys[key]]) for key in some}
            query = (
                f"UPDATE {collection.sql} SET _space = ?, _vector = new.vector, _parts = new.parts FROM "
                "(SELECT unnest(?::HUGEINT[]) AS key, unnest(?::BLOB[]) AS vector, unnest(?::BLOB[]) AS parts) AS new "
                "WHERE _key = new.key RETURNING _key"
            )
            columns = [list(column) for column in zip(*packed.values(), strict=True)]
            written |= {key: packed[key] for (key,) in self._sql.rows(query, [number, some, *columns])}
        index = self.cached_index(collection, owner)
        if index is not None and written:
            ids = [keys[key] for key in written]
            index.set_vectors(number, ids, vector_rows([vector for vector, _ in written.values()]))
            index.set_passages(number, zip(ids, (passages for _, passages in written.values()), strict=True))
        return len(written)

    def spaces(self, collection: StoredCollection, owner: int) -> dict[str, int]:
        """Return how many of the scope's rows have a vector in each space; "" for those without one."""
        counts = self._sql.rows(
            f"SELECT coalesce(name, ''), count(*) FROM {collection.sql} LEFT JOIN _spaces ON _space = number "
            "WHERE _scope = ? GROUP BY ALL ORDER BY ALL",
            [owner],
        )
        return {original(name): int(count) for name, count in counts}

    def outside(self, collection: StoredCollection, owner: int, space: str, limit: int) -> list[Row]:
        """Return the first rows that have no vector in this space."""
        query = (
            f"SELECT _row FROM {collection.sql} WHERE _scope = ? AND (_space IS DISTINCT FROM ? OR {WITHOUT_PASSAGES}) "
            f"ORDER BY _seq LIMIT {limit:d}"
        )
        return [json.loads(row) for (row,) in self._sql.rows(query, [owner, self.space(space) or 0])]

    def without_passages(self, collection: StoredCollection, owner: int, space: str) -> int:
        """Return how many rows with a vector in this space may need others for the passages of their texts."""
        query = f"SELECT count(*) FROM {collection.sql} WHERE _scope = ? AND _space = ? AND {WITHOUT_PASSAGES}"
        return int(self._sql.rows(query, [owner, self.space(space) or 0])[0][0])

    def space(self, name: str, *, make: bool = False) -> int | None:
        """Return the number that stands for a space; None, or with ``make`` a new one, when it has none."""
        if self._indexes.spaces is None:
            stored = self._sql.rows("SELECT name, number FROM _spaces ORDER BY number")
            self._indexes.spaces = {original(space): int(number) for space, number in stored}
        numbers = self._indexes.spaces
        same = (number for space, number in numbers.items() if same_model(space, name))
        number = numbers.get(name) or next(same, None)
        if number is not None or not make:
            return number
        number = max(numbers.values(), default=0) + 1
        self._sql.run("INSERT INTO _spaces VALUES (?, ?)", [number, storable(name)])
        numbers[original(storable(name))] = number
        return number

    def _complete(self, collection: StoredCollection, owner: int) -> None:
        """Write the tokens of rows that have none: those of a file of an earlier form."""
        query = f"SELECT _key, _row FROM {collection.sql} WHERE _scope = ? AND _terms IS NULL LIMIT {CHUNK * 10}"
        while rows := self._sql.rows(query, [owner]):
            for some in chunks(rows, CHUNK):
                tokens = [tokens_of(collection, json.loads(row)) for _, row in some]
                self._sql.run(
                    f"UPDATE {collection.sql} SET _terms = new.terms FROM "
                    f"(SELECT unnest(?::HUGEINT[]) AS key, unnest(?::VARCHAR[]) AS terms) AS new WHERE _key = new.key",
                    [[key for key, _ in some], tokens],
                )

    @property
    def runs(self) -> Runs:
        """The runs of tokens that are kept beside the rows."""
        if self._indexes.runs is None:
            self._indexes.runs = stored_runs(self._sql)
        return Runs(self._sql, self._indexes.runs)

    def grown(self, collection: StoredCollection, owner: int) -> None:
        """Take note that many rows were added at once."""
        self._indexes.grown.add((collection.name, owner))

    def keep_runs(self, collection: StoredCollection, owner: int) -> None:
        """Keep the tokens of a scope as runs where many are not kept yet: it is big and searched, or grew by many."""
        count = self._sql.rows(f"SELECT count(*) FROM {collection.sql} WHERE _scope = ?", [owner])[0][0]
        left = count - sum(run.rows for run in self.runs.of(collection, owner))
        is_grown = (collection.name, owner) in self._indexes.grown
        if left < (LEAST if is_grown else MOST) or not (is_grown or count > BATCH):
            return
        for part in [part for part in self._parts(collection, owner) if not part.runs]:
            if part.end == 0:
                self.runs.clear(collection, owner)
            rows = self._columns(collection, owner, ["id", "_seq", "_terms"], part)
            self.runs.add(collection, owner, list(zip(rows[1].tolist(), rows[2].tolist(), strict=True)))

    def _batches(self, collection: StoredCollection, owner: int) -> "Iterator[Batch]":

        if collection.is_empty(owner):
            return
        self._complete(collection, owner)
        own = [name for name in collection.kept if name not in collection.packed]
        names = ["id", "_seq", *(_read(collection, name) for name in own)]
        divided = list(self._parts(collection, owner))
        stored = self.runs.read(collection, owner) if any(part.runs for part in divided) else {}
        for part in divided:
            tokens = list[str]()
            ids, places, *columns = self._columns(collection, owner, names if part.runs else [*names, "_terms"], part)
            coded = fitting(part.runs, stored, places) if part.runs else None
            if coded is None:
                texts = (
                    self._columns(collection, owner, ["id", "_seq", "_terms"], part)[-1] if part.runs else columns.pop()
                )
                tokens = texts.tolist()
            cells = {name: _cells(collection.columns[name], column) for name, column in zip(own, columns, strict=True)}
            cells |= self._packed(collection, owner, part)
            kept = [cells[name] for name in collection.kept]
            yield arrays.Batch(originals(ids.tolist()), places, tokens, kept, coded or ())

    def _packed(self, collection: StoredCollection, owner: int, part: Part) -> "dict[str, Cells]":
        """Return the packed cells of a part's rows; where others were packed, from the rows themselves."""
        if not collection.packed:
            return {}
        texts = self._columns(collection, owner, ["id", "_seq", PACKED], part)[-1].tolist()
        found = unpacked(collection.packed, texts)
        if found is not None:
            return found
        rows = self._columns(collection, owner, ["id", "_seq", "_row"], part)[-1].tolist()
        return unpacked(collection.packed, [packed(collection, json.loads(row)) for row in rows]) or {}

    def _columns(
        self, collection: StoredCollection, owner: int, names: Sequence[str], part: Part
    ) -> "list[NDArray[Any]]":
        """Return columns of a part's rows by ascending place; the second of them is the place."""
        read = ", ".join(f"{name} AS c{place}" for place, name in enumerate(names))
        some = " AND _seq >= ? AND _seq < ?" if part.end else ""
        values = [part.start, part.end] if part.end else []
        columns = self._sql.arrays(f"SELECT {read} FROM {collection.sql} WHERE _scope = ?{some}", [owner, *values])
        places = columns[1]
        if (places[1:] > places[:-1]).all():
            return columns
        order = np.argsort(places)  # the database takes several times as long to put rows in order
        return [column[order] for column in columns]

    def _stored_vectors(
        self, collection: StoredCollection, owner: int, number: int
    ) -> Iterator[tuple[list[str], list[bytes], list[bytes | None]]]:
        """Yield ids, vectors, and those of their passages."""
        for part in self._parts(collection, owner):
            some = " AND _seq >= ? AND _seq < ?" if part.end else ""
            values = [part.start, part.end] if part.end else []
            query = f"SELECT id, _vector, _parts FROM {collection.sql} WHERE _scope = ? AND _space = ?{some}"
            ids, vectors, passages = self._sql.arrays(query, [owner, number, *values])
            if len(ids):
                yield originals(ids.tolist()), vectors.tolist(), passages.tolist()

    def _parts(self, collection: StoredCollection, owner: int) -> Iterator[Part]:
        """Return the parts in which the scope's rows are read, of about `BATCH` rows; all places where they are few."""
        rows, first, last = collection.sizes.get(owner, BATCH + 1), 0, 0
        if rows > BATCH:
            query = f"SELECT count(*), min(_seq), max(_seq) FROM {collection.sql} WHERE _scope = ?"
            rows, first, last = self._sql.rows(query, [owner])[0]
        runs = self.runs.worth(collection, owner)
        whole = sum(run.rows for run in runs) == rows
        if rows <= BATCH:
            return iter([Part(0, 0, runs if whole else [])])
        step = -(-(last - first + 1) * BATCH // rows)
        return parts(runs, first, last + 1, step, BATCH, whole=whole)


def _cells(kind: ColumnType, column: "NDArray[Any]") -> Any:
    """Return what the database gave as the index takes it."""
    if kind == "text":
        return originals(column.tolist())
    return np.ma.filled(np.ma.asarray(column).astype(np.float64), np.nan)


def _read(collection: StoredCollection, name: str) -> str:
    column, kind = collection.column(name)
    return f"epoch({column})" if kind == "time" else column


def stored(vector: "NDArray[Any]") -> tuple[bytes, bytes]:
    """Return a vector as it is stored, and those of passages, which are the rows below it."""
    rows = np.asarray(vector, np.float16)
    return (rows.tobytes(), b"") if rows.ndim == 1 else (rows[0].tobytes(), rows[1:].tobytes())


def vector_rows(vectors: Sequence[bytes]) -> "NDArray[float16]":
    """Return stored vectors as rows."""
    return np.frombuffer(b"".join(vectors), np.float16).reshape(len(vectors), -1)
