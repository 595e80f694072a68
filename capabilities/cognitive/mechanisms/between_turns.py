"""What a consolidation does to traces beside its five steps: gists, doubts about sources, and calmer feelings."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from capabilities.formulas.encoding import EmotionalContext
from capabilities.formulas.in_sleep import (
    GIST_STRENGTH,
    GIST_WORDS,
    fades_to_gist,
    gist,
    is_overwhelming,
    regulated,
    source_multiplier,
)
from capabilities.traces.archive import archive
from capabilities.traces.consolidation.reflection import DAY
from capabilities.traces.record import Trace, content_hash
from capabilities.traces.seen import look
from capabilities.traces.table import TraceTable, revised
from capabilities.traces.tables import View
from fabric.search.views import holds

from .config import EmotionRegulation, SourceConfidenceDecay, TemporalGist
from .metadata import metadata_of, noting
from .on_use import felt_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

MOST_GIST_WORDS = 50
"""What a model makes of a trace has fewer words than this, or it is no gist."""
LOOKED_AT = 5
"""How many times as many candidates are read as may be changed in one cycle."""
TRUSTED = ("user_statement", "tool_result")
"""Sources that nobody doubts: their traces are not looked at."""


def losing_details(table: TraceTable, view: View, how: TemporalGist) -> list[Trace]:
    """Return the traces of which only a gist will be left, the oldest first; what is short has no details to lose."""
    seen, now = look(table.tx, view), table.clock.now()
    if seen is None:
        return []
    made = seen.cells("created_at")
    fits = now.timestamp() - made >= how.age_days * DAY
    fits &= (seen.cells("retrieval_count") < how.min_retrievals) & (seen.cells("length") > GIST_WORDS)
    fits &= holds(seen.index, "type", ["episodic", "semantic"])[seen.positions]
    oldest = seen.positions[fits][np.argsort(made[fits], kind="stable")][: LOOKED_AT * how.max_per_cycle]
    return [trace for trace in seen.read(oldest) if _loses_details(trace, how, now)][: how.max_per_cycle]


def _loses_details(trace: Trace, how: TemporalGist, now: datetime) -> bool:
    if trace.deleted or metadata_of(trace).gisted_at is not None or len(trace.content.split()) <= GIST_WORDS:
        return False
    age = (now - trace.created_at).total_seconds() * 1000
    return fades_to_gist(age, trace.retrieval_count, trace.strength, days=how.age_days, least_uses=how.min_retrievals)


def gist_by_words(trace: Trace) -> str:
    """Return the first thirty words of what a trace says, and the name of its mood where it has one."""
    return gist(trace.content, trace.mood).removesuffix(" []")


def is_gist(told: str, trace: Trace) -> bool:
    """Return whether what a model says is a gist of a trace: some words, fewer than fifty, and fewer than it has."""
    return 0 < len(told.split()) < min(MOST_GIST_WORDS, len(trace.content.split()))


def make_gists(table: TraceTable, view: View, gists: Mapping[str, str], how: TemporalGist) -> list[Trace]:
    """Replace the texts of traces by their gists, and archive them before, word for word; return what was replaced.

    One that changed or was used meanwhile stays as it is.
    """
    now, tables = table.clock.now(), view.tables
    held = [trace for trace in table.tx.get_many(tables.traces, list(gists)) if _loses_details(trace, how, now)]
    archive(table.tx, tables.owner, held, "temporal_gist", now)
    changed = [_gisted(trace, gists[trace.id], now) for trace in held if gists[trace.id].strip()]
    table.tx.put(tables.traces, changed)
    return changed


def _gisted(trace: Trace, text: str, now: datetime) -> Trace:
    noted = metadata_of(trace).model_copy(update={"gisted_at": now, "original_hash": content_hash(trace.content)})
    update = {"strength": trace.strength * GIST_STRENGTH, "data": noting(trace, noted)}
    return revised(trace, text, None, now).model_copy(update=update)


def doubt(
    table: TraceTable, view: View, how: SourceConfidenceDecay, every: float, most: int, after: datetime | None = None
) -> tuple[list[Trace], datetime | None]:
    """Let traces lose stability for where they are from, each at most once in ``every`` seconds.

    So many are looked at, those made later than ``after``, from the beginning again once there are none. Returns what
    lost some, and when the last was made that was looked at.
    """
    seen, now = look(table.tx, view), table.clock.now()
    if seen is None:
        return [], None
    doubted = ~holds(seen.index, "source_type", TRUSTED)[seen.positions]
    traces = seen.read(_next(seen.positions[doubted], seen.cells("created_at")[doubted], most, after))
    changed: list[Trace] = []
    for trace in traces:
        noted, by = metadata_of(trace), source_multiplier(trace.source_type, trace.strength, how.multipliers)
        if by < 1 and (noted.doubted_at is None or (now - noted.doubted_at).total_seconds() >= every):
            data = noting(trace, noted.model_copy(update={"doubted_at": now}))
            changed.append(trace.model_copy(update={"stability": trace.stability * by, "data": data}))
    table.tx.put(view.tables.traces, changed)
    return changed, max((trace.created_at for trace in traces), default=None)


def _next(positions: "Ints", made: "NDArray[np.float64]", most: int, after: datetime | None) -> "Ints":
    """Return the positions that were made next, so many, and those that were made with the last of them."""
    order = np.argsort(made, kind="stable")
    positions, made = positions[order], made[order]
    begin = 0 if after is None else int(np.searchsorted(made, after.timestamp(), side="right"))
    begin = begin if begin < len(made) else 0
    end = min(begin + most, len(made))
    return positions[begin : int(np.searchsorted(made, float(made[end - 1]), side="right"))] if end else positions


def calm(table: TraceTable, view: View, how: EmotionRegulation) -> list[Trace]:
    """Reappraise what is felt overwhelmingly, and weaken what is so all the same; return what changed."""
    seen = look(table.tx, view)
    if seen is None:
        return []
    traces = seen.read(seen.positions[np.nan_to_num(seen.cells("intensity")) > how.valence * how.arousal])
    over = [trace for trace in traces if is_overwhelming(felt_in(trace), trace.strength, how.how)]
    after, _ = regulated([(felt_in(trace), trace.strength) for trace in over], how.how)
    changed = [
        _calmed(trace, felt, strength)
        for trace, (felt, strength) in zip(over, after, strict=True)
        if (felt, strength) != (felt_in(trace), trace.strength)
    ]
    table.tx.put(view.tables.traces, changed)
    return changed


def _calmed(trace: Trace, felt: EmotionalContext, strength: float) -> Trace:
    noted = metadata_of(trace)
    update = {
        "valence": felt.valence,
        "arousal": felt.arousal,
        "intensity": felt.intensity,
        "strength": strength,
        "data": noting(trace, noted.model_copy(update={"regulated": noted.regulated + 1})),
    }
    return trace.model_copy(update=update)
