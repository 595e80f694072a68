"""What comes to mind unasked while a prompt is assembled: an old trace, the more readily the more it was felt."""

from collections.abc import Collection

import numpy as np

from capabilities.formulas.after_recall import drawn, unasked_weight
from capabilities.traces.consolidation.reflection import DAY
from capabilities.traces.record import Trace
from capabilities.traces.seen import Ints, Seen, look
from capabilities.traces.table import TraceTable
from capabilities.traces.tables import views

from ..config import CognitiveConfig
from .config import InvoluntaryRecall


def come_unasked(table: TraceTable, shown: Collection[str], config: CognitiveConfig) -> Trace | None:
    """Return an old trace that comes to mind, by one draw; mostly None. ``shown`` are in the prompt already."""
    how = config.at_work.involuntary_recall
    if not how.enabled or (chance := table.clock.chance()) >= how.probability:
        return None
    shelves = [seen for view in views(table.tx.ids) if (seen := look(table.tx, view)) is not None]
    places = [(seen, position) for seen in shelves for position in _positions(table, seen, shown, how).tolist()]
    place = drawn([_weight(seen, position) for seen, position in places], chance / how.probability)
    if place is None:
        return None
    seen, position = places[place]
    return next(iter(seen.read([position])), None)


def _positions(table: TraceTable, seen: Seen, shown: Collection[str], how: InvoluntaryRecall) -> Ints:
    old = table.clock.now().timestamp() - seen.cells("created_at") >= how.min_age_days * DAY
    kept = seen.positions[old & (seen.cells("strength") >= how.min_strength)]
    hidden = [position for trace_id in shown if (position := seen.index.position_of(trace_id)) >= 0]
    return kept[~np.isin(kept, hidden)]


def _weight(seen: Seen, position: int) -> float:
    """Return how readily a trace comes: its intensity is the valence times the arousal."""
    return unasked_weight(1.0, float(seen.index.columns["intensity"].values[position]))
