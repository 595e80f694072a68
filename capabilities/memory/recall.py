"""Recall across the tiers: every memory scored by its tier's formula, duplicates dropped, the most relevant first."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from fabric.context import Context
from fabric.errors import ConfigurationError
from fabric.resource import Transaction
from fabric.text import words

from ..episodic import Episode, EpisodeLog
from ..formulas import relevance
from ..formulas.similarity import ALIKE, overlap
from ..semantic import Fact, FactTable
from ..sources import Source
from ..vocabulary import Category
from ..working import WorkingEntry
from .layout import MemoryLayout

TierName = Literal["semantic", "working", "episodic"]


class RankedMemory(BaseModel):
    """One memory that was recalled: what it says, how relevant it is (0 to 1), and where it comes from."""

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    relevance: float
    source: TierName
    subject: str
    category: Category
    durability: str = "persistent"
    standing: float
    """Its relevance without the cue, by its tier's formula."""
    overlap: float = 0.0
    """The share of the cue's words found in it."""
    sources: list[Source] = []
    """The turns it rests on."""


async def recall(
    ctx: Context,
    layout: MemoryLayout,
    cue: str | None = None,
    *,
    limit: int | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> list[RankedMemory]:
    """Return what is remembered, most relevant first, each thing once.

    ``cue`` raises what shares words with it. ``as_of`` recalls the facts that were true then, ``known_at`` those that
    were known then; both look at facts only, since the other tiers keep no past. ``limit`` cuts the list.
    """
    if limit is not None and limit < 1:
        raise ConfigurationError(f"recall: limit is {limit}; expected at least 1, or None for everything")
    past = as_of is not None or known_at is not None

    def work(tx: Transaction) -> list[RankedMemory]:
        facts = _facts(tx, ctx, layout, as_of, known_at)
        if past:
            return [_fact(one) for one in facts]
        state = tx.read(layout.working)
        return [
            *(_fact(one) for one in facts),
            *(_entry(one) for one in state.entries),
            *_episodes(tx, layout),
        ]

    found = await ctx.transact(work)
    asked = words(cue or "")
    ranked = distinct(_with_cue(one, asked) for one in found) if asked else distinct(found)
    ranked.sort(key=lambda one: -one.relevance)
    return ranked[:limit]


def distinct(found: Iterable[RankedMemory]) -> list[RankedMemory]:
    """Return the memories without those that more than 60 % of whose words one kept before them holds.

    Facts are kept before working entries, those before episodes; within a tier the more relevant first.
    """
    order: dict[TierName, int] = {"semantic": 0, "working": 1, "episodic": 2}
    kept: list[tuple[RankedMemory, set[str]]] = []
    for one in sorted(found, key=lambda memory: (order[memory.source], -memory.relevance)):
        own = set(words(one.content))
        if not any(_repeats(one, own, other, theirs) for other, theirs in kept):
            kept.append((one, own))
    return [one for one, _ in kept]


def _repeats(one: RankedMemory, own: set[str], other: RankedMemory, theirs: set[str]) -> bool:
    # Facts were compared with each other when they were written: two that stand side by side are two.
    if one.source == other.source == "semantic" or one.subject != other.subject:
        return False
    return overlap(own, theirs) > ALIKE


def _with_cue(one: RankedMemory, asked: Sequence[str]) -> RankedMemory:
    share = overlap(asked, words(one.content))
    raised = relevance.with_cue(one.standing, share, one.source)
    return one.model_copy(update={"relevance": raised, "overlap": share})


def _facts(
    tx: Transaction, ctx: Context, layout: MemoryLayout, as_of: datetime | None, known_at: datetime | None
) -> list[Fact]:
    if layout.semantic is None:
        return []
    table = FactTable(tx, layout.semantic, ctx.clock)
    if as_of is not None:
        return table.held(as_of, known_at or ctx.clock.now())
    return table.known(known_at) if known_at is not None else table.current()


def _fact(fact: Fact) -> RankedMemory:
    standing = relevance.semantic(fact.confidence, fact.reinforcement_count)
    return RankedMemory(
        id=fact.id,
        content=fact.content,
        relevance=standing,
        standing=standing,
        source="semantic",
        subject=fact.subject,
        category=fact.category,
        sources=fact.sources,
    )


def _entry(entry: WorkingEntry) -> RankedMemory:
    standing = relevance.working(entry.salience)
    return RankedMemory(
        id=entry.id,
        content=entry.content,
        relevance=standing,
        standing=standing,
        source="working",
        subject=entry.subject,
        category=entry.category,
        durability=entry.durability,
        sources=entry.sources,
    )


def _episodes(tx: Transaction, layout: MemoryLayout) -> list[RankedMemory]:
    if layout.episodic is None:
        return []
    episodes = EpisodeLog(tx, layout.episodic, layout.episodic_config).all()
    last = len(episodes)
    return [_episode(one, last - index, last) for index, one in enumerate(episodes) if not one.superseded]


def _episode(episode: Episode, place: int, last: int) -> RankedMemory:
    standing = relevance.episodic(episode.significance, place, last)
    return RankedMemory(
        id=episode.id,
        content=episode.content,
        relevance=standing,
        standing=standing,
        source="episodic",
        subject=episode.subject,
        category=episode.category,
        durability=episode.durability,
        sources=episode.sources,
    )
