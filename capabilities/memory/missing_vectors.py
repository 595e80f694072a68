"""Facts and episodes that were written by hand, without a vector: the first cue after that has them embedded."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction
from fabric.search.base import SearchView
from fabric.store.base import RowVectors

from .layout import MemoryLayout

FEW = 64
"""Up to how many rows of a tier are embedded before a search; more is left to re-embedding."""


@dataclass(frozen=True, slots=True)
class RowsWithoutVectors:
    """Rows of one collection that have no vector: their texts by their ids."""

    collection: Collection[Any]
    texts: dict[str, str]


def rows_without_vectors(tx: Transaction, layout: MemoryLayout, space: str) -> list[RowsWithoutVectors]:
    """Return the few facts and episodes that have no vector in this space; none where they are many."""
    found: list[RowsWithoutVectors] = []
    for collection in (layout.semantic, layout.episodic):
        index = None if collection is None or not space else tx.index(collection, space)
        if collection is None or index is None or not 0 < _lacking(index) <= FEW:
            continue
        rows = tx.rows.outside_space(collection.table, tx.ids.scope(collection.scope), space, FEW)
        if rows:
            found.append(RowsWithoutVectors(collection, {row["id"]: row[collection.text] for row in rows}))
    return found


async def embed_missing(ctx: Context, layout: MemoryLayout, late: list[RowsWithoutVectors]) -> None:
    """Give the rows their vectors, in one call of the embedder; when it fails they are left as they are."""
    texts = [text for group in late for text in group.texts.values()]
    embedded = await layout.meaning.embed_stored(texts)
    if embedded.vectors is None:
        return
    by_text = dict(zip(texts, embedded.vectors, strict=True))

    def work(tx: Transaction) -> None:
        for group in late:
            table, scope = group.collection.table, tx.ids.scope(group.collection.scope)
            rows = tx.rows.get(table, scope, list(group.texts))
            same = {row["id"]: by_text[row[table.text]] for row in rows if row[table.text] == group.texts[row["id"]]}
            tx.set_vectors(group.collection, RowVectors(embedded.space, same))

    await ctx.transact(work)


def _lacking(index: SearchView) -> int:
    alive = index.alive
    if index.vectors is None:
        return int(np.count_nonzero(alive))
    present = index.vectors.present
    return int(np.count_nonzero(alive[: len(present)] & ~present)) + int(np.count_nonzero(alive[len(present) :]))
