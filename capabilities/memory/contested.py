"""Facts that contest one another: two values of what has one at a time, and nobody said which came later."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fabric.flow.resource import Transaction
from fabric.lazy import lazy
from fabric.search.views import holds

from ..claims import claim_of, compare, is_single
from ..semantic import Fact
from .layout import MemoryLayout
from .recall.ranked import RankedMemory

if TYPE_CHECKING:
    import numpy as np

    from fabric.search.base import SearchView
else:
    np = lazy("numpy")

FEW = 64
"""How many facts are read at most to see what contests what."""


def with_contested(tx: Transaction, layout: MemoryLayout, found: Sequence[RankedMemory]) -> list[RankedMemory]:
    """Return the memories, each fact with what other current facts say of the same place."""
    places = {
        (memory.subject, memory.slot)
        for memory in found
        if memory.source == "semantic" and memory.slot and "=" not in memory.slot
    }
    index = tx.index(layout.semantic) if layout.semantic is not None and places else None
    if layout.semantic is None or index is None:
        return list(found)
    rivals = _shared(index, places)
    facts = tx.get_many(layout.semantic, rivals) if rivals else []
    return [_contested(memory, facts) if memory.source == "semantic" and facts else memory for memory in found]


def contesting(tx: Transaction, layout: MemoryLayout, fact: Fact) -> list[str]:
    """Return what other current facts say of the place of a current fact."""
    index = tx.index(layout.semantic) if layout.semantic is not None and fact.status == "current" else None
    if layout.semantic is None or index is None:
        return []
    rivals = tx.get_many(layout.semantic, _shared(index, {(fact.subject, fact.slot)}))
    return _others(fact, rivals)


def _shared(index: "SearchView", places: set[tuple[str, str]]) -> list[str]:
    """Return the ids of the current facts of places that more than one of them fills."""
    slots, subjects = index.columns["slot"], index.columns["subject"]
    current = index.alive & holds(index, "status", ["current"]) & holds(index, "slot", {slot for _, slot in places})
    held: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(current).tolist():
        held.setdefault((int(subjects.values[row]), int(slots.values[row])), []).append(row)
    rows = [row for found in held.values() if len(found) > 1 for row in found]
    return [index.ids[row] for row in rows[-FEW:]]


def _contested(memory: RankedMemory, facts: Sequence[Fact]) -> RankedMemory:
    fact = next((fact for fact in facts if fact.id == memory.id), None)
    others = _others(fact, facts) if fact is not None else []
    return memory.model_copy(update={"contested": others}) if others else memory


def _others(fact: Fact, facts: Sequence[Fact]) -> list[str]:
    claim = claim_of(fact)
    if not is_single(claim):
        return []
    return [
        other.content
        for other in facts
        if other.id != fact.id and other.subject == fact.subject and compare(claim_of(other), claim) == "replaces"
    ]
