"""Looking facts up: by the slots of their claims, and by the words they share, in the index that is kept in memory."""

from collections.abc import Collection as Several
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from fabric.flow.resource import Collection, Transaction
from fabric.lazy import lazy
from fabric.search.views import holds, ids_at
from fabric.text.terms import plain_terms
from fabric.text.words import words

from ..claims import OTHER, claim_of, is_single, rival_slots, slot, subject_key
from .record import Fact

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

SHARING = 16
"""How many facts that share words with an offered one are compared with it."""
FURTHEST = 1_024
"""How many are looked at, at most, where most of those that share words are closed."""


class Statement(Protocol):
    """What is known of a fact before it is offered: enough to find what it may repeat, refine or change."""

    @property
    def subject(self) -> str:
        """Whom it is about."""
        ...

    @property
    def content(self) -> str:
        """What it says."""
        ...

    @property
    def category(self) -> str:
        """What kind of fact it is."""
        ...


def facts_in(
    tx: Transaction, facts: Collection[Fact], slots: Several[str], subjects: Several[str], status: str = "current"
) -> list[Fact]:
    """Return the facts of these subjects that stand in one of these slots: the current ones, or those of a status."""
    index = tx.index(facts) if slots else None
    if index is None:
        return []
    found = index.alive.copy()
    for name, wanted in (("slot", slots), ("subject", subjects), ("status", (status,))):
        found &= holds(index, name, wanted)
        if not found.any():
            return []
    return tx.get_many(facts, ids_at(index, np.flatnonzero(found)))


class Candidates:
    """The facts that statements may be compared with, read in as few steps as possible; ``known`` has them by id."""

    def __init__(self, tx: Transaction, facts: Collection[Fact]) -> None:
        self._tx = tx
        self._facts = facts
        self.known: dict[str, Fact] = {}
        self._sharing: dict[str, list[str]] = {}
        self._in_slots: set[str] = set()
        self._broad: set[str] = set()
        self._is_full: dict[str, bool] = {}

    def look_up(self, coming: Sequence[Statement], named: Iterable[str] = ()) -> None:
        """Read the candidates of these statements, and the facts of these ids.

        What stands in their slots is looked up by these; other texts, and values worded otherwise, by words.
        """
        claims = [claim_of(statement) for statement in coming]
        both = list(zip(claims, coming, strict=True))
        slots = {found for claim, told in both for found in rival_slots(claim, subject_key(told.subject))}
        facts = facts_in(self._tx, self._facts, slots, {statement.subject for statement in coming})
        self._in_slots.update(self._learn(facts))
        taken = {fact.slot for fact in facts}
        loose = [told for claim, told in both if not (is_single(claim) and slot(claim, told.subject) in taken)]
        self._broad |= {told.content for claim, told in both if claim.attribute != OTHER or claim.polarity != "holds"}
        for statement in loose:
            self._share(statement, SHARING)
        self._read([*named, *(found for statement in loose for found in self._sharing[statement.content])])
        for statement in loose:
            self._look_past_closed(statement)

    def get(self, fact_id: str) -> Fact | None:
        """Return one version of a fact, current or closed, as it stands now."""
        if fact_id not in self.known:
            self._read([fact_id])
        return self.known.get(fact_id)

    def of(self, content: str, *, also: Iterable[str]) -> list[Fact]:
        """Return the facts that a text may be compared with, and those of these ids, in the order they were read."""
        ids = {*also, *self._sharing.get(content, ()), *self._in_slots}
        return [fact for fact_id, fact in self.known.items() if fact_id in ids]

    def superseded(self, statement: Statement) -> list[Fact]:
        """Return the facts of its subject in the slots of a statement's claim that another fact took the place of."""
        slots = {*rival_slots(claim_of(statement), subject_key(statement.subject))}
        self._learn(facts_in(self._tx, self._facts, slots, {statement.subject}, "superseded"))
        mine = (fact for fact in self.known.values() if fact.subject == statement.subject and fact.slot in slots)
        return [fact for fact in mine if fact.status == "superseded"]

    def _share(self, statement: Statement, limit: int) -> None:
        """Note the facts that share words; for a text of no attribute those that hold all of it, or it all of them."""
        spoken_words = words(statement.content)
        matches, size = self._tx.match(self._facts, spoken_words, limit), len(set(plain_terms(" ".join(spoken_words))))
        is_broad = statement.content in self._broad
        self._sharing[statement.content] = [
            match.id for match in matches if is_broad or match.shared in (size, match.length)
        ]
        self._is_full[statement.content] = len(matches) == limit

    def _look_past_closed(self, statement: Statement) -> None:
        """Look further where the versions of a fact that changed often leave no room for those that are current."""
        limit, shared = SHARING, self._sharing
        while limit < FURTHEST and self._is_full[statement.content] and self._lacks(statement):
            limit *= 4
            self._share(statement, limit)
            self._read(shared[statement.content])

    def _lacks(self, statement: Statement) -> bool:
        """Return whether too few of the facts that share words are current."""
        shared = [self.known[found] for found in self._sharing[statement.content] if found in self.known]
        current = sum(fact.status == "current" for fact in shared)
        return current < SHARING // 2 if statement.content in self._broad else bool(shared) and not current

    def _read(self, ids: Iterable[str]) -> None:
        unread = [fact_id for fact_id in dict.fromkeys(ids) if fact_id and fact_id not in self.known]
        if unread:
            self._learn(self._tx.get_many(self._facts, unread))

    def _learn(self, found: Iterable[Fact]) -> list[str]:
        return [self.known.setdefault(fact.id, fact).id for fact in found]
