"""Traces written inside a transaction: encoded, used, ignored, faded and brought back."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.store.base import Where

from ..formulas.encoding import Mood
from ..formulas.retention import Retention, are_prunable, current_strengths, ignored, used
from ..sources import Source
from ..tag_lists import unite_tags
from ..traces.graph import co_activated, pair_ids
from ..traces.record import Trace
from ..traces.seen import Seen, look, same_trace
from ..traces.table import Held, TraceTable, deleted, said_again
from ..traces.tables import Owner, Place, View
from .config import CognitiveConfig
from .mechanisms.on_encode import beside_schemas
from .mechanisms.on_use import reconsolidate, suppress
from .results import Encoding, Swept
from .trace_reconciliation import reconcile_trace
from .wakefulness import CLOCKS, Elapsed, awaken, elapsed, retention_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

FADED, OUTDATED = "faded", "outdated: another trace that contradicts it won"
"""Why a trace is deleted that a sweep removed, and one that lost to another: both can be restored."""
MOST_FADED = 2_000
"""How many traces one sweep removes at most, the weakest first; the next one goes on."""
TOGETHER = 5
"""How many of the traces that were used for one cue are tied: the first."""


def store_encoded(table: TraceTable, place: Place, new: Trace, config: CognitiveConfig) -> Encoding:
    """Store a trace that was encoded among those of its place; what is said again is a use of what says it."""
    now = awaken(table.tx, place.tables.owner, config, table.clock.now())
    index = table.tx.index(place.tables.traces)
    known = same_trace(index, new)
    same = None if known is None else table.tx.get(place.tables.traces, known)
    if same is not None and _is_said_in(same, new.source):
        return Encoding(trace=same, is_new=False)
    if same is not None and same.contradicted_by:  # it is so again
        same = None
    reconciled = None if same is not None else reconcile_trace(table, place, new, now, config)
    if reconciled is not None and reconciled.same is None:
        trace = reconciled.trace.model_copy(update={"last_awake": now.awake})
        is_new, edges = index is None or index.position_of(trace.id) < 0, list(reconciled.edges)
        if config.at_work.schema_encoding.enabled:
            trace, schemas = beside_schemas(table, place, trace, config.at_work.schema_encoding)
            edges += schemas
        table.tx.put(place.tables.traces, [trace, *reconciled.changed])
        if edges:
            table.tx.put(place.tables.edges, edges, new=is_new)
        return Encoding(trace=trace, weakened=reconciled.weakened, contradicts=reconciled.contradicted)
    again = same or (reconciled.same if reconciled else None)
    assert again is not None  # noqa: S101  one of the two is the reason to be here
    if _is_said_in(again, new.source):
        return Encoding(trace=again, is_new=False)
    tags = unite_tags([*again.tags, *new.tags])
    repeated = after(said_again(again, new.sources), used, now).model_copy(
        update={"tags": tags, "verification_count": again.verification_count + 1}
    )
    table.keep_vectors(place.tables, [repeated])
    return Encoding(trace=repeated, is_new=False)


def _is_said_in(trace: Trace, source: Source | None) -> bool:
    """Return whether a trace is of this very turn already: a turn that is taken in twice was said once."""
    return source is not None and bool(source.turn_id) and source.turn_id in {kept.turn_id for kept in trace.sources}


def use_traces(
    table: TraceTable,
    ids: Iterable[str],
    config: CognitiveConfig,
    mood: Mood | None = None,
    rivals: Iterable[str] = (),
) -> list[Trace]:
    """Note that traces were used: each becomes stronger and fades more slowly, and the first are tied together.

    With the mechanisms at work their moods drift towards ``mood``, and ``rivals``, which the same cue brought up,
    fade faster.
    """
    changed = _change(table, ids, used, config, mood)
    how = config.at_work.retrieval_induced_forgetting
    if changed and how.enabled:
        suppress(table, [rival for rival in rivals if rival not in {held.trace.id for held in changed}], how)
    by_owner: dict[Owner, list[Held]] = {}
    for held in changed:
        by_owner.setdefault(held.view.tables.owner, []).append(held)
    for together in by_owner.values():
        tables = together[0].view.tables
        groups: dict[tuple[str, str], list[str]] = {}
        for held in together[:TOGETHER]:
            groups.setdefault((held.trace.scope, held.trace.persona), []).append(held.trace.id)
        known = table.tx.get_many(tables.edges, pair_ids(groups.values()))
        edges = co_activated(groups.values(), known, config.learning_rate)
        if edges:
            table.tx.put(tables.edges, edges)
    return [held.trace for held in changed]


def ignore_traces(table: TraceTable, ids: Iterable[str], config: CognitiveConfig) -> list[Trace]:
    """Mark traces as shown and not used, and return them: a tenth weaker, and of half the stability."""
    return [held.trace for held in _change(table, ids, ignored_now, config)]


def ignored_now(kept: Retention, since: float, _: float) -> Retention:
    """Return `ignored` for a trace of any intensity."""
    return ignored(kept, since)


def _change(
    table: TraceTable,
    ids: Iterable[str],
    rule: Callable[[Retention, float, float], Retention],
    config: CognitiveConfig,
    mood: Mood | None = None,
) -> list[Held]:
    found = [held for trace_id in dict.fromkeys(ids) if (held := table.live(trace_id)) is not None]
    presents: dict[Owner, Elapsed] = {}
    changed: list[Held] = []
    for held in found:
        owner = held.view.tables.owner
        if owner not in presents:
            presents[owner] = awaken(table.tx, owner, config, table.clock.now())
        trace = _drifted(after(held.trace, rule, presents[owner]), mood, config, presents[owner])
        changed.append(Held(held.view, trace))
    for owner in presents:
        mine = [held for held in changed if held.view.tables.owner == owner]
        table.tx.put(mine[0].view.tables.traces, [held.trace for held in mine])
    return changed


def _drifted(trace: Trace, mood: Mood | None, config: CognitiveConfig, now: Elapsed) -> Trace:
    how = config.at_work.reconsolidation
    return reconsolidate(trace, mood, how, now.now) if mood is not None and how.enabled else trace


def after(trace: Trace, rule: Callable[[Retention, float, float], Retention], now: Elapsed) -> Trace:
    """Return a trace after a formula of retention was applied to it at the present time."""
    kept = rule(retention_of(trace), now.since_use(trace), trace.intensity)
    interval = min(kept.interval / 1000, LONGEST)
    update: dict[str, Any] = {
        "strength": min(1.0, kept.strength),
        "stability": min(kept.stability / 1000, max(LONGEST, trace.stability)),
        "retrieval_count": kept.uses,
        "interval": interval,
        "due_at": _later(now.now, interval),
        "last_accessed": max(now.now, trace.last_accessed or now.now),
        "last_awake": now.awake,
    }
    return trace.model_copy(update=update)


LONGEST = 100 * 365 * 86_400.0
"""Seconds that anything lasts at most: what grows with every use leaves the calendar, and in the end the numbers."""


def _later(now: datetime, seconds: float) -> datetime:
    """Return so much later, or the calendar's last day."""
    try:
        return now + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=now.tzinfo)


