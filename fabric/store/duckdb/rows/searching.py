"""How rows are found by their texts: the indexes in memory, and how each is read from the file."""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fabric.embedding.base import same_model
from fabric.errors import StoreError
from fabric.lazy import lazy
from fabric.search.base import ColumnType
from fabric.slices import chunks
from fabric.store.base import Row
from fabric.text.passages import LONG
from fabric.text.words import words

from ..catalog import Known
from ..columns import cell, original, originals, storable
from ..sql import Sql
from .token_runs import LEAST, MOST, Part, Run, Runs, fitting, known_runs, parts

if TYPE_CHECKING:
    import numpy as np
    from numpy import float16, float32
    from numpy.typing import NDArray

    from fabric.search import index as arrays
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


def tokens_of(known: Known, row: Row) -> str | None:
    """Return the row's tokens as they are stored, separated by spaces; None where the collection is not searched."""
    if not known.text:
        return None
    if known.terms is not None:
        return " ".join(known.terms(row))
    text = row.get(known.text)
    return " ".join(words(text)) if isinstance(text, str) else ""


def entry_of(known: Known, row: Row, place: int, tokens: str) -> "Entry":
    """Return the row as the index takes it."""
    return arrays.Entry(
        row["id"], place, tokens, tuple(_kept(known.columns[name], row.get(name), name) for name in known.kept)
    )


def _kept(kind: ColumnType, value: Any, name: str) -> Any:
    """Return a cell as the database gives it: a time in seconds."""
    made = cell(kind, value, name)
    if isinstance(made, datetime):
        return made.replace(tzinfo=UTC).timestamp()
    return value if kind == "text" else made


