"""Consolidate: what episodes show together becomes facts. Guard, then generate, then persist."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from capabilities.claims import ATTRIBUTES, known_of
from capabilities.episodic import Episode, EpisodeLog
from capabilities.memory.layout import MemoryLayout
from capabilities.memory.state import MemoryState
from capabilities.semantic import Fact, FactInput, FactTable, Reconciliation
from capabilities.semantic.order import is_late, last_said, stated
from capabilities.sources import Outcome, Source, unite
from capabilities.vocabulary import MAX_OBSERVATIONS, ConsolidationPlan, FactProposal
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Collection, Transaction
from fabric.flow.sequencer import sequencer
from fabric.generation.generator import ModelChoice
from fabric.models.server import ModelServer
from fabric.text.prompt import data_block, new_mark, one_line

from ..asking import asking_block
from ..capture.model_answers import plain_text, refusals
from ..prompts import prompt
from .fact_owner import Told, told_of_one
from .fact_views import facts_by_subject, known_fact
from .rules import plan_from_episodes
from .upkeep import FORGOTTEN, Upkeep, embedded_at_once, is_forced, left

MAX_EPISODES = 50
"""How many episodes one consolidation reads; the rest wait for the next one."""
SHOWN_FACTS = 200
"""How many of the best known facts a consolidation compares with."""


class Evidence(BaseModel):
    """The input of a consolidation: the episodes to distil, and the facts that are known."""

    model_config = ConfigDict(frozen=True)

    episodes: list[Episode]
    facts: list[Fact]

    @property
    def ids(self) -> list[str]:
        """The ids of all of it."""
        return [*(episode.id for episode in self.episodes), *(fact.id for fact in self.facts)]


class ConsolidationResult(Upkeep):
    """What a consolidation did. ``skipped`` says why nothing was to do, and is "" otherwise."""

    added: int = 0
    reinforced: int = 0
    updated: int = 0
    invalidated: int = 0


def consolidate_block(
    layout: MemoryLayout, model: ModelChoice | None, server: ModelServer | None = None
) -> Block[object, ConsolidationResult]:
    """Return the consolidation of a layout with episodic and semantic memory.

    Its input may be ``{"force": True}`` to consolidate although the trigger conditions do not hold.
    """
    if layout.episodic is None or layout.semantic is None:
        raise ValueError("consolidation needs episodic and semantic memory")
    episodes, facts = layout.episodic, layout.semantic
    name = f"{layout.name}/consolidate"
    generate = _generate(name, model, server)
    return (
        sequencer(name=name)
        .then(_guard(name, layout, episodes, facts))
        .exit_if(lambda found: isinstance(found, ConsolidationResult))
        .parallel({"evidence": handler(lambda evidence: evidence, name=f"{name}/evidence"), "plan": generate})
        .then(_persist(name, layout, episodes, facts))
    )


def _counted(tx: Transaction, layout: MemoryLayout) -> MemoryState:
    """Return the counters, with what left this session's working memory since its last capture moved into them."""
    before = tx.read(layout.working)
    state, entries = tx.read(layout.state).counting(before)
    if entries is not before:
        tx.write(layout.state, state)
        tx.write(layout.working, entries)
    return state


def _guard(
    name: str, layout: MemoryLayout, episodes: Collection[Episode], facts: Collection[Fact]
) -> Block[object, Evidence | ConsolidationResult]:
    @handler(name=f"{name}/guard", uses=[layout.state, layout.working, episodes, facts])
    async def guard(value: object, ctx: Context) -> Evidence | ConsolidationResult:
        def work(tx: Transaction) -> Evidence | ConsolidationResult:
            state, now = _counted(tx, layout), ctx.clock.now()
            if not is_forced(value) and not state.due(layout.semantic_config.consolidation):
                return ConsolidationResult(skipped="not due: not enough new episodes or turns since the last one")
            log = EpisodeLog(tx, episodes, layout.episodic_config)
            unread = log.unconsolidated()
            log.mark_consolidated(
                episode.id for episode in unread if episode.superseded
            )  # what replaced them is known already
            current = [episode for episode in unread if not episode.superseded]
            others = state.taken_by_others(ctx.session, now)
            fresh = sorted([episode for episode in current if episode.id not in others][:MAX_EPISODES], key=_said)
            if current and not fresh:
                return ConsolidationResult(skipped="another session is consolidating the episodes there are")
            if not fresh:
                tx.write(layout.state, state.reset(consolidated=False))
                return ConsolidationResult(skipped="no episodes that were not consolidated yet")
            tx.write(layout.state, state.takes(ctx.session, [episode.id for episode in fresh], now))
            known = FactTable(tx, facts, ctx.clock).current()
            return Evidence(episodes=fresh, facts=known[:SHOWN_FACTS])

        return await ctx.transact(work)

    return guard


