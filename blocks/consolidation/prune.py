"""Prune: the set of facts is reviewed as a whole, noise removed and fragments merged. Guard, generate, persist."""

from collections.abc import Sequence
from itertools import combinations

from pydantic import BaseModel, ConfigDict

from capabilities.claims import Claim, Verdict, claim_of, compare, read_as
from capabilities.claims.values.same_value import distinctive, tokens
from capabilities.formulas.similarity import overlap
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import Fact, FactTable, PruneConfig
from capabilities.semantic.order import stated
from capabilities.semantic.state import contests
from capabilities.sources import Outcome
from capabilities.vocabulary import Merge, PrunePlan, Removal
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Collection, Transaction
from fabric.flow.sequencer import sequencer
from fabric.generation.generator import ModelChoice
from fabric.models.server import ModelServer
from fabric.text.prompt import data_block, new_mark
from fabric.text.words import content_words

from ..asking import asking_block
from ..capture.model_answers import plain_text, refusals
from ..prompts import prompt
from .fact_views import facts_by_subject, known_fact
from .prune_rules import plan_prune
from .upkeep import FORGOTTEN, Upkeep, embedded_at_once, is_forced, left

REVIEWED = 200
"""How many facts one review looks at, the least reinforced first."""

KEPT_WORDS = 0.5
"""The share of each source's words that a merged text must hold."""


class Review(BaseModel):
    """The facts that a prune looks at."""

    model_config = ConfigDict(frozen=True)

    facts: list[Fact]


class PruneResult(Upkeep):
    """What a prune did. ``skipped`` says why nothing was to do, and is "" otherwise."""

    removed: int = 0
    merged: int = 0


def prune_block(
    layout: MemoryLayout, model: ModelChoice | None, server: ModelServer | None = None
) -> Block[object, PruneResult]:
    """Return the pruning of a layout with semantic memory.

    Its input may be ``{"force": True}`` to review although there are fewer facts than the threshold.
    """
    if layout.semantic is None:
        raise ValueError("pruning needs semantic memory")
    facts, config = layout.semantic, layout.semantic_config.prune
    name = f"{layout.name}/prune"
    return (
        sequencer(name=name)
        .then(_guard(name, layout, facts, config))
        .exit_if(lambda found: isinstance(found, PruneResult))
        .parallel(
            {
                "review": handler(lambda review: review, name=f"{name}/review"),
                "plan": _generate(name, model, config, server),
            }
        )
        .then(_persist(name, layout, facts, config))
    )


def _guard(
    name: str, layout: MemoryLayout, facts: Collection[Fact], config: PruneConfig
) -> Block[object, Review | PruneResult]:
    @handler(name=f"{name}/guard", uses=[layout.state, facts])
    async def guard(value: object, ctx: Context) -> Review | PruneResult:
        def work(tx: Transaction) -> Review | PruneResult:
            table = FactTable(tx, facts, ctx.clock)
            count = table.count()
            due = tx.read(layout.state).prune_due(count, config.prune_threshold)
            if count == 0 or not (is_forced(value) or due):
                return PruneResult(
                    skipped=f"not due: {count} facts; pruning starts at {config.prune_threshold}, "
                    "and again when a quarter of that is new"
                )
            return Review(facts=table.current()[-REVIEWED:])

        return await ctx.transact(work)

    return guard


def _generate(
    name: str, model: ModelChoice | None, config: PruneConfig, server: ModelServer | None
) -> Block[Review, PrunePlan]:
    if model is None:

        @handler(name=f"{name}/generate")
        def by_rules(review: Review) -> PrunePlan:
            oldest_first = sorted(review.facts, key=stated)
            return plan_prune([known_fact(fact) for fact in oldest_first], _unordered(oldest_first))

        return by_rules

    def user(review: Review, ctx: Context) -> str:
        return prompt("prune_facts", facts=data_block("facts", facts_by_subject(review.facts), new_mark(ctx.clock)))

    system = prompt(
        "prune",
        protected_reinforcements=config.protected_reinforcements,
        protected_confidence=config.protected_confidence,
    )
    return asking_block(f"{name}/generate", model, system, user, PrunePlan, server=server)


def _persist(
    name: str, layout: MemoryLayout, facts: Collection[Fact], config: PruneConfig
) -> Block[dict[str, object], PruneResult]:
    @handler(name=f"{name}/persist", uses=[layout.state, facts])
    async def persist(both: dict[str, object], ctx: Context) -> PruneResult:
        review, plan = both["review"], both["plan"]
        if not isinstance(review, Review) or not isinstance(plan, PrunePlan):
            raise TypeError("persist takes the review and the plan of one prune")
        refused, plan = refusals(plan), plain_text(plan)
        texts = [merge.merged_content for merge in plan.merges]
        embedded = await embedded_at_once(layout.meaning, texts)

        # Happens once without a journal: what was reviewed is no longer due, in the same transaction.
        def work(tx: Transaction) -> PruneResult:
            tx.embedded = embedded.by_text(texts)
            table = FactTable(tx, facts, ctx.clock, ctx.path)
            if len(tx.get_many(facts, [fact.id for fact in review.facts])) < len(review.facts):
                return PruneResult(skipped=FORGOTTEN)
            tx.write(layout.state, tx.read(layout.state).pruned())
            return apply_prune(plan, review, table, config).told(refused, tx.embedded, ctx)

        return await ctx.transact(work)

    return persist


