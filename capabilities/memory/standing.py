"""Recall without a cue: every memory by its tier's formula, each thing once, the most relevant first."""

from collections.abc import Iterable
from datetime import datetime

from fabric.context import Context
from fabric.resource import Transaction
from fabric.text import words

from ..episodic import Episode, EpisodeLog
from ..formulas import relevance
from ..formulas.similarity import ALIKE, overlap
from ..semantic import Fact, FactTable
from ..working import WorkingEntry
from .layout import MemoryLayout
from .ranked import Parts, RankedMemory, Tier


def standing_memories(
    tx: Transaction, ctx: Context, layout: MemoryLayout, as_of: datetime | None, known_at: datetime | None
) -> list[RankedMemory]:
    """Return what is remembered: the facts, and of now also the working entries and the episodes."""
    facts = [of_fact(one) for one in facts_at(tx, ctx, layout, as_of, known_at)]
    if as_of is not None or known_at is not None:
        return facts
    return [*facts, *(of_entry(one) for one in tx.read(layout.working).entries), *_episodes(tx, layout)]


def distinct(found: Iterable[RankedMemory]) -> list[RankedMemory]:
    """Return the memories without those that more than 60 % of whose words one kept before them holds.

    Facts are kept before working entries, those before episodes; within a tier the more relevant first.
    """
    order: dict[Tier, int] = {"semantic": 0, "working": 1, "episodic": 2, "turn": 3}
    kept: list[tuple[RankedMemory, set[str]]] = []
    for one in sorted(found, key=lambda memory: (order[memory.source], -memory.relevance)):
        own = set(words(one.content))
        # Facts come first and never repeat one another: to compare thousands of them pair by pair would take seconds.
        if one.source == "semantic" or not any(repeats(one, own, other, theirs) for other, theirs in kept):
            kept.append((one, own))
    return [one for one, _ in kept]


def repeats(one: RankedMemory, own: set[str], other: RankedMemory, theirs: set[str]) -> bool:
    """Return whether one memory, with its words, says no more than another one does."""
    # Facts were compared with each other when they were written: two that stand side by side are two.
    if one.source == other.source == "semantic" or one.subject != other.subject:
        return False
    return overlap(own, theirs) > ALIKE


def facts_at(
    tx: Transaction, ctx: Context, layout: MemoryLayout, as_of: datetime | None, known_at: datetime | None
) -> list[Fact]:
    """Return the facts that were true at ``as_of`` by what was known at ``known_at``; None stands for now."""
    if layout.semantic is None:
        return []
    table = FactTable(tx, layout.semantic, ctx.clock)
    if as_of is not None:
        return table.held(as_of, known_at or ctx.clock.now())
    return table.known(known_at) if known_at is not None else table.current()


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
    one: Fact | WorkingEntry | Episode, tier: Tier, standing: float, durability: str = "persistent"
) -> RankedMemory:
    return RankedMemory(
        id=one.id,
        content=one.content,
        relevance=standing,
        standing=standing,
        parts=Parts(standing=standing),
        source=tier,
        subject=one.subject,
        category=one.category,
        durability=durability,
        sources=one.sources,
    )


def _episodes(tx: Transaction, layout: MemoryLayout) -> list[RankedMemory]:
    if layout.episodic is None:
        return []
    episodes = EpisodeLog(tx, layout.episodic, layout.episodic_config).all()
    last = len(episodes)
    return [of_episode(one, last - index, last) for index, one in enumerate(episodes) if not one.superseded]
