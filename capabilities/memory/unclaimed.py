"""Facts and episodes of files that were written before there were claims: a recall gives a few of them theirs."""

from typing import Any, TypeVar

import numpy as np

from fabric.flow.resource import Collection, Transaction
from fabric.search.views import ids_at

from ..claims import claim_of, fields, slot, subject_key
from ..episodic import Episode
from ..semantic import Fact
from .layout import MemoryLayout

M = TypeVar("M", Fact, Episode)
FEW = 64
"""How many rows of a tier get their claims at a time; the others are found by their words until then."""


def claim_old_rows(tx: Transaction, layout: MemoryLayout) -> int:
    """Give the first facts and episodes without a claim theirs, and return how many there were."""
    found = 0
    if layout.semantic is not None:
        found += _claim(tx, layout.semantic, "attribute")
    if layout.episodic is not None:
        found += _claim(tx, layout.episodic, "slot")
    return found


def _claim(tx: Transaction, collection: Collection[M], column: str) -> int:
    index = tx.index(collection)
    cells = None if index is None else index.columns.get(column)
    if not index or cells is None:
        return 0
    lacking = np.flatnonzero(index.alive & (cells.values < 0))[:FEW]
    rows = tx.get_many(collection, ids_at(index, lacking)) if len(lacking) else []
    tx.put(collection, [_claimed(row) for row in rows])
    return len(rows)


def _claimed(row: Any) -> Any:
    claim, subject = claim_of(row), subject_key(row.subject)
    return row.model_copy(update={**fields(claim, subject), "slot": slot(claim, subject)})
