"""Whether what rows are found by is what the rows say: keys, typed columns, terms and vectors, made anew and compared.

How often terms stand in how many rows, lengths and neighbours are counted from these whenever a file is opened; what
is checked here is all of an index that a file holds.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.errors import StoreError
from fabric.lazy import lazy
from fabric.store.base import Table
from fabric.store.finding import Finding, several

from ..catalog import PACKED, StoredCollection, indexes
from ..columns import cell, original
from ..rows.inserting import row_key
from ..rows.packing import is_current, packed
from ..rows.searching import tokens_of
from ..rows.token_runs import wrong_rows
from ..sql import Sql
from .scan import FileScan, parsed

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

AT_ONCE = 5_000
"""How many rows are checked at once."""
TOLERANCE = 0.02
"""How far the length of a stored vector may be from 1: it is rounded to 16 bits."""
MENDABLE = {
    "key": "not found by id",
    "column": "filed in other columns than they say",
    "terms": "found by other words than they say",
    "vector": "with a vector that cannot be used",
    "run": "found by other words than they have, as soon as they are many",
}
"""What making the index anew puts right, and how it is told."""
LOST = {"unreadable": "not readable at all", "double": "there twice", "orphan": "of nobody"}
"""What it does not."""


class Stored(NamedTuple):
    """A row as the file has it, and where it stands in it."""

    place: int
    key: int
    owner: int
    id: str
    text: str
    tokens: str | None
    space: int | None
    vector: bytes | None
    parts: bytes | None
    packed: str | None
    cells: tuple[Any, ...]


class Due(NamedTuple):
    """What a row says that the file should have of it; tokens and packed cells None where not known, or not asked."""

    key: int
    id: str
    tokens: str | None
    packed: str | None
    cells: tuple[Any, ...]


class Checked(NamedTuple):
    """A row, what it should be, None where it cannot be read, and what is wrong with it."""

    stored: Stored
    due: Due | None
    flaws: Collection[str]


@dataclass(slots=True)
class Tally:
    """What is wrong with the rows of one collection."""

    rows: int = 0
    missing: list[str] = field(default_factory=list[str])
    """The database's own indexes that it has not."""
    flaws: Counter[str] = field(default_factory=Counter[str])


class Rules:
    """What the rows of a file are compared with: its scopes, its vector spaces, and how collections are searched.

    Where a collection is not among ``tables``, nobody here knows its terms, and they are not compared.
    """

    def __init__(self, sql: Sql, scopes: Collection[int], tables: Sequence[Table]) -> None:
        self.scopes = scopes
        self.tables = {table.name: table for table in tables}
        self.dimensions = {
            int(number): _dimension(original(name)) for number, name in sql.rows("SELECT number, name FROM _spaces")
        }

    def knows(self, collection: StoredCollection) -> bool:
        """Return whether the terms of a collection are known; makes it searched as its definition says."""
        if collection.name in self.tables:
            collection.terms = self.tables[collection.name].terms
            collection.learn_packed(self.tables[collection.name])
        return collection.name in self.tables


def index_findings(
    scan: FileScan, tables: Sequence[Table], mend: str, moved: Callable[[int], object]
) -> Iterator[Finding]:
    """Compare every row of a file with what it is found by; ``mend`` is the command that makes that anew."""
    rules = Rules(scan.sql, scan.scopes.keys(), tables)
    rows, agree = 0, True
    for name, collection in scan.tables.items():
        tally = tally_of(scan.sql, collection, rules, moved)
        wrong, lost = _told(tally, MENDABLE), _told(tally, LOST)
        if tally.missing:
            wrong = f"{wrong or 'its rows are well'}, the database's own index is missing: {', '.join(tally.missing)}"
        if wrong:
            yield Finding("index", "problem", f"{name}: {wrong}", mend)
        if lost:
            advice = "restore the file from a backup, or go on without them: everything else works"
            yield Finding("rows", "problem", f"{name}: {lost}", advice)
        rows += tally.rows
        agree = agree and not wrong and not lost
    if agree:
        what = f"{several(rows, 'row')} in {several(len(scan.tables), 'collection')}"
        yield Finding("index", "ok", f"{what}: keys, columns, terms and vectors agree")


def _told(tally: Tally, words: Mapping[str, str]) -> str:
    return ", ".join(f"{text}: {several(count, 'row')}" for kind, text in words.items() if (count := tally.flaws[kind]))


def tally_of(
    sql: Sql, collection: StoredCollection, rules: Rules, moved: Callable[[int], object] = lambda _: None
) -> Tally:
    """Return how many rows of a collection there are, and what is wrong with how many."""
    tally = Tally()
    for some in checked(sql, collection, rules):
        for row in some:
            tally.flaws.update(row.flaws)
        tally.rows += len(some)
        moved(len(some))
    double = f"SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM {collection.sql} GROUP BY _scope, id)"
    tally.flaws["double"] += int(sql.rows(double)[0][0])
    if collection.text and not +tally.flaws:
        tally.flaws["run"] += wrong_rows(sql, collection)
    here = "SELECT index_name FROM duckdb_indexes() WHERE database_name = current_database() AND table_name = ?"
    there = {name for (name,) in sql.rows(here, [collection.name])}
    tally.missing = sorted(set(indexes(collection)) - there)
    return tally


