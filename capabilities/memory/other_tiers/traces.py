"""Traces that a session sees, as recall looks for them and shows them."""

from collections.abc import Collection as Some
from collections.abc import Sequence

from capabilities.formulas import relevance
from capabilities.traces.record import Trace
from capabilities.traces.seen import visible
from capabilities.traces.tables import View, views
from fabric.flow.resource import Transaction

from ..recall.ranked import Outdated, Parts, RankedMemory
from .shelf import Shelf


def shelves(tx: Transaction, tables: Some[str], space: str) -> list[Shelf]:
    """Return the traces of each owner that the session sees."""
    found: list[Shelf] = []
    for view in views(tx.ids):
        index = tx.index(view.tables.traces, space) if view.tables.traces.key in tables else None
        if index and {"persona", "deleted"} <= index.columns.keys():
            found.append(Shelf(view.tables.traces.key, index, visible(index, view.personas)))
    return found


def read(tx: Transaction, key: str, ids: Sequence[str]) -> list[RankedMemory]:
    """Return those of some traces that the session may see now; one that a newer one contradicts says so."""
    view = next((view for view in views(tx.ids) if view.tables.traces.key == key), None)
    if view is None:
        return []
    found = _seen(tx, view, ids)
    newer = {
        rival.id: rival
        for rival in _seen(tx, view, [trace.contradicted_by[-1] for trace in found if trace.contradicted_by])
    }
    return [_shown(trace, newer) for trace in found]


def _seen(tx: Transaction, view: View, ids: Sequence[str]) -> list[Trace]:
    return list(filter(view.sees, tx.get_many(view.tables.traces, ids) if ids else []))


def _shown(trace: Trace, newer: dict[str, Trace]) -> RankedMemory:
    prior = relevance.semantic(trace.confidence, trace.retrieval_count)
    now = newer.get(trace.contradicted_by[-1]) if trace.contradicted_by else None
    source = trace.source
    return RankedMemory(
        id=trace.id,
        content=trace.content,
        relevance=prior,
        prior=prior,
        parts=Parts(prior=prior),
        source="trace",
        category=trace.type,
        sources=[source for source in trace.sources if source.turn_id],
        session=trace.session or (source.session if source is not None else ""),
        said_at=trace.said_at or trace.created_at,
        speaker=trace.speaker,
        tags=list(trace.tags),
        outdated=[] if now is None else [Outdated(was=trace.content, now=now.content, since=now.created_at)],
    )
