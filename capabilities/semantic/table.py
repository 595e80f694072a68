"""The facts of one scope inside a transaction: everything that can be done to them, each change with its history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fabric.clock import Clock, utc
from fabric.errors import ConfigurationError
from fabric.flow.resource import Collection, Transaction
from fabric.store.base import Where

from ..claims import named_so
from ..sources import Outcome, Source
from .reconciliation import Reconciliation
from .record import ClosedAs, Fact, FactInput
from .state import invalidate, reinforce, supersede

CURRENT = Where("status", "=", "current")


@dataclass(frozen=True, slots=True)
class FactTable:
    """The facts that a transaction sees. ``made_by`` is the path of the block that writes.

    Where ``episodes`` are given, those that facts rest on are noted as superseded when these are found to be over.
    """

    tx: Transaction
    facts: Collection[Fact]
    clock: Clock
    made_by: str = ""
    episodes: Collection[Any] | None = None

    def get(self, fact_id: str) -> Fact | None:
        """Return one version of a fact, current or closed."""
        return self.tx.get(self.facts, fact_id)

    def current(self, subject: str = "") -> list[Fact]:
        """Return the current facts, of one subject if named, most reinforced first."""
        index = self.tx.index(self.facts) if subject else None
        known = index.columns["subject"].names if index is not None else ()
        where = [CURRENT, *([Where("subject", "in", sorted(named_so(subject.strip(), known)))] if subject else [])]
        return sorted(self.tx.find(self.facts, *where), key=lambda fact: -fact.reinforcement_count)

    def count(self) -> int:
        """Return how many facts are current."""
        return self.tx.count(self.facts, CURRENT)

    def valid_at(self, as_of: datetime, known_at: datetime) -> list[Fact]:
        """Return the facts that were true at ``as_of`` by what was known at ``known_at``."""
        as_of, known_at = utc(as_of), utc(known_at)
        found = self.tx.find(self.facts, Where("recorded_at", "<=", known_at.isoformat()))
        return [fact for fact in found if fact.valid_at(as_of, known_at)]

    def known_at(self, known_at: datetime) -> list[Fact]:
        """Return the facts that were current at that time."""
        known_at = utc(known_at)
        found = self.tx.find(self.facts, Where("recorded_at", "<=", known_at.isoformat()))
        return [fact for fact in found if fact.known_at(known_at)]

    def reconciliation(self, *, is_filed: bool = False) -> Reconciliation:
        """Return what takes several facts in together; they are stored when its `write` is called.

        ``is_filed`` says that in a shared memory their subjects are filed ones, and none is whoever runs this.
        """
        return Reconciliation(self.tx, self.facts, self.clock, self.made_by, self.episodes, is_filed=is_filed)

    def reconcile(self, offered: FactInput) -> Outcome:
        """Take an offered fact in: store it, or reinforce, refine or supersede what is known. Only its own subject."""
        reconciliation = self.reconciliation()
        reconciliation.look_up([offered], [offered.replaces])
        outcome = reconciliation.reconcile(offered)
        reconciliation.write()
        return outcome

    def add(self, offered: FactInput) -> Fact:
        """Write a new fact without comparing it, and return it."""
        reconciliation = self.reconciliation()
        fact = reconciliation.insert(offered)
        reconciliation.write()
        return fact

    def reinforce(self, fact_id: str, sources: Iterable[Source] = (), episode_ids: Iterable[str] = ()) -> Fact | None:
        """Count one more repetition of a current fact; None when there is no such current fact."""
        fact = self._current(fact_id)
        if fact is None:
            return None
        stronger = reinforce(fact, sources=sources, episode_ids=episode_ids, now=self.clock.now())
        self.tx.put(self.facts, [stronger])
        return stronger

    def repeat(self, fact_id: str, sources: Sequence[Source] = (), episode_ids: Sequence[str] = ()) -> Outcome:
        """Do the same as `reinforce` and say what became of it."""
        fact = self._current(fact_id)
        if fact is None:
            return Outcome(status="skipped", tier="semantic", id=fact_id, reason="not a current fact")
        reconciliation = self.reconciliation()
        outcome = reconciliation.repeat(fact, sources, episode_ids)
        reconciliation.write()
        return outcome

    def update(
        self,
        fact_id: str,
        content: str,
        *,
        confidence: float | None = None,
        sources: Sequence[Source] = (),
        episode_ids: Sequence[str] = (),
        changed: bool = True,
    ) -> Fact | None:
        """Supersede a current fact by a new text and return the new version; None when there is no such current fact.

        ``changed`` False says that the text is only better, not another truth.
        """
        fact = self._current(fact_id)
        if fact is None:
            return None
        if not content.strip():
            raise ConfigurationError("a fact needs a text: give what it should say, or remove the fact")
        reconciliation = self.reconciliation()
        outcome = reconciliation.replace(
            fact,
            content=content,
            confidence=fact.confidence if confidence is None else confidence,
            changed=changed,
            sources=sources,
            episode_ids=episode_ids,
        )
        reconciliation.write()
        return reconciliation.get(outcome.id)

    def remove(self, fact_id: str, reason: str = "removed", closed_as: ClosedAs = "over") -> bool:
        """Close a current fact with nothing in its place; False when there is no such current fact.

        ``closed_as`` says whether it is no longer so, or only not kept; ``reason`` is for people.
        """
        fact = self._current(fact_id)
        if fact is None:
            return False
        reconciliation = self.reconciliation()
        reconciliation.close(fact, reason, closed_as)
        reconciliation.write()
        return True

    def merge(self, fact_ids: Sequence[str], content: str, reason: str) -> Fact | None:
        """Replace two or more current facts of one subject by one text, keeping every source; None if not possible.

        The first id's fact is carried on; the others are closed and point to the merged version.
        """
        merging = [fact for fact in (self._current(fact_id) for fact_id in dict.fromkeys(fact_ids)) if fact is not None]
        if len(merging) < 2 or len({fact.subject for fact in merging}) > 1:
            return None
        kept, *others = merging
        now, new_id = self.clock.now(), self.clock.new_id("sf")
        closed, merged = supersede(
            kept,
            fact_id=new_id,
            content=content,
            confidence=max(fact.confidence for fact in merging),
            now=now,
            changed=False,
            sources=[source for fact in others for source in fact.sources],
            episode_ids=[episode_id for fact in others for episode_id in fact.source_episode_ids],
            made_by=self.made_by,
            reason=f"merged: {reason}",
        )
        count = sum(fact.reinforcement_count for fact in merging)
        merged = merged.model_copy(update={"reinforcement_count": count})
        folded = [
            invalidate(fact, now=now, reason=f"merged: {reason}", closed_as="reworded").model_copy(
                update={"status": "superseded", "superseded_by": new_id, "valid_to": fact.valid_from}
            )
            for fact in others
        ]
        self.tx.put(self.facts, [merged, closed, *folded])
        return merged

    def latest(self, fact_id: str) -> str:
        """Return the id of the version that a fact has now; the same id when it was not superseded or is unknown."""
        return self.reconciliation().latest(fact_id)

    def history(self, fact_id: str) -> list[Fact]:
        """Return every version that led to or followed from this one, oldest first; [] for an unknown id."""
        start = self.get(fact_id)
        if start is None:
            return []
        found: dict[str, Fact] = {}
        waiting = [start]
        while waiting:
            fact = waiting.pop()
            if fact.id in found:
                continue
            found[fact.id] = fact
            waiting.extend(self.tx.find(self.facts, Where("superseded_by", "=", fact.id)))
            if fact.superseded_by:
                waiting.extend(self.tx.get_many(self.facts, [fact.superseded_by]))
        return sorted(found.values(), key=lambda fact: (fact.recorded_at, fact.id))

    def _current(self, fact_id: str) -> Fact | None:
        fact = self.get(fact_id)
        return fact if fact is not None and fact.status == "current" else None