def checked(sql: Sql, collection: StoredCollection, rules: Rules) -> Iterator[list[Checked]]:
    """Yield the rows of a collection with what is wrong with each, some at a time."""
    knows = rules.knows(collection)
    for some in _stored(sql, collection):
        vectors = bad_vectors(some, rules.dimensions)
        found: list[Checked] = []
        for place, row in enumerate(some):
            due = due_of(collection, row, knows)
            flaws = {"unreadable"} if due is None else _flaws(row, due)
            if row.owner not in rules.scopes:
                flaws.add("orphan")
            if place in vectors:
                flaws.add("vector")
            found.append(Checked(row, due, flaws))
        yield found


def due_of(collection: StoredCollection, stored: Stored, knows: bool) -> Due | None:
    """Return what a row says that the file should have of it; None when it cannot be read."""
    row = parsed(stored.text)
    if row is None:
        return None
    try:
        cells = tuple(cell(kind, row.get(name), name) for name, kind in collection.columns.items())
        tokens = tokens_of(collection, row) if knows and stored.tokens is not None else None
        is_known = bool(collection.packed) and is_current(collection, stored.packed or "")
        together = packed(collection, row) if is_known else None
    except (StoreError, KeyError, TypeError, ValueError):  # what a row must have to be searched is missing
        return None
    return Due(row_key(stored.owner, row["id"]), row["id"], tokens, together, cells)


def _flaws(stored: Stored, due: Due) -> set[str]:
    flaws: set[str] = set()
    if stored.key != due.key or original(stored.id) != due.id:
        flaws.add("key")
    if stored.cells != due.cells or (due.packed is not None and stored.packed != due.packed):
        flaws.add("column")
    if due.tokens is not None and stored.tokens != due.tokens:
        flaws.add("terms")
    return flaws


def bad_vectors(rows: Sequence[Stored], dimensions: Mapping[int, int]) -> set[int]:
    """Return the places of rows whose vector is of an unknown space, of another length than its space, or no vector.

    So it is with the vectors of passages, which are as long as that of their row.
    """
    bad = {place for place, row in enumerate(rows) if (row.space is None) != (row.vector is None)}
    bad |= {place for place, row in enumerate(rows) if row.parts and len(row.parts) % len(row.vector or row.parts * 2)}
    by_size: dict[int, dict[int, bytes]] = {}
    for place, row in enumerate(rows):
        if row.space is None or row.vector is None:
            continue
        dimension = dimensions.get(row.space, -1)
        if dimension < 0 or len(row.vector) % 2 or not row.vector or dimension not in (0, len(row.vector) // 2):
            bad.add(place)
        elif place not in bad:
            by_size.setdefault(len(row.vector), {})[place] = row.vector + (row.parts or b"")
    for size, stored in by_size.items():
        flat = np.frombuffer(b"".join(stored.values()), np.float16)
        lengths = np.linalg.norm(flat.reshape(-1, size // 2).astype(np.float32), axis=1)
        wrong = ~((np.abs(lengths - 1) <= TOLERANCE) | (lengths == 0))  # true for NaN too
        owners = np.repeat(list(stored), [len(vectors) // size for vectors in stored.values()])
        bad.update(owners[wrong].tolist())
    return bad


def _stored(sql: Sql, collection: StoredCollection) -> Iterator[list[Stored]]:
    names = ["rowid", "_key", "_scope", "id", "_row", "_terms", "_space", "_vector", "_parts"]
    names.append(PACKED if collection.packs else f"NULL AS {PACKED}")
    columns = ", ".join([*names, *(collection.column(name)[0] for name in collection.columns)])
    last = int(sql.rows(f"SELECT coalesce(max(rowid), -1) FROM {collection.sql}")[0][0])
    for start in range(0, last + 1, AT_ONCE):
        query = f"SELECT {columns} FROM {collection.sql} WHERE rowid >= ? AND rowid < ? ORDER BY rowid"
        found = sql.rows(query, [start, min(start + AT_ONCE, last + 1)])
        if found:
            yield [Stored._make((*row[: len(names)], row[len(names) :])) for row in found]


def _dimension(space: str) -> int:
    """Return how many numbers a vector of a space has, 0 where its name does not say.

    >>> _dimension("openai/some-model/384/00ff"), _dimension("mine")
    (384, 0)
    """
    size = space.rsplit("/", 2)[-2:-1]
    return int(size[0]) if size and size[0].isdecimal() else 0
