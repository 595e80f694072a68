"""What of the traces in memory is live and may be seen: by the index alone, without reading a row."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabric.flow.resource import Transaction
from fabric.search.base import SearchView
from fabric.search.views import holds, ids_at

from .record import Trace
from .tables import Tables, View

if TYPE_CHECKING:
    from .record import TraceScope, TraceType

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Seen:
    """The live traces of one owner that a session sees: their positions, in the order in which they were added."""

    tx: Transaction
    tables: Tables
    index: SearchView
    positions: Ints

    def cells(self, name: str) -> NDArray[Any]:
        """Return what a column has at these positions."""
        return self.index.columns[name].values[self.positions]

    def last_used(self) -> NDArray[np.float64]:
        """Return when each was used last, or made, in seconds since 1970."""
        last = self.cells("last_accessed")
        return np.where(np.isnan(last), self.cells("created_at"), last)

    def read(self, positions: Ints | Sequence[int]) -> list[Trace]:
        """Return the traces at some positions."""
        return self.tx.get_many(self.tables.traces, ids_at(self.index, np.asarray(positions, np.int64)))


def look(tx: Transaction, view: View, space: str = "") -> Seen | None:
    """Return what a session sees of one owner, with the vectors of a space; None where the owner has no traces."""
    index = tx.index(view.tables.traces, space)
    if index is None or not len(index):
        return None
    positions = np.flatnonzero(visible(index, view.personas))
    return Seen(tx, view.tables, index, positions[np.argsort(index.places[positions], kind="stable")])


def visible(
    index: SearchView,
    personas: Collection[str],
    types: "Collection[TraceType]" = (),
    scopes: "Collection[TraceScope]" = (),
) -> Mask:
    """Return by position which live traces are of some personas; of some types and scopes, where any are given."""
    seen = index.alive & (index.columns["deleted"].values == 0) & holds(index, "persona", personas)
    for name, wanted in (("type", types), ("scope", scopes)):
        if wanted:
            seen &= holds(index, name, wanted)
    return np.asarray(seen, np.bool_)


def same_trace(index: SearchView | None, trace: Trace) -> str | None:
    """Return the id of the live trace with the same content, type and persona; None when there is none."""
    if index is None or trace.content_hash not in index.columns["content_hash"].names:
        return None
    same = holds(index, "content_hash", [trace.content_hash]) & visible(index, [trace.persona], [trace.type])
    positions = same.nonzero()[0]
    return index.ids[int(positions[0])] if len(positions) else None
