"""Re-embedding: giving rows the vectors of the model in use, in place, from the texts that are stored.

A row whose vector is of another model, or that has none, is outside the space of the model in use: it is found by its
words until its turn comes. Every batch is a transaction of its own, so that what was done is kept when the work is cut
off, and the next attempt goes on from there.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from ..embedding.base import Embedder, same_model
from ..embedding.stored_vectors import embed_stored
from ..errors import StoreError
from ..scope import Scope
from .base import Row, Rows, RowVectors, Table

T = TypeVar("T")
BATCH = 512
"""Rows per transaction, and texts per call of the embedder."""


class Transact(Protocol):
    """What runs work in a transaction: `Store.transact`, or a context's own."""

    def __call__(self, work: Callable[[Rows], T]) -> Awaitable[T]:
        """Run ``work`` in one transaction and return its result."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """Rows that have vectors of their texts: those of one collection and scope."""

    table: Table
    scope: Scope

    def text(self, row: Row) -> str:
        """Return the text of a row that is embedded."""
        return str(row[self.table.text])


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many rows there are, how many have a vector of the model in use, of other models by space, and none.

    ``without_passages`` are those that have one, but none for the passages of a text that may be long: not ``done``.
    """

    rows: int = 0
    done: int = 0
    others: tuple[tuple[str, int], ...] = ()
    missing: int = 0
    without_passages: int = 0

    @property
    def left(self) -> int:
        """How many rows are to be embedded."""
        return self.rows - self.done

    def __add__(self, other: "Coverage") -> "Coverage":
        names = dict.fromkeys(name for name, _ in self.others + other.others)
        counts = [(name, sum(n for space, n in self.others + other.others if space == name)) for name in names]
        return Coverage(
            self.rows + other.rows,
            self.done + other.done,
            tuple(counts),
            self.missing + other.missing,
            self.without_passages + other.without_passages,
        )


def coverage(counts: dict[str, int], space: str, without_passages: int = 0) -> Coverage:
    """Return the coverage that `Rows.spaces` and `Rows.without_passages` tell, for the space of the model in use or "".

    >>> coverage({"": 2, "old/3/7f": 5, "new/3/00": 3}, "new/3/00", 1)
    Coverage(rows=10, done=2, others=(('old/3/7f', 5),), missing=2, without_passages=1)
    """
    done = {name for name in counts if name and space and same_model(name, space)}
    others = tuple(sorted((name, count) for name, count in counts.items() if name and name not in done))
    return Coverage(
        sum(counts.values()),
        sum(counts[name] for name in done) - without_passages,
        others,
        counts.get("", 0),
        without_passages,
    )


async def renew(
    transact: Transact,
    rows: Embedded,
    embedder: Embedder,
    space: str,
    *,
    batch: int = BATCH,
    most: int | None = None,
    moved: Callable[[int], Any] = lambda _: None,
) -> int:
    """Embed the rows that are outside ``space``, the identity of ``embedder``, and return how many were.

    ``most`` limits how many rows are looked at; ``moved`` is told after each batch how many it was. A text that changed
    while it was embedded is embedded again. EmbedderError when the embedder fails: what was done until then is kept.
    """
    total = looked = 0
    stuck: Sequence[str] = ()
    while most is None or looked < most:
        size = batch if most is None else min(batch, most - looked)
        found = await _outside(transact, rows, space, size)
        if not found:
            break
        done = await _embed(transact, rows, embedder, space, found)
        ids = [row["id"] for row in found]
        if not done and ids == stuck:
            raise StoreError(f"{rows.table.name}: {len(ids)} rows, from {ids[0]!r} on, take no vector")
        stuck = () if done else ids
        total, looked = total + done, looked + len(found)
        moved(done)
    return total


async def _outside(transact: Transact, rows: Embedded, space: str, limit: int) -> list[Row]:
    return await transact(lambda tx: tx.outside_space(rows.table, rows.scope, space, limit))


async def _embed(transact: Transact, rows: Embedded, embedder: Embedder, space: str, found: list[Row]) -> int:
    texts = {str(row["id"]): rows.text(row) for row in found}
    vectors = dict(zip(texts, await embed_stored(embedder, list(texts.values())), strict=True))

    def write(tx: Rows) -> int:
        unchanged = [
            row["id"] for row in tx.get(rows.table, rows.scope, list(texts)) if rows.text(row) == texts[row["id"]]
        ]
        return tx.set_vectors(
            rows.table, rows.scope, RowVectors(space, {row_id: vectors[row_id] for row_id in unchanged})
        )

    return await transact(write)