class Searching:
    """Indexes and vectors of one transaction."""

    def __init__(self, sql: Sql, indexes: Indexes) -> None:
        self._sql = sql
        self._indexes = indexes

    def known(self, known: Known, owner: int) -> "TextIndex | None":
        """Return the index if it is in memory."""
        return self._indexes.get(known.name, owner) if known.text else None

    def drop(self, known: Known, owner: int) -> None:
        """Forget the index, because all its rows are gone."""
        self._indexes.drop(known.name, owner)

    def drop_table(self, table: str) -> None:
        """Forget all indexes of a collection, because it is searched in another way from now on."""
        self._indexes.drop_table(table)

    def index(self, known: Known, owner: int) -> "TextIndex":
        """Return the index of a scope's rows; raise StoreError when the collection is not searched."""
        if not known.text:
            raise StoreError(f"collection {known.name!r} is not searched: its definition names no text field")
        index = self._indexes.get(known.name, owner)
        if index is None or index.is_worn:
            kept: dict[str, ColumnType] = {name: known.columns[name] for name in known.kept}
            index = arrays.TextIndex(kept, known.thread, self._batches(known, owner))
            self._indexes.add(known.name, owner, index)
        return index

    def rows(self, known: Known, owner: int, ids: Mapping[int, str]) -> dict[int, str]:
        """Return the JSON by key of those rows that are kept with the index; ``ids`` are the rows' ids by key."""
        index = self.known(known, owner)
        if index is None or not ids:
            return {}
        found = {key: text for key, row_id in ids.items() if (text := index.row(row_id)) is not None}
        if len(found) < len(ids):
            index.reads += 1
            if index.reads == SECOND and len(index) <= KEPT_AT_ONCE:
                names, rows = self._sql.arrays(f"SELECT id, _row FROM {known.sql} WHERE _scope = ?", [owner])
                index.keep_rows(originals(names.tolist()), rows.tolist())
                return self.rows(known, owner, ids)
        return found

    def with_vectors(self, known: Known, owner: int, space: str) -> "TextIndex":
        """Return the index with the vectors of that space, as far as the rows have any."""
        index, number = self.index(known, owner), self.space(space)
        if index.space != (number or 0):
            index.begin_space(number or 0)
            if number and not known.is_empty(owner):
                for ids, vectors in self._stored_vectors(known, owner, number):
                    index.set_vectors(number, ids, vectors)
                index.set_parts(number, self._stored_parts(known, owner, number))
        return index

    def set_vectors(
        self, known: Known, owner: int, space: str, keys: Mapping[int, str], vectors: "Mapping[str, NDArray[float32]]"
    ) -> int:
        """Store the vectors of rows, of which ``keys`` tells the ids; return how many of the rows there were."""
        number = self.space(space, make=True) or 0
        written: dict[int, tuple[bytes, bytes]] = {}
        for some in chunks(keys, CHUNK):
            given = {key: stored(vectors[keys[key]]) for key in some}
            query = (
                f"UPDATE {known.sql} SET _space = ?, _vector = new.vector, _parts = new.parts FROM "
                "(SELECT unnest(?::HUGEINT[]) AS key, unnest(?::BLOB[]) AS vector, unnest(?::BLOB[]) AS parts) AS new "
                "WHERE _key = new.key RETURNING _key"
            )
            columns = [list(column) for column in zip(*given.values(), strict=True)]
            written |= {key: given[key] for (key,) in self._sql.rows(query, [number, some, *columns])}
        index = self.known(known, owner)
        if index is not None and written:
            ids = [keys[key] for key in written]
            index.set_vectors(number, ids, unpacked([vector for vector, _ in written.values()]))
            index.set_parts(number, zip(ids, (of_parts for _, of_parts in written.values()), strict=True))
        return len(written)

    def spaces(self, known: Known, owner: int) -> dict[str, int]:
        """Return how many of the scope's rows have a vector in each space; "" for those without one."""
        found = self._sql.rows(
            f"SELECT coalesce(name, ''), count(*) FROM {known.sql} LEFT JOIN _spaces ON _space = number "
            "WHERE _scope = ? GROUP BY ALL ORDER BY ALL",
            [owner],
        )
        return {original(name): int(count) for name, count in found}

    def outside(self, known: Known, owner: int, space: str, limit: int) -> list[Row]:
        """Return the first rows that have no vector in this space."""
        query = (
            f"SELECT _row FROM {known.sql} WHERE _scope = ? AND (_space IS DISTINCT FROM ? OR {WITHOUT_PASSAGES}) "
            f"ORDER BY _seq LIMIT {limit:d}"
        )
        return [json.loads(row) for (row,) in self._sql.rows(query, [owner, self.space(space) or 0])]

    def without_passages(self, known: Known, owner: int, space: str) -> int:
        """Return how many rows with a vector in this space may need others for the passages of their texts."""
        query = f"SELECT count(*) FROM {known.sql} WHERE _scope = ? AND _space = ? AND {WITHOUT_PASSAGES}"
        return int(self._sql.rows(query, [owner, self.space(space) or 0])[0][0])

    def space(self, name: str, *, make: bool = False) -> int | None:
        """Return the number that stands for a space; None, or with ``make`` a new one, when it has none."""
        if self._indexes.spaces is None:
            stored = self._sql.rows("SELECT name, number FROM _spaces ORDER BY number")
            self._indexes.spaces = {original(known): int(number) for known, number in stored}
        known = self._indexes.spaces
        found = known.get(name) or next((number for one, number in known.items() if same_model(one, name)), None)
        if found is not None or not make:
            return found
        number = max(known.values(), default=0) + 1
        self._sql.run("INSERT INTO _spaces VALUES (?, ?)", [number, storable(name)])
        known[original(storable(name))] = number
        return number

    def _complete(self, known: Known, owner: int) -> None:
        """Write the tokens of rows that have none: those of a file of an earlier form."""
        query = f"SELECT _key, _row FROM {known.sql} WHERE _scope = ? AND _terms IS NULL LIMIT {CHUNK * 10}"
        while found := self._sql.rows(query, [owner]):
            for some in chunks(found, CHUNK):
                tokens = [tokens_of(known, json.loads(row)) for _, row in some]
                self._sql.run(
                    f"UPDATE {known.sql} SET _terms = new.terms FROM "
                    f"(SELECT unnest(?::HUGEINT[]) AS key, unnest(?::VARCHAR[]) AS terms) AS new WHERE _key = new.key",
                    [[key for key, _ in some], tokens],
                )

    @property
    def runs(self) -> Runs:
        """The runs of tokens that are kept beside the rows."""
        if self._indexes.runs is None:
            self._indexes.runs = known_runs(self._sql)
        return Runs(self._sql, self._indexes.runs)

    def grown(self, known: Known, owner: int) -> None:
        """Take note that many rows were added at once."""
        self._indexes.grown.add((known.name, owner))

    def keep_runs(self, known: Known, owner: int) -> None:
        """Keep the tokens of a scope as runs where many are not kept yet: it is big and searched, or grew by many."""
        count = self._sql.rows(f"SELECT count(*) FROM {known.sql} WHERE _scope = ?", [owner])[0][0]
        left = count - sum(run.rows for run in self.runs.of(known, owner))
        is_grown = (known.name, owner) in self._indexes.grown
        if left < (LEAST if is_grown else MOST) or not (is_grown or count > BATCH):
            return
        for part in [part for part in self._parts(known, owner) if not part.runs]:
            if part.end == 0:
                self.runs.clear(known, owner)
            rows = self._columns(known, owner, ["id", "_seq", "_terms"], part)
            self.runs.add(known, owner, list(zip(rows[1].tolist(), rows[2].tolist(), strict=True)))

    def _batches(self, known: Known, owner: int) -> "Iterator[Batch]":

        if known.is_empty(owner):
            return
        self._complete(known, owner)
        names = ["id", "_seq", *(_read(known, name) for name in known.kept)]
        divided = list(self._parts(known, owner))
        stored = self.runs.read(known, owner) if any(part.runs for part in divided) else {}
        for part in divided:
            tokens = list[str]()
            ids, places, *columns = self._columns(known, owner, names if part.runs else [*names, "_terms"], part)
            held = fitting(part.runs, stored, places) if part.runs else None
            if held is None:
                texts = self._columns(known, owner, ["id", "_seq", "_terms"], part)[-1] if part.runs else columns.pop()
                tokens = texts.tolist()
            cells = [_cells(known.columns[name], column) for name, column in zip(known.kept, columns, strict=True)]
            yield arrays.Batch(originals(ids.tolist()), places, tokens, cells, held or ())

    def _columns(self, known: Known, owner: int, names: Sequence[str], part: Part) -> "list[NDArray[Any]]":
        """Return columns of a part's rows by ascending place; the second of them is the place."""
        read = ", ".join(f"{name} AS c{place}" for place, name in enumerate(names))
        some = " AND _seq >= ? AND _seq < ?" if part.end else ""
        values = [part.start, part.end] if part.end else []
        found = self._sql.arrays(f"SELECT {read} FROM {known.sql} WHERE _scope = ?{some}", [owner, *values])
        if (found[1][1:] > found[1][:-1]).all():
            return found
        order = np.argsort(found[1])  # the database takes several times as long to put rows in order
        return [column[order] for column in found]

    def _stored_vectors(self, known: Known, owner: int, number: int) -> "Iterator[tuple[list[str], NDArray[Any]]]":
        for part in self._parts(known, owner):
            some = " AND _seq >= ? AND _seq < ?" if part.end else ""
            values = [part.start, part.end] if part.end else []
            query = f"SELECT id, _vector FROM {known.sql} WHERE _scope = ? AND _space = ?{some}"
            ids, vectors = self._sql.arrays(query, [owner, number, *values])
            if len(ids):
                yield originals(ids.tolist()), unpacked(vectors.tolist())

    def _stored_parts(self, known: Known, owner: int, number: int) -> "Iterator[tuple[str, bytes]]":
        query = f"SELECT id, _parts FROM {known.sql} WHERE _scope = ? AND _space = ? AND octet_length(_parts) > 0"
        for row_id, vectors in self._sql.rows(query, [owner, number]):
            yield original(row_id), vectors

    def _parts(self, known: Known, owner: int) -> Iterator[Part]:
        """Return the parts in which the scope's rows are read, of about `BATCH` rows; all places where they are few."""
        rows, first, last = known.sizes.get(owner, BATCH + 1), 0, 0
        if rows > BATCH:
            query = f"SELECT count(*), min(_seq), max(_seq) FROM {known.sql} WHERE _scope = ?"
            rows, first, last = self._sql.rows(query, [owner])[0]
        runs = self.runs.worth(known, owner)
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


def _read(known: Known, name: str) -> str:
    column, kind = known.column(name)
    return f"epoch({column})" if kind == "time" else column


def stored(vector: "NDArray[Any]") -> tuple[bytes, bytes]:
    """Return a vector as it is stored, and those of passages, which are the rows below it."""
    rows = np.asarray(vector, np.float16)
    return (rows.tobytes(), b"") if rows.ndim == 1 else (rows[0].tobytes(), rows[1:].tobytes())


def unpacked(vectors: Sequence[bytes]) -> "NDArray[float16]":
    """Return stored vectors as rows."""
    return np.frombuffer(b"".join(vectors), np.float16).reshape(len(vectors), -1)
