"""What comes to mind unasked while a prompt is assembled: an old trace, the more readily the more it was felt."""

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from capabilities.formulas.after_recall import drawn, unasked_weight
from capabilities.traces.consolidation.reflection import DAY, visible_positions
from capabilities.traces.record import Trace
from capabilities.traces.table import TraceTable
from capabilities.traces.tables import View, views

from ..config import CognitiveConfig
from .config import InvoluntaryRecall

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.search.base import SearchView

    Ints = NDArray[np.int64]


def come_unasked(table: TraceTable, shown: Collection[str], config: CognitiveConfig) -> Trace | None:
    """Return an old trace that comes to mind, by one draw; mostly None. ``shown`` are in the prompt already."""
    how = None if config.at_work is None else config.at_work.involuntary_recall
    if how is None or not how.enabled or (chance := table.clock.chance()) >= how.probability:
        return None
    found = [(view, index, _positions(table, view, index, shown, how)) for view, index in _shelves(table)]
    places = [(view, index, position) for view, index, positions in found for position in positions.tolist()]
    place = drawn([_weight(index, position) for _, index, position in places], chance / how.probability)
    if place is None:
        return None
    view, index, position = places[place]
    return table.tx.get(view.tables.traces, index.ids[position])


def _shelves(table: TraceTable) -> "list[tuple[View, SearchView]]":
    shelves = [(view, table.tx.index(view.tables.traces)) for view in views(table.tx.ids)]
    return [(view, index) for view, index in shelves if index is not None and len(index)]


def _positions(
    table: TraceTable, view: View, index: "SearchView", shown: Collection[str], how: InvoluntaryRecall
) -> "Ints":
    positions = visible_positions(index, view)
    old = table.clock.now().timestamp() - index.columns["created_at"].values[positions] >= how.min_age_days * DAY
    kept = positions[old & (index.columns["strength"].values[positions] >= how.min_strength)]
    hidden = [position for one in shown if (position := index.position_of(one)) >= 0]
    return kept[~np.isin(kept, hidden)]


def _weight(index: "SearchView", position: int) -> float:
    """Return how readily a trace comes: its intensity is the valence times the arousal."""
    return unasked_weight(1.0, float(index.columns["intensity"].values[position]))
