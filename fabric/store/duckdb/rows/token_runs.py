"""Tokens of many rows as numbers, kept beside the rows: an index is made from them without splitting any text.

A run holds the tokens of all rows that a scope has from one place to another. It says nothing that the rows do not say:
whoever changes the tokens of one of them, or deletes it, drops the run with all its words in the same transaction, and
what no run holds is read from the rows.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fabric.lazy import lazy
from fabric.slices import chunks

from ..catalog import StoredCollection
from ..sql import Sql

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from fabric.search import coding
    from fabric.search.coding import Coded
else:
    coding = lazy("fabric.search.coding")

LEAST = 500
"""From how many rows on their tokens are kept as a run, when the file is closed."""
MOST = 2_000
"""How many rows a run has at most: what is lost with it when one of them changes is little."""
WORTH = 8
"""How many times as many rows all runs of a file may have as those of a scope: the database reads all to give some."""
_STORED = "SELECT first, tokens, sizes, numbers FROM _token_runs WHERE collection = ? AND _scope = ?"


class Run(NamedTuple):
    """Where a run begins and ends, and how many rows the scope has in between, both ends included."""

    first: int
    last: int
    rows: int


class Part(NamedTuple):
    """A part of a scope's rows, by place, from ``start`` up to ``end``, 0 for all; and the runs that hold their tokens.

    Without runs the tokens are read from the rows.
    """

    start: int
    end: int
    runs: list[Run]


def parts(runs: Sequence[Run], start: int, end: int, step: int, rows: int, *, whole: bool) -> Iterator[Part]:
    """Cut the places from ``start`` up to ``end`` into parts: runs together, up to about ``rows`` rows, and the rest.

    The rest is cut every ``step`` places; there is none when the runs are the ``whole``.

    >>> list(parts([Run(3, 6, 4), Run(7, 8, 2)], 0, 12, 2, 20, whole=False))[:2]
    [Part(start=0, end=2, runs=[]), Part(start=2, end=3, runs=[])]
    >>> list(parts([Run(3, 6, 4), Run(8, 9, 2)], 0, 12, 2, 20, whole=True))
    [Part(start=3, end=10, runs=[Run(first=3, last=6, rows=4), Run(first=8, last=9, rows=2)])]
    """
    together: list[Run] = []
    at = start
    for run in runs:
        gap = run.first > at and not whole
        if together and (gap or sum(earlier.rows for earlier in together) >= rows):
            yield Part(together[0].first, together[-1].last + 1, together)
            together = []
        if gap:
            yield from (Part(first, min(first + step, run.first), []) for first in range(at, run.first, step))
        together.append(run)
        at = run.last + 1
    if together:
        yield Part(together[0].first, together[-1].last + 1, together)
    if not whole:
        yield from (Part(first, min(first + step, end), []) for first in range(at, end, step))


class Runs:
    """The runs of a file in one transaction. ``runs`` is where they all are, by collection and scope, once read."""

    def __init__(self, sql: Sql, runs: "dict[tuple[str, int], list[Run]]") -> None:
        self._sql = sql
        self._runs = runs

    def of(self, collection: StoredCollection, owner: int) -> list[Run]:
        """Return the runs of a scope's rows in their order."""
        return sorted(self._runs.get((collection.name, owner), []))

    def worth(self, collection: StoredCollection, owner: int) -> list[Run]:
        """Return the same, or none where reading them takes longer than splitting what the rows have."""
        own, every = self.of(collection, owner), sum(run.rows for runs in self._runs.values() for run in runs)
        return own if sum(run.rows for run in own) * WORTH >= every else []

    def add(self, collection: StoredCollection, owner: int, rows: Sequence[tuple[int, str]]) -> None:
        """Keep the tokens of these rows, by ascending place, between which the scope has no others."""
        for some in chunks(rows, MOST):
            if len(some) < LEAST:
                return
            run = Run(some[0][0], some[-1][0], len(some))
            coded = coding.coded([tokens for _, tokens in some])
            cells = [coded.joined, coded.sizes.tobytes(), coded.numbers.tobytes()]
            self._sql.run(
                "INSERT INTO _token_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [collection.name, owner, *run, *cells]
            )
            self._runs.setdefault((collection.name, owner), []).append(run)

    def drop(self, collection: StoredCollection, owner: int, places: Collection[int]) -> None:
        """Drop the runs that hold rows of these places."""
        runs = self._runs.get((collection.name, owner), [])
        gone = [run for run in runs if any(run.first <= place <= run.last for place in places)] if runs else []
        for run in gone:
            query = "DELETE FROM _token_runs WHERE collection = ? AND _scope = ? AND first = ?"
            self._sql.run(query, [collection.name, owner, run.first])
            runs.remove(run)

    def clear(self, collection: StoredCollection, owner: int) -> None:
        """Drop all runs of a scope's rows."""
        if self._runs.pop((collection.name, owner), None):
            self._sql.run("DELETE FROM _token_runs WHERE collection = ? AND _scope = ?", [collection.name, owner])

    def read(self, collection: StoredCollection, owner: int) -> "dict[int, Coded]":
        """Return the tokens of the rows of each run of a scope, by where it begins; without those that are damaged."""
        stored = {first: coding.decoded(*rest) for first, *rest in self._sql.rows(_STORED, [collection.name, owner])}
        return {first: coded for first, coded in stored.items() if coded is not None}


def stored_runs(sql: Sql) -> dict[tuple[str, int], list[Run]]:
    """Return where the runs of a file are, by collection and scope."""
    runs: dict[tuple[str, int], list[Run]] = {}
    for name, owner, *run in sql.rows("SELECT collection, _scope, first, last, rows FROM _token_runs"):
        runs.setdefault((name, owner), []).append(Run(*run))
    return runs


def wrong_rows(sql: Sql, collection: StoredCollection) -> int:
    """Return how many rows of a collection are in runs that do not hold what these rows have."""
    wrong = 0
    for (name, owner), runs in stored_runs(sql).items():
        if name != collection.name:
            continue
        stored = {first: rest for first, *rest in sql.rows(_STORED, [name, owner])}
        for run in runs:
            rows = f"SELECT _terms FROM {collection.sql} WHERE _scope = ? AND _seq >= ? AND _seq <= ? ORDER BY _seq"
            due = coding.coded([tokens for (tokens,) in sql.rows(rows, [owner, run.first, run.last])])
            if stored[run.first] != [due.joined, due.sizes.tobytes(), due.numbers.tobytes()]:
                wrong += run.rows
    return wrong


def fitting(runs: Sequence[Run], stored: "Mapping[int, Coded]", places: "NDArray[int64]") -> "list[Coded] | None":
    """Return the tokens of the rows of these places, which the runs hold; None when there are other rows than in them.

    ``stored`` is what `Runs.read` returned.
    """
    coded = [stored[run.first] for run in runs if run.first in stored]
    if len(coded) != len(runs) or sum(run.rows for run in runs) != len(places):
        return None
    bounds = places.searchsorted([(run.first, run.last + 1) for run in runs])
    own = (bounds[:, 1] - bounds[:, 0]).tolist()
    fit = all(run.rows == rows == len(tokens.sizes) for run, rows, tokens in zip(runs, own, coded, strict=True))
    return coded if fit else None