def _said(episode: Episode) -> datetime:
    return last_said(episode.sources, None) or episode.encoded_at


def _generate(name: str, model: ModelChoice | None, server: ModelServer | None) -> Block[Evidence, ConsolidationPlan]:
    if model is None:

        @handler(name=f"{name}/generate")
        def by_rules(evidence: Evidence) -> ConsolidationPlan:
            said = [
                known_of(episode, episode.id, episode.category, episode.significance) for episode in evidence.episodes
            ]
            known = [known_fact(fact) for fact in sorted(evidence.facts, key=stated)]
            return plan_from_episodes(said, known)

        return by_rules
    system = prompt("consolidate", limit=MAX_OBSERVATIONS, attributes=", ".join(ATTRIBUTES))
    return asking_block(f"{name}/generate", model, system, _evidence_prompt, ConsolidationPlan, server=server)


def _evidence_prompt(evidence: Evidence, ctx: Context) -> str:
    mark = new_mark(ctx.clock)
    lines = [
        f"- {episode.id} [{one_line(episode.subject)}, {episode.encoded_at.date().isoformat()}] "
        f"{one_line(episode.content)}"
        for episode in evidence.episodes
    ]
    return prompt(
        "consolidate_evidence",
        facts=data_block("facts", facts_by_subject(evidence.facts), mark) or "none",
        episodes=data_block("episodes", "\n".join(lines), mark),
    )


def _persist(
    name: str, layout: MemoryLayout, episodes: Collection[Episode], facts: Collection[Fact]
) -> Block[dict[str, object], ConsolidationResult]:
    @handler(name=f"{name}/persist", uses=[layout.state, episodes, facts])
    async def persist(both: dict[str, object], ctx: Context) -> ConsolidationResult:
        evidence, plan = both["evidence"], both["plan"]
        if not isinstance(evidence, Evidence) or not isinstance(plan, ConsolidationPlan):
            raise TypeError("persist takes the evidence and the plan of one consolidation")
        refused, plan = refusals(plan), plain_text(plan)
        texts = [proposal.content for proposal in plan.facts]
        embedded = await embedded_at_once(layout.meaning, texts)

        # Happens once without a journal: its episodes and counters say in the same transaction that it was done.
        def work(tx: Transaction) -> ConsolidationResult:
            tx.embedded = embedded.by_text(texts)
            table = FactTable(tx, facts, ctx.clock, ctx.path, episodes)
            if len(tx.get_many(episodes, evidence.ids)) + len(tx.get_many(facts, evidence.ids)) < len(evidence.ids):
                tx.write(layout.state, tx.read(layout.state).takes(ctx.session, [], ctx.clock.now()))
                return ConsolidationResult(skipped=FORGOTTEN)
            result = apply_plan(plan.facts, evidence, table).told(refused, tx.embedded, ctx)
            log = EpisodeLog(tx, episodes, layout.episodic_config)
            log.mark_consolidated(episode.id for episode in evidence.episodes)
            state = tx.read(layout.state).reset(consolidated=bool(plan.facts)).takes(ctx.session, [], ctx.clock.now())
            tx.write(layout.state, state.reflected(episodic_writes=0, evicted_lasting=0, facts=result.added))
            return result

        return await ctx.transact(work)

    return persist