def apply_prune(plan: PrunePlan, review: Review, table: FactTable, config: PruneConfig) -> PruneResult:
    """Apply a plan to the facts. Every id is checked before anything is removed; protected facts stay."""
    shown = {fact.id: fact for fact in review.facts}
    merging = {fact_id for merge in plan.merges for fact_id in merge.source_fact_ids}
    outcomes = [_merge(merge, shown, table, config) for merge in plan.merges]
    outcomes += [_remove(removal, shown, table, config) for removal in plan.removals if removal.fact_id not in merging]
    return PruneResult(
        removed=sum(outcome.status == "superseded" for outcome in outcomes),
        merged=sum(outcome.status == "merged" for outcome in outcomes),
        outcomes=outcomes,
        drawn_from=[fact.id for fact in review.facts] if any(not outcome.id for outcome in outcomes) else [],
    )


def _merge(merge: Merge, shown: dict[str, Fact], table: FactTable, config: PruneConfig) -> Outcome:
    ids = list(dict.fromkeys(merge.source_fact_ids))
    known = [shown[record_id] for record_id in ids if record_id in shown]
    if len(known) < len(ids):
        unknown = ", ".join(repr(record_id) for record_id in ids if record_id not in shown)
        return left(merge.merged_content, f"merge names unknown ids ({unknown}): everything was kept")
    if len(known) < 2:
        return left(merge.merged_content, "a merge needs two facts: everything was kept")
    if len({fact.subject for fact in known}) > 1:
        return left(merge.merged_content, "a merge across subjects: everything was kept")
    lost = next((fact for fact in known if _loses(fact, merge.merged_content, config)), None)
    if lost is not None:
        return left(merge.merged_content, f"the merged text drops what {lost.id} says: everything was kept")
    merged = table.merge(ids, merge.merged_content, merge.reason)
    if merged is None:
        return left(merge.merged_content, "one of the facts is no longer current: everything was kept")
    return Outcome(status="merged", tier="semantic", id=merged.id, content=merged.content, replaced=", ".join(ids))


def _loses(fact: Fact, merged: str, config: PruneConfig) -> bool:
    """Return whether a merged text drops what a fact says: of a protected fact, any word that is not grammar."""
    mine, theirs = content_words(fact.content), content_words(merged)
    protected = (
        fact.reinforcement_count >= config.protected_reinforcements or fact.confidence >= config.protected_confidence
    )
    if protected and not mine <= theirs:
        return True
    told, said = claim_of(fact), read_as(merged, fact.subject)
    named = distinctive(fact.content) <= distinctive(merged) | frozenset(tokens(merged))
    verdict = compare(told, said)
    return overlap(mine, theirs) < KEPT_WORDS or not named or verdict in ("replaces", "ends") or _denies(told, said)


def _denies(told: Claim, said: Claim) -> bool:
    return (told.polarity == "holds") != (said.polarity == "holds")


def _remove(removal: Removal, shown: dict[str, Fact], table: FactTable, config: PruneConfig) -> Outcome:
    fact = shown.get(removal.fact_id)
    if fact is None:
        return left("", f"no shown fact {removal.fact_id!r}: id ignored")
    newer = _newer(fact, shown)
    is_over = bool(newer & {"replaces", "ends"})
    if fact.reinforcement_count >= config.protected_reinforcements and not is_over:
        return left(fact.content, f"protected: said {fact.reinforcement_count} times")
    if fact.confidence >= config.protected_confidence and newer <= {"unrelated"}:
        return left(fact.content, f"protected: confidence {fact.confidence:.2f} and nothing newer contradicts it")
    if not table.remove(fact.id, f"pruned: {removal.reason}", "over" if is_over else "tidied"):
        return left(fact.content, "no longer current")
    return Outcome(status="superseded", tier="semantic", content=fact.content, replaced=fact.id, reason=removal.reason)


def _newer(fact: Fact, shown: dict[str, Fact]) -> set[Verdict]:
    """Return how the facts of its subject that were stated later relate to a fact."""
    claim = claim_of(fact)
    later = (other for other in shown.values() if other.id != fact.id and stated(other) >= stated(fact))
    return {compare(claim, claim_of(other)) for other in later}


def _unordered(facts: Sequence[Fact]) -> frozenset[frozenset[str]]:
    """Return the pairs of facts of which neither can be said to be the later one."""
    places: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        if fact.slot:
            places.setdefault((fact.subject, fact.slot), []).append(fact)
    return frozenset(
        frozenset({fact.id, other.id})
        for place in places.values()
        for fact, other in combinations(place, 2)
        if contests(claim_of(other), other.sources, claim_of(fact), fact.sources)
        or (stated(fact)[0] == stated(other)[0] and not fact.sources and not other.sources)
    )
