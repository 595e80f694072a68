"""The five steps of a consolidation over what a session sees of one owner, each inside a transaction of its own."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

import numpy as np

from capabilities.formulas.in_sleep import Version, following_pairs, resolved, sharing_pairs
from capabilities.formulas.personality import HIGH
from capabilities.formulas.retention import used
from capabilities.traces.graph import edge_between
from capabilities.traces.record import EdgeType, Trace
from capabilities.traces.seen import look
from capabilities.traces.table import TraceTable, deleted, uncontradicted
from capabilities.traces.tables import View
from capabilities.traces.words import entity_term
from fabric.search.views import holds, ids_at

from ..config import CognitiveConfig
from ..graph import WEIGHTS
from ..storing import OUTDATED, after, sweep_view
from ..wakefulness import CLOCKS, Elapsed, awaken
from .result import Change


def prune(table: TraceTable, view: View, config: CognitiveConfig) -> tuple[list[Change], int]:
    """Remove what has faded, restorably; what was felt intensely stays. Returns what went, and how many there were."""
    done = sweep_view(table, view, config)
    left = f"less than {config.prune_threshold:g} of its strength was left"
    return [Change(step="prune", trace_id=trace_id, reason=left) for trace_id in done.faded], done.looked_at


def replay(table: TraceTable, view: View, config: CognitiveConfig) -> int:
    """Tie the latest traces that share an entity or follow each other in time; return the number of new edges."""
    seen = look(table.tx, view)
    if seen is None:
        return 0
    since = (table.clock.now() - timedelta(hours=config.consolidation.recent_hours)).timestamp()
    traces = seen.read(seen.positions[seen.cells("created_at") > since][-config.consolidation.max_traces :])
    places: dict[tuple[str, str], list[Trace]] = {}
    for trace in traces:
        places.setdefault((trace.scope, trace.persona), []).append(trace)
    made = 0
    for some in places.values():
        made += _tie(table, view, _naming_the_same(some), "shared_entity")
        made += _tie(table, view, _following(some), "temporal_sequence")
    now = table.clock.now()
    new = [trace.model_copy(update={"consolidated_at": now}) for trace in traces if trace.consolidated_at is None]
    table.tx.put(view.tables.traces, new)
    return made


def _naming_the_same(traces: Sequence[Trace]) -> list[tuple[str, str]]:
    holders: dict[str, list[str]] = {}
    for trace in traces:
        for term in dict.fromkeys(map(entity_term, trace.entities)):
            holders.setdefault(term, []).append(trace.id)
    return sharing_pairs(holders)


def _following(traces: Sequence[Trace]) -> list[tuple[str, str]]:
    """Return the pairs that follow each other in one session."""
    talks: dict[str, dict[str, float]] = {}
    for trace in traces:
        talks.setdefault(trace.session, {})[trace.id] = trace.created_at.timestamp() * 1000
    return [pair for made in talks.values() for pair in following_pairs(made)]


def _tie(table: TraceTable, view: View, pairs: Iterable[tuple[str, str]], kind: EdgeType) -> int:
    edges = {edge.id: edge for one, other in pairs for edge in [edge_between(one, other, WEIGHTS[kind], kind)]}
    index = table.tx.index(view.tables.edges)
    new = [edge for edge in edges.values() if index is None or index.position_of(edge.id) < 0]
    table.tx.put(view.tables.edges, new)
    return len(new)


def resolve(table: TraceTable, view: View, config: CognitiveConfig) -> list[Change]:
    """Settle which of two traces that contradict each other stays, where the personality tells; return who had to go.

    What loses can be restored, as what has faded. What the loser contradicted counts again.
    """
    tx, tables, index = table.tx, view.tables, table.tx.index(view.tables.edges)
    if index is None or not len(index):
        return []
    positions = np.flatnonzero(index.alive & holds(index, "type", ["contradicts"]))
    edges = tx.get_many(tables.edges, ids_at(index, positions[: config.consolidation.max_traces]))
    ends = sorted({end for edge in edges for end in (edge.source, edge.target)})
    held = {trace.id: trace for trace in tx.get_many(tables.traces, ends) if view.sees(trace)}
    versions = [
        Version(trace.id, trace.created_at.timestamp() * 1000, trace.confidence)
        for trace in sorted(held.values(), key=lambda trace: (trace.created_at, trace.id))
    ]
    lost = resolved(versions, [(edge.source, edge.target) for edge in edges], config.traits.honesty)
    if not lost:
        return []
    now, days = table.clock.now(), tx.read(CLOCKS[tables.owner]).days
    gone = [deleted(held[loser], OUTDATED, now).model_copy(update={"faded_on": days}) for loser, _ in lost]
    losers = {loser for loser, _ in lost}
    again = [
        uncontradicted(trace, losers)
        for trace in held.values()
        if trace.id not in losers and not losers.isdisjoint(trace.contradicted_by)
    ]
    tx.put(tables.traces, gone)
    tx.put(tables.traces, again)
    why = "newer" if config.traits.honesty > HIGH else "surer"
    return [
        Change(step="conflict", trace_id=loser, reason=f"{winner} says otherwise, and is {why}")
        for loser, winner in lost
    ]


def reinforce(table: TraceTable, view: View, config: CognitiveConfig, most: int) -> list[Change]:
    """Rehearse the traces whose spaced repetition is due, at most ``most``, the longest overdue first.

    By the profile that is every one of them, or only what was of use since it was due last: then a use is repeated
    once, and what nobody uses fades.
    """
    seen, now = look(table.tx, view), table.clock.now()
    if seen is None:
        return []
    due = seen.cells("due_at")
    is_due = due <= now.timestamp()
    if config.profile.rehearses == "used":
        is_due &= seen.cells("retrieval_count") > 0
    mine = np.flatnonzero(is_due)
    traces = seen.read(seen.positions[mine[np.argsort(due[mine], kind="stable")]][:most])
    if not traces:
        return []
    present = awaken(table.tx, view.tables.owner, config, now)
    table.tx.put(view.tables.traces, [_repeated(trace, present, config) for trace in traces])
    return [
        Change(step="reinforce", trace_id=trace.id, reason=f"due since {trace.due_at:%Y-%m-%d %H:%M}")
        for trace in traces
    ]


def _repeated(trace: Trace, present: Elapsed, config: CognitiveConfig) -> Trace:
    """Return a trace after its repetition, which counts as a use, or else is the last until it is used again."""
    repeated = after(trace, used, present)
    if config.profile.rehearses == "due":
        return repeated
    return trace.model_copy(update={"stability": repeated.stability, "interval": repeated.interval, "due_at": None})
