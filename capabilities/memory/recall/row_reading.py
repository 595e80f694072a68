"""What a search reads of the rows that rank best, inside one short transaction."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from capabilities.claims import USER
from capabilities.episodic import Episode
from capabilities.semantic import Fact, FactTable
from capabilities.turns import Turn
from capabilities.working import WorkingEntry
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction

from ..layout import Memory, MemoryLayout
from ..no_longer_so import Told, no_longer_so
from ..other_tiers.shelves import is_other_tier
from ..other_tiers.shelves import read as read_other_tier
from ..outdated_turns import told_of_closed
from ..people.oneself import subjects_of
from ..tags import tag_test
from .eligible import still_allowed
from .past import valid_then
from .prior import of_fact
from .ranked import Outdated, RankedMemory
from .request import RecallRequest
from .snapshot import Snapshot

if TYPE_CHECKING:
    from capabilities.retrieval.ranking import Ranking

M = TypeVar("M", bound=BaseModel)
LOOKED_THROUGH = 1_000
"""How many memories of a tier are looked at where only those are wanted that rest on some turns."""
OWN = frozenset({"traces_user", "traces_thread", "mind_beliefs"})
"""The collections in which nobody but the user speaks of themselves."""


@dataclass(frozen=True, slots=True)
class Read:
    """The rows that may be shown, each with its number in the ranking, best first within their tier."""

    turns: Sequence[tuple[int, Turn]]
    memories: Sequence[tuple[int, Memory]]
    """Facts, then episodes, then entries: those that are so, and rest on turns that are asked for."""
    changed: Sequence[tuple[Fact, Fact]]
    """Superseded facts that the cue finds, each with the current one that took its place."""
    then: Sequence[RankedMemory]
    """The facts that tell what is asked for of the time that the cue asks about, best first; those over say so."""
    other_tiers: Sequence[tuple[int, RankedMemory]]
    """Traces and entries of minds, best first within their collection."""
    are_facts: bool
    """Whether there are facts, which may tell more of what is shown."""


def read_rows(
    tx: Transaction,
    ctx: Context,
    layout: MemoryLayout,
    request: RecallRequest,
    snapshot: Snapshot,
    ranking: "Ranking",
) -> Read | None:
    """Return the best rows of each tier as they are now; None where an index was made anew since they were ranked."""
    allowed = still_allowed(tx, ctx, layout, request, snapshot.candidates, snapshot.embedded.space)
    if allowed is None:
        return None
    ranking.allow(allowed)
    reading = _Reading(tx, layout, request, snapshot, ranking, tag_test(tx, layout, request.tags))
    facts = reading.facts()
    current = [(number, fact) for number, fact in facts if request.is_past or fact.status == "current"]
    then = [] if request.is_past else reading.then(facts, ctx.clock.now())
    valid_ids = {fact.id for fact in then}
    current += [(number, fact) for number, fact in facts if fact.id in valid_ids and fact.status != "current"]
    outdated = [fact for _, fact in facts if not request.is_past and fact.status != "current"]
    table = FactTable(tx, layout.semantic, ctx.clock) if layout.semantic is not None else None
    memories: list[tuple[int, Memory]] = [*current, *reading.episodes(), *reading.entries()]
    return Read(
        turns=reading.best("turn", layout.turns, snapshot.limit),
        memories=[(number, memory) for number, memory in memories if reading.wants(memory)],
        changed=reading.changed(table, outdated) if table is not None else [],
        then=[_as_it_was(fact, table) for fact in then if reading.wants(fact)] if table is not None else [],
        other_tiers=reading.other_tiers(ctx),
        are_facts=layout.semantic is not None and bool(tx.index(layout.semantic)),
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """One search's reading inside its transaction."""

    tx: Transaction
    layout: MemoryLayout
    request: RecallRequest
    snapshot: Snapshot
    ranking: "Ranking"
    has_tags: Callable[[str], bool]
    """What tells by its id whether a turn has the tags that are asked for."""

    def wants(self, memory: Memory) -> bool:
        """Return whether a memory rests on a turn that is asked for."""
        return self.request.rests_on_such(memory.sources, self.has_tags)

    def best(self, tier: str, collection: "Collection[M]", limit: int) -> "list[tuple[int, M]]":
        """Return the best rows of a tier."""
        further = tier != "turn" and self.request.asks_for_turns
        numbers = self.ranking.best(max(limit, LOOKED_THROUGH) if further else limit, tier)
        if not numbers:
            return []
        by_id = {self.ranking.candidates.row_id(number): number for number in numbers}
        found = self.tx.get_many(collection, list(by_id))
        return [(by_id[str(getattr(row, "id"))], row) for row in found]  # noqa: B009

    def facts(self) -> list[tuple[int, Fact]]:
        """Return the best facts, as many as it takes to have enough current ones among them."""
        if self.layout.semantic is None:
            return []
        limit = wanted = self.snapshot.limit
        while True:
            rows = self.best("semantic", self.layout.semantic, wanted)
            current = sum(fact.status == "current" for _, fact in rows)
            if self.request.is_past or current >= limit or len(rows) < wanted:
                return rows
            wanted = 2 * max(wanted, len(rows))

    def then(self, facts: Sequence[tuple[int, Fact]], now: datetime) -> list[Fact]:
        """Return which facts tell what is asked for of another time that the cue asks about, best first."""
        answers = self.ranking.question.people.answers
        told = [] if answers is None else [fact for number, fact in facts if answers[number] > 0]
        return valid_then(self.ranking.question.cue, told, now) if told else []

    def episodes(self) -> list[tuple[int, Episode]]:
        """Return the best episodes that are not over."""
        if self.layout.episodic is None:
            return []
        rows = self.best("episodic", self.layout.episodic, self.snapshot.limit)
        gone = no_longer_so(self.tx, self.layout, [episode for _, episode in rows])
        return [(number, episode) for number, episode in rows if episode.id not in gone]

    def entries(self) -> Iterator[tuple[int, WorkingEntry]]:
        """Yield the entries of working memory that are there still, say what they said, and are not over."""
        then = self.snapshot.entries
        working = self.tx.read(self.layout.working).entries if then else ()
        valid = [entry for entry in working if entry.id in then]
        entries = {entry.id: entry.model_copy(update={"subject": then[entry.id].subject}) for entry in valid}
        gone = no_longer_so(self.tx, self.layout, list(entries.values()))
        for number in self.ranking.best(len(then), "working"):
            entry = entries.get(self.ranking.candidates.row_id(number))
            if entry is not None and entry.content == then[entry.id].content and entry.id not in gone:
                yield number, entry

    def other_tiers(self, ctx: Context) -> list[tuple[int, RankedMemory]]:
        """Return the best traces and entries of minds that are asked for, as they are now."""
        found: list[tuple[int, RankedMemory]] = []
        for group in self.snapshot.candidates:
            if not is_other_tier(group.tier):
                continue
            limit = self.snapshot.limit
            numbers = self.ranking.best(
                max(limit, LOOKED_THROUGH) if self.request.asks_for_turns else limit, group.tier
            )
            by_id = {group.index.ids[number - group.start]: number for number in numbers}
            read = _outdated_in_other_tier(
                self.tx, ctx, self.layout, group.tier, read_other_tier(self.tx, ctx, group.tier, list(by_id))
            )
            found += [
                (by_id[memory.id], memory) for memory in read if self.request.wants_of_other_tier(memory, self.has_tags)
            ]
        return found

    def changed(self, table: FactTable, outdated: Sequence[Fact]) -> list[tuple[Fact, Fact]]:
        """Return superseded facts, each with the current one that took its place."""
        pairs = ((old, table.get(table.latest(old.id))) for old in outdated)
        return [(old, new) for old, new in pairs if new is not None and new.status == "current" and self.wants(new)]


def _as_it_was(fact: Fact, table: FactTable) -> RankedMemory:
    """Return a fact as recall shows it, with what took its place where it is over."""
    outdated = told_of_closed(fact, table) if fact.status != "current" else None
    return of_fact(fact).model_copy(update={"outdated": [outdated] if outdated is not None else []})


def _outdated_in_other_tier(
    tx: Transaction, ctx: Context, layout: MemoryLayout, key: str, found: Sequence[RankedMemory]
) -> list[RankedMemory]:
    """Return the rows of a collection, marked where a fact about the user that was stated later makes them untrue."""
    if key not in OWN or not found:
        return list(found)
    mine = subjects_of(ctx.user, layout)
    subject = USER if USER in mine else min(mine)
    now = ctx.clock.now()
    told = [Told(note.id, note.content, subject, note.sources, note.said_at or now) for note in found]
    gone = no_longer_so(tx, layout, told)
    return [note if note.id not in gone or note.outdated else _marked(note) for note in found]


def _marked(memory: RankedMemory) -> RankedMemory:
    return memory.model_copy(update={"outdated": [Outdated(was=memory.content)]})
