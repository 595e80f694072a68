"""What was said and is no longer so: turns that are recalled are marked, with what took the place of what they say."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fabric.clock import Clock
from fabric.flow.resource import Collection, Transaction
from fabric.search.base import SearchView
from fabric.search.views import holds, ids_at
from fabric.text.terms import plain_terms

from ..claims import USER, claim_of, compare
from ..semantic import Fact, FactTable
from ..vocabulary import about
from .layout import MemoryLayout
from .recall.ranked import Outdated, RankedMemory

READ_AT_ONCE = 200
"""Up to so many closed facts are all looked at; of more, those that share words with what was recalled."""
A_TURN = 20
"""How many of them are looked at then for each turn."""
CLOSED = ("superseded", "invalidated")


def marked(tx: Transaction, layout: MemoryLayout, clock: Clock, found: Sequence[RankedMemory]) -> list[RankedMemory]:
    """Return the memories, each turn with what is no longer so of what was drawn from it."""
    turns = {memory.id: memory.content for memory in found if memory.source == "turn"}
    if layout.semantic is None or not turns:
        return list(found)
    table = FactTable(tx, layout.semantic, clock)
    outdated: dict[str, list[Outdated]] = {}
    stated: dict[str, str] = {}
    for fact in _closed(tx, layout.semantic, list(turns.values())):
        drawn = turns.keys() & {source.turn_id for source in fact.sources}
        told = told_of_closed(fact, table) if drawn else None
        if fact.subject != USER:
            stated |= {turn_id: fact.subject for turn_id in drawn if turns[turn_id].strip() == fact.content}
        if told is not None:
            for turn_id in drawn:
                outdated.setdefault(turn_id, []).append(told)
    return [
        _noted(memory, outdated, stated.get(memory.id, "")) if memory.source == "turn" else memory for memory in found
    ]


def _noted(turn: RankedMemory, outdated: Mapping[str, list[Outdated]], about_whom: str) -> RankedMemory:
    """Return a turn with what is no longer so of it; one that stated a fact about somebody else says so."""
    told: dict[str, object] = {"outdated": outdated[turn.id]} if turn.id in outdated else {}
    if about_whom:
        told |= {"subject": about_whom, "content": about(about_whom, turn.content), "role": ""}
    return turn.model_copy(update=told) if told else turn


def told_of_closed(fact: Fact, table: FactTable) -> Outdated | None:
    """Return what to say of a closed fact; None when it was only put better, tidied away, or is so again."""
    if not fact.is_over:
        return None
    now = table.get(table.latest(fact.id))
    if now is None or now.status != "current":
        return Outdated(was=about(fact.subject, fact.content), since=fact.valid_to or fact.superseded_at)
    if compare(claim_of(fact), claim_of(now)) in ("same", "refines"):
        return None
    return Outdated(
        was=about(fact.subject, fact.content),
        now=about(now.subject, now.content),
        since=fact.valid_to or fact.superseded_at,
    )


def _closed(tx: Transaction, facts: Collection[Fact], texts: Sequence[str]) -> list[Fact]:
    index = tx.index(facts)
    if index is None:
        return []
    closed = holds(index, "status", CLOSED) & index.alive
    positions = np.flatnonzero(closed)
    if len(positions) > READ_AT_ONCE:
        positions = np.unique(np.concatenate([_sharing(index, closed, text) for text in texts]))
    return tx.get_many(facts, ids_at(index, positions)) if len(positions) else []


def _sharing(index: SearchView, closed: NDArray[np.bool_], text: str) -> NDArray[np.int64]:
    terms = index.postings.terms
    held = [index.postings.of(terms[term])[0] for term in dict.fromkeys(plain_terms(text)) if term in terms]
    if not held:
        return np.zeros(0, np.int64)
    counts = np.bincount(np.concatenate(held), minlength=len(index.ids)) * closed
    positions = np.flatnonzero(counts)
    return positions[np.argsort(-counts[positions], kind="stable")][:A_TURN]
