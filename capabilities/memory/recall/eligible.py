"""Which rows a search looks at: the indexes of the tiers it was asked for, and in each the rows that may be found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from capabilities.claims import claim_of, slot, subject_key
from capabilities.retrieval.candidates import CandidateGroup, Candidates, make_candidates
from capabilities.sources import content_terms
from capabilities.working import WorkingEntry
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction
from fabric.search.base import SearchView
from fabric.search.unstored import unstored
from fabric.search.views import holds

from ..layout import MemoryLayout
from ..other_tiers.shelf import Shelf
from ..other_tiers.shelves import is_other_tier, shelves
from ..tags import tagged
from .prior import facts_at
from .ranked import OTHER_TIERS, Tier
from .request import RecallRequest

if TYPE_CHECKING:
    from capabilities.retrieval.question import Question

Mask = NDArray[np.bool_]


def candidates_of(
    tx: Transaction,
    ctx: Context,
    layout: MemoryLayout,
    request: RecallRequest,
    question: "Question",
    space: str,
    entries: Sequence[WorkingEntry],
) -> Candidates:
    """Return the rows of the tiers that the request wants; only facts when it asks for another time."""
    parts = [
        (tier, index, _allowed(tx, ctx, layout, request, tier, index))
        for tier in request.tiers
        if tier not in OTHER_TIERS and (tier == "semantic" or not request.is_past)
        for index in [_of_entries(entries) if tier == "working" else _index(tx, layout, tier, space)]
        if index is not None and len(index)
    ]
    on_shelves = [(shelf.key, shelf.index, shelf.allowed) for shelf in _other_shelves(tx, ctx, request, space)]
    return make_candidates([*parts, *on_shelves], layout.meaning.words if question.word_vectors is not None else None)


def _other_shelves(tx: Transaction, ctx: Context, request: RecallRequest, space: str) -> list[Shelf]:
    """Return what stands beside the tiers, which has neither a past nor a subject."""
    return [] if request.is_past or request.is_about else shelves(tx, ctx, request.tiers, space)


def still_allowed(
    tx: Transaction, ctx: Context, layout: MemoryLayout, request: RecallRequest, candidates: Candidates, space: str
) -> Mask | None:
    """Return by number which candidates that were collected earlier may still be found and say what they said then.

    None where an index was made anew meanwhile, so that its numbers stand for other rows.
    """
    found: list[Mask] = []
    on_shelves = {shelf.key: shelf for shelf in _other_shelves(tx, ctx, request, space)}
    for group in candidates:
        if is_other_tier(group.tier):
            allowed = _still_on_shelf(group, on_shelves.get(group.tier))
            if allowed is None:
                return None
            found.append(allowed)
            continue
        tier = cast("Tier", group.tier)
        index = None if tier == "working" else _index(tx, layout, tier, space)
        if tier == "working":
            found.append(group.allowed)
        elif index is None or index.numbering != group.index.numbering:
            return None
        elif index.changes == group.index.changes:
            found.append(group.allowed)
        else:
            found.append(group.allowed & _allowed(tx, ctx, layout, request, tier, index)[: group.index.size])
    return np.concatenate(found)


def _still_on_shelf(group: CandidateGroup, shelf: Shelf | None) -> Mask | None:
    if shelf is None:
        return np.zeros_like(group.allowed)
    if shelf.index.numbering != group.index.numbering:
        return None
    return group.allowed & shelf.allowed[: group.index.size]


def _index(tx: Transaction, layout: MemoryLayout, tier: Tier, space: str) -> SearchView | None:
    collections: dict[str, Collection[Any] | None] = {
        "turn": layout.turns,
        "episodic": layout.episodic,
        "semantic": layout.semantic,
    }
    collection = collections[tier]
    return None if collection is None else tx.index(collection, space)


def _of_entries(entries: Sequence[WorkingEntry]) -> SearchView | None:
    if not entries:
        return None
    tokens = [" ".join(content_terms({"content": entry.content})) for entry in entries]
    columns: dict[str, list[str]] = {
        "subject": [entry.subject for entry in entries],
        "category": [entry.category for entry in entries],
        "slot": [slot(claim_of(entry), subject_key(entry.subject)) for entry in entries],
    }
    return unstored([entry.id for entry in entries], tokens, columns)


def _allowed(
    tx: Transaction, ctx: Context, layout: MemoryLayout, request: RecallRequest, tier: Tier, index: SearchView
) -> Mask:
    allowed = index.alive.copy()
    if request.subjects is not None:
        allowed &= holds(index, "subject", request.subjects)
    if request.category is not None:
        allowed &= holds(index, "category", [request.category])
    if tier == "turn" and request.asks_for_turns:
        allowed &= _turns(request, index)
    if tier == "episodic":
        allowed &= ~(index.columns["superseded"].values > 0)
    if tier == "semantic":
        if request.is_past:
            allowed &= _only(index, [fact.id for fact in facts_at(tx, ctx, layout, request)])
        else:
            allowed &= ~holds(index, "status", ["invalidated"])
    return allowed


def _turns(request: RecallRequest, index: SearchView) -> Mask:
    wanted = tagged(index, request.tags)
    if request.session is not None:
        wanted &= holds(index, "session", [request.session])
    said_at = index.columns["said_at"].values
    if request.since is not None:
        wanted &= said_at >= request.since.timestamp()
    if request.until is not None:
        wanted &= said_at <= request.until.timestamp()
    return wanted


def _only(index: SearchView, ids: list[str]) -> Mask:
    found = np.zeros(len(index.ids), np.bool_)
    found[[position for row_id in ids if (position := index.position_of(row_id)) >= 0]] = True
    return found
