"""Recall without a cue: every memory by its tier's formula, each thing once, the most relevant first."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from capabilities.claims import USER, claim_of, slot, subject_key
from capabilities.episodic import Episode, EpisodeLog
from capabilities.formulas import relevance
from capabilities.semantic import Fact, FactTable
from capabilities.working import WorkingEntry
from fabric.clock import utc
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.lazy import lazy
from fabric.store.base import Where
from fabric.text.words import words

from ..contested import with_contested
from ..layout import MemoryLayout
from ..no_longer_so import no_longer_so
from ..other_tiers.shelves import everything
from ..people.oneself import noted_by
from .once import says_same
from .ranked import OTHER_TIERS, TIERS, Parts, RankedMemory, Tier
from .request import RecallRequest

if TYPE_CHECKING:
    from .. import tags
else:
    tags = lazy("..tags", __package__)


_ORDER: tuple[Tier, ...] = ("semantic", "working", "episodic", "turn", "trace", "goal", "belief", "reflection", "note")


def prior_memories(tx: Transaction, ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[RankedMemory]:
    """Return what is remembered: the facts, and of now also the working entries and the episodes that are not over.

    What stands beside the tiers is among it where the request names some tiers, and these with them.
    """
    stated = facts_at(tx, ctx, layout, request)
    facts = [of_fact(fact) for fact in stated]
    if request.is_past:
        return facts
    entries = noted_by(ctx, layout, tx.read(layout.working).entries)
    episodes = EpisodeLog(tx, layout.episodic, layout.episodic_config).all() if layout.episodic is not None else []
    gone = no_longer_so(tx, layout, [*entries, *episodes])
    noted = [of_entry(entry) for entry in entries if entry.id not in gone]
    last = len(episodes)
    lived = [
        of_episode(episode, last - place, last)
        for place, episode in enumerate(episodes)
        if not episode.superseded and episode.id not in gone
    ]
    beside = [] if request.is_about or set(request.tiers) == set(TIERS) else everything(tx, ctx, request.tiers)
    return [*with_contested(tx, layout, facts), *noted, *lived, *beside]


def distinct(found: Iterable[RankedMemory]) -> list[RankedMemory]:
    """Return the memories without those that say nothing that one kept before them does not say.

    Facts are kept before working entries, those before episodes, and all of them before what stands beside the tiers;
    within a tier the more relevant first. Facts never repeat one another, and traces do not: to compare thousands of
    them pair by pair would take seconds.
    """
    kept: list[RankedMemory] = []
    alike: dict[tuple[str, str], list[RankedMemory]] = {}
    for memory in sorted(found, key=lambda memory: (_ORDER.index(memory.source), -memory.relevance)):
        keys = [(memory.subject or USER, key) for key in (memory.slot, *words(memory.content)) if key]
        near = {other.id: other for key in keys for other in alike.get(key, ())} if memory.source != "semantic" else {}
        if not any(says_same(memory, other) for other in near.values()):
            kept.append(memory)
            for key in keys if memory.source not in OTHER_TIERS else ():
                alike.setdefault(key, []).append(memory)
    return kept


def tagged_turns(tx: Transaction, layout: MemoryLayout, request: RecallRequest) -> Callable[[str], bool]:
    """Return what tells by its id whether a turn has the tags that are asked for."""
    if not request.tags:
        return lambda _: True

    return tags.tag_test(tx, layout, request.tags)


def facts_at(tx: Transaction, ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[Fact]:
    """Return the facts that were true when the request asks, by what was known then; without a time, those of now."""
    if layout.semantic is None:
        return []
    table, known_at = FactTable(tx, layout.semantic, ctx.clock), request.known_at
    if request.valid_during is not None:
        return _during(table, request.valid_during, known_at or ctx.clock.now(), request.as_of)
    if request.as_of is not None:
        return table.valid_at(request.as_of, known_at or ctx.clock.now())
    return table.known_at(known_at) if known_at is not None else table.current()


def _during(
    table: FactTable, span: tuple[datetime, datetime], known_at: datetime, as_of: datetime | None
) -> list[Fact]:
    """Return the facts that were true at any time of a while: when it began, or from some time in it on."""
    begin, end = span
    found = table.tx.find(table.facts, Where("recorded_at", "<=", utc(known_at).isoformat()))
    valid = [fact for fact in found if any(fact.valid_at(time, known_at) for time in _times(fact, begin, end))]
    return valid if as_of is None else [fact for fact in valid if fact.valid_at(as_of, known_at)]


def _times(fact: Fact, begin: datetime, end: datetime) -> Iterable[datetime]:
    return (begin, fact.valid_from) if begin <= fact.valid_from <= end else (begin,)


def of_fact(fact: Fact) -> RankedMemory:
    """Return a fact as recall shows it."""
    return _shown(fact, "semantic", relevance.semantic(fact.confidence, fact.reinforcement_count))


def of_entry(entry: WorkingEntry) -> RankedMemory:
    """Return a working entry as recall shows it."""
    return _shown(entry, "working", relevance.working(entry.salience), entry.durability)


def of_episode(episode: Episode, place: int, last: int) -> RankedMemory:
    """Return an episode as recall shows it; ``place`` is its place in the order of encoding, ``last`` the newest's."""
    return _shown(episode, "episodic", relevance.episodic(episode.significance, place, last), episode.durability)


def _shown(
    fact: Fact | WorkingEntry | Episode, tier: Tier, prior: float, durability: str = "persistent"
) -> RankedMemory:
    return RankedMemory(
        id=fact.id,
        content=fact.content,
        relevance=prior,
        prior=prior,
        parts=Parts(prior=prior),
        source=tier,
        subject=fact.subject,
        category=fact.category,
        durability=durability,
        sources=fact.sources,
        slot=slot(claim_of(fact), subject_key(fact.subject)),
    )
