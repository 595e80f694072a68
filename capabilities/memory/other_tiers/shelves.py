"""What of the file stands beside a memory's tiers, for one session. A file without it costs a look at its tables."""

from collections.abc import Collection as Some
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.lazy import lazy

from ..recall.ranked import OTHER_TIERS, RankedMemory, Tier
from .shelf import Shelf

if TYPE_CHECKING:
    from . import minds, notes, traces
else:
    minds = lazy(".minds", __package__)
    notes = lazy(".notes", __package__)
    traces = lazy(".traces", __package__)

TRACES, MINDS, NOTES = "traces_", "mind_", "cognitive_notes"
"""How the names of their collections begin, and that of the notes, which a file without traces does not have."""


def shelves(tx: Transaction, ctx: Context, tiers: Some[Tier], space: str) -> list[Shelf]:
    """Return the rows of other tiers than the memory's own that the session may see, with the vectors of a space."""
    is_asked = not OTHER_TIERS.isdisjoint(tiers)
    tables = [name for name in tx.rows.tables() if name.startswith((TRACES, MINDS))] if is_asked else []
    if not tables:
        return []
    found = traces.shelves(tx, tables, space) if "trace" in tiers else []
    found += minds.shelves(tx, ctx, tiers, tables, space)
    is_thinking = "note" in tiers and any(name.startswith(TRACES) for name in tables)
    return [*found, *(notes.shelves(tx) if is_thinking else ())]


def is_other_tier(key: str) -> bool:
    """Return whether this is the key of a collection of another tier than the memory's own.

    >>> is_other_tier("mind_goals"), is_other_tier("semantic")
    (True, False)
    """
    return key.startswith((TRACES, MINDS, NOTES))


def read(tx: Transaction, ctx: Context, key: str, ids: Sequence[str]) -> list[RankedMemory]:
    """Return those of some rows of a collection that the session may see now, as recall shows them."""
    if key.startswith(NOTES):
        return notes.read(tx, ids)
    return traces.read(tx, key, ids) if key.startswith(TRACES) else minds.read(tx, ctx, key, ids)


def everything(tx: Transaction, ctx: Context, tiers: Some[Tier]) -> list[RankedMemory]:
    """Return all of these tiers beside the memory's own that the session may see."""
    return [
        memory
        for shelf in shelves(tx, ctx, tiers, "")
        for memory in read(
            tx, ctx, shelf.key, [shelf.index.ids[position] for position in shelf.allowed.nonzero()[0].tolist()]
        )
    ]
