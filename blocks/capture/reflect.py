"""Reflect: every observation is routed to the tiers it belongs in, and the turn ends, all in one transaction."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from capabilities.claims import ClaimFields, claim_of, compare, fields, fuller, subject_key
from capabilities.episodic import Episode, EpisodeLog, qualifies
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import FactInput, FactTable, Reconciliation
from capabilities.sources import Outcome, Source, Status, TierName
from capabilities.turns import turns_behind
from capabilities.vocabulary import FACT_CATEGORIES, LASTING, FactCategory, Observation
from capabilities.working import WorkingEntry, WorkingState
from capabilities.working import state as working
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction

from .keep import give_vectors
from .observed import CaptureResult, Observed, without_forgotten
from .retraction import take_back
from .tick import ticked

PLANS = ("event", "task")
PIN_IMPORTANCE = 0.85
"""From this importance on, a working entry is pinned while a slot is free."""


def reflect_block(layout: MemoryLayout, *, ends_turn: bool = True) -> Block[Observed, CaptureResult]:
    """Return the block that writes what was observed into the layout's tiers.

    With ``ends_turn`` the turn is over in the same transaction; else `tick_block` ends it.
    """

    @handler(name=f"{layout.name}/reflect", uses=layout.resources)
    async def reflect(observed: Observed, ctx: Context) -> CaptureResult:
        # One call for all that the turn brings: the texts that become episodes and facts, and its messages, where
        # they were not embedded when they were kept.
        turns = [] if layout.meaning.is_quick else observed.exchange.turns
        texts = list(
            dict.fromkeys(
                [*(turn.text for turn in turns), *(observation.content for observation in observed.observations)]
            )
        )
        embedded = await layout.meaning.embed_stored(texts)

        # Happens once without a journal: a turn that was taken in is known as captured, in the same transaction.
        def work(tx: Transaction) -> CaptureResult:
            tx.embedded = embedded.by_text(texts)
            result = _reflect(tx, observed, layout, ctx, ends_turn=ends_turn)
            give_vectors(tx, layout, turns)
            notes = [*result.notes, *filter(None, [embedded.degraded])]
            return result.model_copy(update={"notes": notes, **_due(tx, layout, ctx)})

        return await ctx.transact(work)

    return reflect


def _due(tx: Transaction, layout: MemoryLayout, ctx: Context) -> dict[str, bool]:
    """Return what is due behind a capture, told by the transaction that counts it."""
    if layout.semantic is None:
        return {}
    state, config = tx.read(layout.state), layout.semantic_config
    facts = FactTable(tx, layout.semantic, ctx.clock).count() if config.prune_threshold else 0
    return {
        "consolidation_due": state.due(config.consolidation),
        "prune_due": state.prune_due(facts, config.prune_threshold),
    }


def _reflect(
    tx: Transaction, observed: Observed, layout: MemoryLayout, ctx: Context, *, ends_turn: bool
) -> CaptureResult:
    said, state = observed.exchange.user, tx.read(layout.state)
    kept = {turn.id: turn for turn in tx.get_many(layout.turns, [turn.id for turn in observed.exchange.turns])}
    if said is None or said.id not in kept:
        tx.write(layout.state, state.took(turn.id for turn in observed.exchange.turns))
        return CaptureResult.skipped("forgotten: the turn was erased before it was taken in")
    if kept[said.id].captured and said.id not in state.pending:
        return CaptureResult.skipped("captured before: this turn was already taken in")
    observed = without_forgotten(observed, kept)
    counted, entries = state.counting(tx.read(layout.working))
    routing = _Routing(tx, layout, ctx, entries, observed)
    routing.look_up()
    for observation in observed.observations:
        routing.route(observation)
    routing.take_back()
    unmarked = [turn for turn in observed.exchange.turns if turn.id in kept and not kept[turn.id].captured]
    tx.put(layout.turns, [turn.model_copy(update={"captured": True}) for turn in unmarked])
    result = routing.result()
    stored = sum(outcome.tier == "semantic" and outcome.status == "stored" for outcome in result.outcomes)
    changed = counted.reflected(
        episodic_writes=result.episodic_writes, evicted_lasting=result.evicted_lasting, facts=stored
    )
    # The result counts what was evicted here, and what was replaced, which adding does not see.
    routed = routing.state.model_copy(update={"lasting_evicted": 0})
    taken = changed.took(turn.id for turn in observed.exchange.turns)
    entries, counters = ticked(layout, routed, taken) if ends_turn else (routed, taken)
    tx.write(layout.working, entries)
    tx.write(layout.state, counters)
    return result


@dataclass(slots=True)
class _Routing:
    """One reflection under way: the state of working memory, what was evicted, what became of each observation."""

    tx: Transaction
    layout: MemoryLayout
    ctx: Context
    state: WorkingState
    observed: Observed
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    evicted: list[WorkingEntry] = field(default_factory=list[WorkingEntry])
    episodes: list[Episode] = field(default_factory=list[Episode])
    called_off: list[str] = field(default_factory=list[str])
    facts: Reconciliation | None = field(init=False)

    def __post_init__(self) -> None:
        semantic = self.layout.semantic
        table = FactTable(self.tx, semantic, self.ctx.clock, self.ctx.path, self.layout.episodic) if semantic else None
        self.facts = table.reconciliation() if table is not None else None

    def look_up(self) -> None:
        """Read in one go all rows that the observations will be compared with."""
        if self.facts is not None:
            named = {
                observation.replaces
                for observation in self.observed.observations
                if observation.replaces in self.observed.shown
            }
            linked = {entry.fact_id for entry in self.state.entries if entry.id in named}
            stable = [observation for observation in self.observed.observations if _stable(observation)]
            self.facts.look_up(stable, sorted(linked | (named & self._shown_facts())))

    def route(self, observation: Observation) -> None:
        replaced = self._replaced(observation)
        if replaced is not None and self._is_late(observation, replaced):
            self._note("skipped", "working", observation, f"history: {replaced.content!r} was said later", replaced.id)
            episode_id = self._into_episodic(observation)
            self._into_semantic(observation, replaced, episode_id)
            self.called_off += [episode_id] if episode_id else []
            return
        if replaced is None:
            self._call_off(observation)
        if observation.replaces and replaced is None and observation.replaces not in self._shown_facts():
            self._note("skipped", "working", observation, f"no known entry {observation.replaces!r}: id ignored")
        entry = self._into_working(observation, replaced)
        episode_id = self._into_episodic(observation)
        fact_id = self._into_semantic(observation, replaced, episode_id)
        self.state = working.link(self.state, entry.id, episode_id=episode_id, fact_id=fact_id)

    def take_back(self) -> None:
        """End what the message takes back of the one right before it."""
        self.state, told, episodes = take_back(self.tx, self.layout, self.observed.exchange, self.state, self.facts)
        self.outcomes += told
        self.called_off += episodes

    def result(self) -> CaptureResult:
        if self.layout.episodic is not None:
            log = EpisodeLog(self.tx, self.layout.episodic, self.layout.episodic_config)
            log.encode(self.episodes)
            log.mark_superseded(self._outdated())
        if self.facts is not None:
            self.facts.write()
        outcomes = self.outcomes or [Outcome(status="skipped", tier="turn", reason="nothing worth remembering")]
        return CaptureResult(
            outcomes=outcomes,
            notes=self.observed.notes,
            episodic_writes=len(self.episodes),
            evicted_lasting=sum(entry.durability in LASTING for entry in self.evicted),
            drawn_from=self.observed.shown
            if self.observed.notes or any(not outcome.id for outcome in outcomes)
            else [],
        )

    def _outdated(self) -> list[str]:
        """Return the episodes whose statement was replaced in working memory; facts note theirs as they close."""
        gone = {outcome.replaced for outcome in self.outcomes if outcome.status == "superseded"}
        return [
            *(entry.episode_id for entry in self.evicted if entry.id in gone and entry.episode_id),
            *self.called_off,
        ]

    def _call_off(self, observation: Observation) -> None:
        """Note the event or task of an earlier session that the observation names as no longer true."""
        if self.layout.episodic is None or observation.replaces not in self._shown_facts():
            return
        plan = self.tx.get(self.layout.episodic, observation.replaces)
        if plan is not None and plan.subject == observation.subject and plan.category in PLANS:
            self.called_off.append(plan.id)
            self._note("superseded", "episodic", observation, "no longer planned", replaced=plan.id)

    def _shown_facts(self) -> set[str]:
        return {entry_id for entry_id in self.observed.shown if working.find(self.state, entry_id) is None}

    def _replaced(self, observation: Observation) -> WorkingEntry | None:
        """Return the working entry that the observation makes untrue, or names the fact of."""
        if not observation.replaces or observation.replaces not in self.observed.shown:
            return None
        named = working.find(self.state, observation.replaces)
        if named is None:
            named = next((entry for entry in self.state.entries if entry.fact_id == observation.replaces), None)
        return named if named is not None and _can_replace(observation, named) else None

    def _into_working(self, observation: Observation, replaced: WorkingEntry | None) -> WorkingEntry:
        same = self._same_entry(observation) if replaced is None else None
        if same is not None and not _grows(same, observation):
            self.state, _ = working.refresh(self.state, same.id, self.layout.working_config)
            self._note("merged", "working", observation, "said again", same.id)
            return same
        leaving = replaced or same
        if leaving is not None:
            self.state, _ = working.evict(self.state, leaving.id)
            if replaced is not None:
                self.evicted.append(leaving)
        entry = self._entry(observation, same)
        self.state, evicted = working.add(self.state, entry, self.layout.working_config)
        self.evicted.extend(evicted)
        status: Status = "stored" if leaving is None else "superseded" if replaced is not None else "merged"
        self._note(status, "working", observation, "", entry.id, leaving.id if leaving else "")
        return entry

    def _same_entry(self, observation: Observation) -> WorkingEntry | None:
        said = claim_of(observation)
        verdicts = ((entry, compare(claim_of(entry), said)) for entry in reversed(self.state.entries))
        return next((entry for entry, verdict in verdicts if verdict in ("same", "refines")), None)

    def _entry(self, observation: Observation, refined: WorkingEntry | None) -> WorkingEntry:
        return WorkingEntry(
            id=self.ctx.clock.new_id("wm"),
            content=observation.content,
            importance=max(observation.importance, refined.importance if refined else 0.0),
            pinned=observation.importance >= PIN_IMPORTANCE or (refined is not None and refined.pinned),
            durability=observation.durability,
            category=observation.category,
            subject=observation.subject,
            sources=self._sources(observation),
            made_by=self.ctx.path,
            episode_id=refined.episode_id if refined else "",
            fact_id=refined.fact_id if refined else "",
            **_claim(observation),
        )

    def _into_episodic(self, observation: Observation) -> str:
        significant = qualifies(observation.durability, observation.importance, self.layout.episodic_config)
        if self.layout.episodic is None or not significant:
            return ""
        episode = Episode(
            id=self.ctx.clock.new_id("ep"),
            content=observation.content,
            subject=observation.subject,
            category=observation.category,
            durability=observation.durability,
            significance=observation.importance,
            encoded_at=self.ctx.clock.now(),
            occurred_at_turn=self.ctx.turn,
            session_id=self.ctx.session,
            made_by=self.ctx.path,
            sources=self._sources(observation),
            **_claim(observation),
        )
        self.episodes.append(episode)
        self._note("stored", "episodic", observation, "", episode.id)
        return episode.id

    def _is_late(self, observation: Observation, entry: WorkingEntry) -> bool:
        """Return whether it was said before the entry was: a turn that failed is read again after later ones."""
        said = self._said_at(observation)
        return said is not None and bool(entry.sources) and all(said < source.ordered for source in entry.sources)

    def _into_semantic(self, observation: Observation, replaced: WorkingEntry | None, episode_id: str) -> str:
        if self.facts is None or not _stable(observation):
            return ""
        offered = FactInput(
            subject=observation.subject,
            content=observation.content,
            confidence=observation.importance,
            category=cast(FactCategory, observation.category),
            sources=self._sources(observation),
            source_episode_ids=[episode_id] if episode_id else [],
            valid_from=self._said_at(observation),
            replaces=self._retired(observation, replaced),
            **observation.claim_fields(),
        )
        outcome = self.facts.reconcile(offered)
        self.outcomes.append(outcome)
        settled = self.facts.get(outcome.id) if outcome.id else None
        if settled is not None and settled.status != "current":  # what was said later holds
            self.called_off.extend(offered.source_episode_ids)
        return outcome.id

    def _retired(self, observation: Observation, replaced: WorkingEntry | None) -> str:
        if replaced is not None and replaced.fact_id:
            return replaced.fact_id
        return observation.replaces if observation.replaces in self._shown_facts() else ""

    def _sources(self, observation: Observation) -> list[Source]:
        return [turn.source() for turn in turns_behind(observation.content, self.observed.exchange.said)]

    def _said_at(self, observation: Observation) -> datetime | None:
        return max((source.ordered for source in self._sources(observation)), default=None)

    def _note(
        self,
        status: Status,
        tier: TierName,
        observation: Observation,
        reason: str,
        made: str = "",
        replaced: str = "",
    ) -> None:
        self.outcomes.append(
            Outcome(
                status=status,
                tier=tier,
                id=made,
                content=observation.content,
                replaced=replaced,
                reason=reason,
            )
        )


def _claim(observation: Observation) -> ClaimFields:
    return fields(claim_of(observation), subject_key(observation.subject))


def _stable(observation: Observation) -> bool:
    """Return whether the observation is lasting and of a kind that becomes a fact."""
    return observation.durability in LASTING and observation.category in FACT_CATEGORIES


def _can_replace(observation: Observation, entry: WorkingEntry) -> bool:
    """Return whether the observation is about the same subject and kind of thing, so that it may retire the entry."""
    alike = entry.category == observation.category or {entry.category, observation.category} <= set(PLANS)
    return alike and entry.subject == observation.subject


def _grows(entry: WorkingEntry, observation: Observation) -> bool:
    """Return whether the observation says more than the entry does."""
    known, said = claim_of(entry), claim_of(observation)
    return compare(known, said) == "refines" and fuller(known, said) is said
