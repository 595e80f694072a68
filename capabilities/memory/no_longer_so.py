"""Which of what was noted is no longer so by the facts: entries and episodes whose fact was closed or is followed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from fabric.flow.resource import Transaction
from fabric.lazy import lazy
from fabric.search.views import holds, ids_at

from ..claims import OTHER, Claim, claim_of, compare, rival_slots, subject_key
from ..episodic import Episode
from ..semantic import Fact
from ..sources import Source
from ..working import WorkingEntry
from .layout import MemoryLayout

if TYPE_CHECKING:
    import numpy as np

    from fabric.search.base import SearchView
else:
    np = lazy("numpy")

FEW = 64
"""How many facts are read at most to see what is over."""


@dataclass(frozen=True, slots=True)
class Told:
    """What somebody was told outside the tiers, as it is compared with facts: a trace, a belief."""

    id: str
    content: str
    subject: str
    sources: list[Source]
    encoded_at: datetime


Noted = WorkingEntry | Episode | Told


def no_longer_so(tx: Transaction, layout: MemoryLayout, noted: Sequence[Noted]) -> frozenset[str]:
    """Return the ids of entries and episodes that are no longer so by what the facts say.

    That is where the fact that an entry became, or one that rests on the same turn and says the same, was closed and no
    current fact says the same; and where a current fact takes the place of it, or ends it, that was stated later.
    """
    facts = layout.semantic
    index = tx.index(facts) if facts is not None and noted else None
    if facts is None or index is None:
        return frozenset()
    claims = {entry.id: claim_of(entry) for entry in noted}
    named = [entry.fact_id for entry in noted if isinstance(entry, WorkingEntry) and entry.fact_id]
    ids = dict.fromkeys([*named, *_in_slots(index, noted, claims)])
    read = {fact.id: fact for fact in tx.get_many(facts, list(ids))} if ids else {}
    return frozenset(entry.id for entry in noted if _is_over(entry, claims[entry.id], read))


def _in_slots(index: "SearchView", noted: Sequence[Noted], claims: dict[str, Claim]) -> Iterable[str]:
    """Return the ids of the newest facts of the slots that these claims fill."""
    slots, subjects = index.columns["slot"].names, index.columns["subject"].names
    found = np.zeros(index.size, np.bool_)
    for row in noted:
        claim = claims[row.id]
        ending = () if claim.attribute == OTHER else rival_slots(claim, subject_key(row.subject))
        wanted = [name for name in ending if name in slots]
        if wanted and row.subject in subjects:
            found |= holds(index, "slot", wanted) & holds(index, "subject", [row.subject])
    return ids_at(index, np.flatnonzero(found & index.alive)[-FEW:])


def _is_over(noted: Noted, claim: Claim, facts: dict[str, Fact]) -> bool:
    mine = [fact for fact in facts.values() if fact.subject == noted.subject]
    current = [claim_of(fact) for fact in mine if fact.status == "current"]
    if any(compare(known, claim) in ("same", "refines") for known in current):
        return False
    turns = {source.turn_id for source in noted.sources}
    for fact in mine:
        if fact.status == "current":
            if compare(claim, claim_of(fact)) in ("replaces", "ends") and _stated(fact) > _noted(noted, fact):
                return True
            continue
        own = fact.id == getattr(noted, "fact_id", "") or noted.id in fact.source_episode_ids
        same = claim.attribute != OTHER and compare(claim_of(fact), claim) in ("same", "refines")
        if own or (same and turns & {source.turn_id for source in fact.sources}):
            return True
    return False


def _stated(fact: Fact) -> datetime:
    return max((source.ordered for source in fact.sources), default=fact.recorded_at)


def _noted(noted: Noted, fact: Fact) -> datetime:
    """Return when something was noted; what has no turn was noted before every fact that has one."""
    known = noted.encoded_at if not isinstance(noted, WorkingEntry) else None
    return max((source.ordered for source in noted.sources), default=known or fact.valid_from)
