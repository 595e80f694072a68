"""Goals, beliefs and reflections that a session sees, as recall looks for them and shows them."""

from collections.abc import Collection as Some
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from capabilities.formulas import relevance
from capabilities.formulas.mind_score import CONFIDENCE
from capabilities.mind.live_mind import Mind
from capabilities.mind.record import (
    ConfidenceLevel,
    GoalPriority,
    MindBelief,
    MindEntry,
    MindEntryType,
    MindGoal,
    sureness,
)
from capabilities.mind.store import mind_collections
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction
from fabric.scope import SCOPE_KINDS
from fabric.search.base import SearchView
from fabric.search.unstored import unstored
from fabric.text.terms import terms

from ..recall.ranked import Parts, RankedMemory, Tier
from .shelf import Shelf

_PRIORITIES: Mapping[GoalPriority, ConfidenceLevel] = {"low": "low", "normal": "medium", "high": "high"}
"""As how sure a goal of each priority counts."""


def shelves(tx: Transaction, ctx: Context, tiers: Some[Tier], tables: Some[str], space: str) -> list[Shelf]:
    """Return the entries of the asked kinds that the session sees, in minds of every scope that its ids open."""
    found: list[Shelf] = []
    for kind, collection in _collections(tx):
        if kind not in tiers or collection.key not in tables:
            continue
        index = tx.index(collection, space)
        if not index:
            continue
        view, entries = index.derived(_Views).view(tx, collection, index)
        sees = _Sight(ctx)
        allowed = np.fromiter((sees(entry) for entry in entries), np.bool_, len(entries))
        found.append(Shelf(collection.key, view, allowed))
    return found


def read(tx: Transaction, ctx: Context, key: str, ids: Sequence[str]) -> list[RankedMemory]:
    """Return those of some entries that the session may see now."""
    sees = _Sight(ctx)
    collection = next((collection for _, collection in _collections(tx) if collection.key == key), None)
    found: list[MindEntry] = [] if collection is None else tx.get_many(collection, ids)
    return [_shown(entry) for entry in found if sees(entry)]


def _collections(tx: Transaction) -> list[tuple[MindEntryType, Collection[Any]]]:
    found: list[tuple[MindEntryType, Collection[Any]]] = []
    for scope in SCOPE_KINDS:
        if tx.ids.has(scope):
            held = mind_collections(scope)
            found.append(("goal", held.goals))
            found.append(("belief", held.beliefs))
            found.append(("reflection", held.reflections))
    return found


class _Sight:
    """What a session sees of minds: what still counts, of its own agent's mind where it has an agent, else of all.

    A block that declares a mind sees that one, too, whatever it is called.
    """

    def __init__(self, ctx: Context) -> None:
        self._now: datetime = ctx.clock.now()
        declared = ctx.cap.declared().get("mind")
        live = None if declared is None else ctx.find_lifespan_value(declared.base)
        own = {live.namespace} if isinstance(live, Mind) else set[str]()
        self._namespaces = None if ctx.agent is None else own | {f"mind/{ctx.agent}"}

    def __call__(self, entry: MindEntry) -> bool:
        """Return whether an entry is seen: a goal that is pursued, what has not expired."""
        if self._namespaces is not None and entry.namespace not in self._namespaces:
            return False
        return entry.status == "active" if isinstance(entry, MindGoal) else not entry.is_expired(self._now)


@dataclass(slots=True)
class _Views:
    """The entries of a collection by the ranker's terms, made anew when one has changed: a mind is small.

    Its own index holds the words by which a mind compares entries.
    """

    changes: int = -1
    made: SearchView | None = None
    entries: list[MindEntry] = field(default_factory=list[MindEntry])

    def view(
        self, tx: Transaction, collection: Collection[Any], index: SearchView
    ) -> tuple[SearchView, Sequence[MindEntry]]:
        """Return the view and its entries by position; to be called inside a transaction."""
        if self.made is None or self.changes != index.changes:
            self.entries = cast("list[MindEntry]", tx.find(collection))
            ids = [entry.id for entry in self.entries]
            self.made = unstored(ids, [_terms(entry) for entry in self.entries], {}, _vectors(index, ids))
            self.changes = index.changes
        return self.made, self.entries


def _vectors(index: SearchView, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    vectors = index.vectors
    if vectors is None:
        return {}
    positions = {row_id: index.position_of(row_id) for row_id in ids}
    return {
        row_id: vectors.at(position)
        for row_id, position in positions.items()
        if 0 <= position < len(vectors) and vectors.present[position]
    }


def _terms(entry: MindEntry) -> str:
    more = [*entry.progress, entry.outcome or ""] if isinstance(entry, MindGoal) else []
    return " ".join(terms("\n".join([entry.text, *more]), " ".join(entry.tags)))


def _shown(entry: MindEntry) -> RankedMemory:
    sure = CONFIDENCE[_PRIORITIES[entry.priority]] if isinstance(entry, MindGoal) else sureness(entry)
    prior = relevance.semantic(sure, len(entry.earlier) if isinstance(entry, MindBelief) else 0)
    source = entry.source
    return RankedMemory(
        id=entry.id,
        content=entry.text,
        relevance=prior,
        prior=prior,
        parts=Parts(prior=prior),
        source=entry.type,
        sources=[source] if source is not None and source.turn_id else [],
        session=source.session if source is not None else "",
        said_at=source.said_at if source is not None else entry.created_at,
        tags=list(entry.tags),
    )