def sweep_view(table: TraceTable, view: View, config: CognitiveConfig) -> Swept:
    """Remove what has faded from what a session sees of one owner, and erase what was removed long ago.

    A clock that jumped erases nothing: between two sweeps no more than a day counts.
    """
    tx, now = table.tx, table.clock.now()
    clock = tx.read(CLOCKS[view.tables.owner]).swept_at(now)
    tx.write(CLOCKS[view.tables.owner], clock)
    seen = look(tx, view)
    if seen is None:
        return Swept()
    positions, left = seen.positions, _strengths(seen, elapsed(tx, view.tables.owner, config, now))
    faded = np.flatnonzero(
        are_prunable(left, seen.cells("intensity"), config.prune_threshold, config.protected_intensity)
    )
    faded = faded[np.lexsort((positions[faded], left[faded]))][:MOST_FADED]
    traces = seen.read(positions[faded])
    gone = [deleted(trace, FADED, now).model_copy(update={"faded_on": clock.days}) for trace in traces]
    if gone:
        tx.put(view.tables.traces, gone)
    return Swept(
        looked_at=len(positions),
        faded=tuple(trace.id for trace in gone),
        erased=_erase(table, view, clock.days, config),
    )


def _strengths(seen: Seen, now: Elapsed) -> "NDArray[np.float64]":
    if now.counts_awake:
        since = now.awake - np.nan_to_num(seen.cells("last_awake"))
    else:
        since = now.now.timestamp() - seen.last_used()
    return current_strengths(seen.cells("strength"), since * 1000, seen.cells("stability") * 1000)


def _erase(table: TraceTable, view: View, days: float, config: CognitiveConfig) -> int:
    tables, long_ago = view.tables, days - config.restore_days
    if long_ago < 0:
        return 0
    old = table.tx.find(tables.traces, Where("deleted", "=", True), Where("faded_on", "<", long_ago))
    ids = [trace.id for trace in old if trace.persona in view.personas and trace.deleted_reason in (FADED, OUTDATED)]
    if ids:
        table.tx.delete(tables.edges, [edge.id for edge in table.edges_of(tables, ids)])
        notes = table.tx.find(tables.feedback, Where("trace_id", "in", ids))
        table.tx.delete(tables.feedback, [note.id for note in notes])
        table.tx.delete(tables.traces, ids)
    return len(ids)


def restore_traces(table: TraceTable, ids: Sequence[str], config: CognitiveConfig) -> list[Trace]:
    """Bring back traces that have faded, as if they had just been used; those it cannot bring back are left out.

    One that was said again since then is there already.
    """
    restored: list[Trace] = []
    for trace_id in dict.fromkeys(ids):
        held = table.find(trace_id)
        if held is None or not held.trace.deleted or held.trace.deleted_reason not in (FADED, OUTDATED):
            continue
        if same_trace(table.tx.index(held.view.tables.traces), held.trace) is not None:
            continue
        now = awaken(table.tx, held.view.tables.owner, config, table.clock.now())
        alive = held.trace.model_copy(
            update={"deleted": False, "deleted_at": None, "deleted_reason": "", "faded_on": None}
        )
        back = after(alive, used, now)
        table.tx.put(held.view.tables.traces, [back])
        restored.append(back)
    return restored