def apply_plan(proposals: list[FactProposal], evidence: Evidence, table: FactTable) -> ConsolidationResult:
    """Apply proposals to the facts. Only facts that the evidence showed can be changed; unknown ids are ignored."""
    shown = {fact.id: fact for fact in evidence.facts}
    episodes = {episode.id: episode for episode in evidence.episodes}
    reconciliation = table.reconciliation(is_filed=True)
    told = [told_of_one(proposal, episodes, is_shared=reconciliation.is_shared) for proposal in proposals]
    stated_anew = [row.proposal for row in told if row.proposal.action in ("new", "update")]
    reconciliation.look_up(stated_anew, [proposal.target_fact_id for proposal in proposals])
    outcomes = [
        left(row.proposal.content, f"refused: {row.refused}")
        if row.refused
        else _apply(row, shown, episodes, reconciliation)
        for row in told
    ]
    reconciliation.write()
    counted: dict[str, int] = dict.fromkeys(("new", "reinforce", "update", "invalidate"), 0)
    for proposal, outcome in zip(proposals, outcomes, strict=True):
        if outcome.status in ("stored", "merged", "superseded"):
            counted[_done(proposal, outcome)] += 1
    return ConsolidationResult(
        added=counted["new"],
        reinforced=counted["reinforce"],
        updated=counted["update"],
        invalidated=counted["invalidate"],
        outcomes=outcomes,
        drawn_from=evidence.ids if any(not outcome.id for outcome in outcomes) else [],
    )


def _done(proposal: FactProposal, outcome: Outcome) -> str:
    if proposal.action == "new" and outcome.status != "stored":
        return "update" if outcome.replaced else "reinforce"
    return proposal.action


def _apply(told: Told, shown: dict[str, Fact], evidence: dict[str, Episode], table: Reconciliation) -> Outcome:
    proposal = told.proposal
    target = table.get(proposal.target_fact_id) if proposal.target_fact_id in shown else None
    offered = _offered(proposal, told.episodes, evidence, target)
    if proposal.action == "new":
        return table.reconcile(offered)
    refused = _refusal(proposal, target)
    if target is None or refused:
        return left(proposal.content, refused)
    if proposal.action == "reinforce":
        return table.repeat(target, offered.sources, offered.source_episode_ids)
    if proposal.action == "update":
        return table.reconcile(offered.model_copy(update={"replaces": target.id}))
    return _invalidated(target, proposal.content, offered, table)


def _invalidated(target: Fact, why: str, offered: FactInput, table: Reconciliation) -> Outcome:
    if is_late(offered.sources, target, offered.valid_from):
        return left(target.content, f"{target.id} was said later than what ends it: left as it is")
    if not table.close(target, f"invalidated: {why or 'contradicted by episodes'}"):
        return left(target.content, f"{target.id} is no longer current")
    return Outcome(status="superseded", tier="semantic", content=target.content, replaced=target.id)


def _refusal(proposal: FactProposal, target: Fact | None) -> str:
    """Return why a proposal may not touch the fact that it names, or ""."""
    if target is None:
        return f"no shown fact {proposal.target_fact_id!r}: id ignored"
    if target.subject != proposal.subject:
        return f"{target.id} is about {target.subject}, not {proposal.subject}: left as it is"
    if proposal.action == "reinforce" and target.status != "current":
        return f"{target.id} is no longer current"
    if proposal.action != "reinforce" and target.category != proposal.category:
        return f"{target.id} is a {target.category}, not a {proposal.category}: left as it is"
    return ""


def _offered(
    proposal: FactProposal, rests_on: Sequence[Episode], evidence: dict[str, Episode], target: Fact | None
) -> FactInput:
    sources: list[Source] = []
    for episode in rests_on:
        sources = unite(sources, episode.sources)
    return FactInput(
        subject=proposal.subject,
        content=proposal.content,
        confidence=proposal.confidence,
        category=proposal.category,
        sources=sources,
        source_episode_ids=[episode.id for episode in rests_on],
        valid_from=_since(sources, target) if sources else min(map(_said, evidence.values()), default=None),
        **proposal.claim_fields(),
    )


def _since(sources: Sequence[Source], target: Fact | None) -> datetime:
    """Return since when it is so: first said after what it changes was said last."""
    held = stated(target)[0] if target is not None else None
    later = [source.ordered for source in sources if held is None or source.ordered > held]
    return min(later or [source.ordered for source in sources])
