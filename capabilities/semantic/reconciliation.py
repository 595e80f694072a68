"""Reconciling new facts with known ones: what they are compared with is read at once, and they are written at once."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, cast

from fabric.clock import Clock
from fabric.flow.resource import Collection, Transaction

from ..claims import Claim, claim_of, compare, is_single, overtaken
from ..claims.values.same_value import tokens
from ..sources import Outcome, Source
from ..vocabulary import FactCategory
from .lookup import Candidates, Statement
from .order import is_late, stated, successor
from .record import ClosedAs, Fact, FactInput
from .refiling import refile_own
from .selves import Self, self_of
from .state import contests, decide, first_version, history, invalidate, overtake, reinforce, supersede


class Reconciliation:
    """New facts on their way in. Each sees what the ones before it did; nothing is stored before `write`."""

    def __init__(
        self,
        tx: Transaction,
        facts: Collection[Fact],
        clock: Clock,
        made_by: str = "",
        episodes: Collection[Any] | None = None,
        *,
        is_filed: bool = False,
    ) -> None:
        self._tx = tx
        self._facts = facts
        self._clock = clock
        self._made_by = made_by
        self._episodes = episodes
        self._speaker: Self | None = Self() if is_filed and self.is_shared else None
        self._candidates = Candidates(tx, facts)
        self._changed: dict[str, Fact] = {}
        self._settled: set[str] = set()

    @property
    def is_shared(self) -> bool:
        """Whether several users share the facts."""
        return self._facts.scope != "user"

    @property
    def speaker(self) -> Self:
        """Who speaks, as it is when somebody asks first."""
        if self._speaker is None:
            refile_own(self._tx, self._facts)
            self._speaker = self_of(self._tx, self._facts)
        return self._speaker

    def look_up(self, coming: Sequence[Statement], named: Iterable[str] = ()) -> None:
        """Read what these statements may be compared with, and the facts of these ids, in as few steps as possible."""
        self._candidates.look_up([self._filed(statement) for statement in coming], named)

    def _filed(self, statement: Statement) -> Statement:
        subject, content = self.speaker.filed(statement.subject, statement.content)
        if (subject, content) == (statement.subject, statement.content):
            return statement
        category = cast("FactCategory", statement.category)
        return FactInput(subject=subject, content=content, category=category, confidence=0)

    def get(self, fact_id: str) -> Fact | None:
        """Return one version of a fact, current or closed, as it stands now."""
        return self._candidates.get(fact_id)

    def latest(self, fact_id: str) -> str:
        """Return the id of the version that a fact has now; the same id when it was not superseded or is unknown."""
        seen: set[str] = set()
        while fact_id not in seen:
            seen.add(fact_id)
            fact = self.get(fact_id)
            if fact is None or not fact.superseded_by:
                break
            fact_id = fact.superseded_by
        return fact_id

    def reconcile(self, offered: FactInput) -> Outcome:
        """Take an offered fact in: store it, or reinforce, refine or supersede what is known. Only its own subject.

        What was stated before the fact that it would take the place of becomes history, told as skipped.
        """
        subject, content = self.speaker.filed(offered.subject, offered.content)
        offered = offered.model_copy(update={"subject": subject, "content": content})
        if not offered.content.strip():
            return Outcome(status="skipped", tier="semantic", reason="empty: a fact needs a text")
        if offered.replaces:
            offered = offered.model_copy(update={"replaces": self.latest(offered.replaces)})
        rivals = self._rivals(offered)
        decision = decide(offered, rivals)
        later = successor(offered, rivals) or (self._followed(offered, rivals) if decision.fact is None else None)
        if later is not None:
            return self._late(offered, later)
        if decision.fact is None:
            fact = self.insert(offered)
            self._close(self._left(offered, rivals), fact)
            return Outcome(status="stored", tier="semantic", id=fact.id, content=fact.content)
        if decision.kind == "repeat":
            self._decide(decision.fact, offered, rivals)
            return self.repeat(decision.fact, offered.sources, offered.source_episode_ids)
        changed = decision.kind == "change"
        old = decision.fact
        if changed and is_late(offered.sources, old, offered.valid_from):
            return self._late(offered, old)
        outcome = self.replace(
            old,
            content=offered.content,
            confidence=offered.confidence if changed else max(old.confidence, offered.confidence),
            changed=changed,
            sources=offered.sources,
            episode_ids=offered.source_episode_ids,
            valid_from=offered.valid_from,
            claim=claim_of(offered),
        )
        self._close(
            decision.also if changed else self._contesting(old, offered, rivals), self._candidates.known[outcome.id]
        )
        return outcome

    def _followed(self, offered: FactInput, rivals: Sequence[Fact]) -> Fact | None:
        """Return what made an offered fact untrue and is over itself: the next boss, who left before it was told."""
        if not any(is_late(offered.sources, fact, offered.valid_from) for fact in rivals):
            return None
        return successor(offered, sorted(self._candidates.superseded(offered), key=stated))

    def _left(self, offered: FactInput, rivals: Sequence[Fact]) -> list[Fact]:
        """Return what says that a place was left which an offered fact fills: "left Google" before "joined Stripe"."""
        said = claim_of(offered)
        if said.polarity != "holds" or not is_single(said):
            return []
        ended = [fact for fact in rivals if fact.polarity == "ended" and not is_late(offered.sources, fact)]
        return [fact for fact in ended if fact.attribute == said.attribute and claim_of(fact).subject == said.subject]

    def _decide(self, fact: Fact, offered: FactInput, rivals: Sequence[Fact]) -> None:
        """Close what contests a fact that is stated again, later than both: that decides between them."""
        self._close(self._contesting(fact, offered, rivals), fact)

    def _contesting(self, fact: Fact, offered: FactInput, rivals: Sequence[Fact]) -> list[Fact]:
        claim = claim_of(fact)
        if not is_single(claim):
            return []
        return [
            rival
            for rival in rivals
            if rival.id != fact.id
            and compare(claim_of(rival), claim) == "replaces"
            and not contests(claim_of(offered), offered.sources, claim_of(rival), rival.sources)
            and not is_late(offered.sources, rival, offered.valid_from)
        ]

    def _close(self, facts: Iterable[Fact], by: Fact) -> None:
        self.put(*(overtake(fact, by, self._clock.now()) for fact in facts))

    def _late(self, offered: FactInput, later: Fact) -> Outcome:
        """Keep what was stated before the fact that holds as its history, unless that was told already."""
        known = next((fact for fact in self._candidates.known.values() if self._tells(fact, offered)), None)
        if known is None and len(offered.sources) <= 1:  # what rests on several turns has no one time
            known = history(
                offered,
                later,
                fact_id=self._clock.new_id("sf"),
                now=self._clock.now(),
                made_by=self._made_by,
            )
            self.put(known)
            self._close(self._left_behind(offered, later), known)
        return Outcome(
            status="skipped",
            tier="semantic",
            id=known.id if known is not None else "",
            content=offered.content,
            reason=f"history: {later.content!r} was said later",
        )

    def _left_behind(self, offered: FactInput, later: Fact) -> list[Fact]:
        """Return the current facts, stated before a late one, that it made untrue before it was history itself."""
        said = claim_of(offered)
        before = [fact for fact in self._rivals(offered) if fact.id != later.id]
        over = [before[at] for at in overtaken([claim_of(fact) for fact in before], said)]
        return [fact for fact in over if not is_late(offered.sources, fact, offered.valid_from)]

    def _tells(self, fact: Fact, offered: FactInput) -> bool:
        if fact.subject != offered.subject or tokens(fact.content) != tokens(offered.content):
            return False
        return {source.turn_id for source in offered.sources} <= {source.turn_id for source in fact.sources}

    def _rivals(self, offered: FactInput) -> list[Fact]:
        """Return the current facts of the subject that the offered one may repeat, refine or change, last said last."""
        facts = self._candidates.of(offered.content, also=[offered.replaces, *self._settled])
        mine = [fact for fact in facts if fact.status == "current" and fact.subject == offered.subject]
        return sorted(mine, key=stated)

    def insert(self, offered: FactInput) -> Fact:
        """Take a new fact in without comparing it."""
        fact = first_version(offered, fact_id=self._clock.new_id("sf"), now=self._clock.now(), made_by=self._made_by)
        self.put(fact)
        return fact

    def repeat(self, fact: Fact, sources: Sequence[Source], episode_ids: Sequence[str]) -> Outcome:
        """Count one more repetition of a fact."""
        stronger = reinforce(fact, sources=sources, episode_ids=episode_ids, now=self._clock.now())
        if stronger is fact:
            return Outcome(
                status="skipped", tier="semantic", id=fact.id, content=fact.content, reason="said in the same turn"
            )
        self.put(stronger)
        return Outcome(status="merged", tier="semantic", id=fact.id, content=fact.content, reason="said again")

    def replace(
        self,
        old: Fact,
        *,
        content: str,
        confidence: float,
        changed: bool,
        sources: Sequence[Source] = (),
        episode_ids: Sequence[str] = (),
        valid_from: datetime | None = None,
        claim: Claim | None = None,
    ) -> Outcome:
        """Close a fact and take a new version in its place; the same text is a repetition."""
        if not changed and content == old.content:
            return self.repeat(old, sources, episode_ids)
        closed, new = supersede(
            old,
            fact_id=self._clock.new_id("sf"),
            content=content,
            confidence=confidence,
            now=self._clock.now(),
            changed=changed,
            sources=sources,
            episode_ids=episode_ids,
            valid_from=valid_from,
            made_by=self._made_by,
            claim=claim,
        )
        self.put(closed, new)
        status = "superseded" if changed else "merged"
        return Outcome(status=status, tier="semantic", id=new.id, content=new.content, replaced=old.id)

    def close(self, fact: Fact, reason: str, closed_as: ClosedAs = "over") -> bool:
        """Close a fact with nothing in its place; False when it is no longer current."""
        if fact.status != "current":
            return False
        self.put(invalidate(fact, now=self._clock.now(), reason=reason, closed_as=closed_as))
        return True

    def put(self, *facts: Fact) -> None:
        """Take versions in as they are."""
        for fact in facts:
            self._candidates.known[fact.id] = self._changed[fact.id] = fact
            self._settled.add(fact.id)

    def write(self) -> None:
        """Store all that was taken in since the last time, and note the episodes of what is over as superseded."""
        if not self._changed:
            return
        self._tx.put(self._facts, self._changed.values())
        over = [fact for fact in self._changed.values() if fact.is_over]
        held = {episode for fact in self._changed.values() if not fact.is_over for episode in fact.source_episode_ids}
        gone = {episode for fact in over for episode in fact.source_episode_ids} - held
        if self._episodes is not None and gone:
            found = self._tx.get_many(self._episodes, sorted(gone))
            told = [episode.model_copy(update={"superseded": True}) for episode in found if not episode.superseded]
            self._tx.put(self._episodes, told)
        self._changed = {}
