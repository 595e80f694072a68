"""Recall with a cue: turns, facts, episodes and entries through one ranker, each thing once.

It takes three steps, so that those who write need not wait while rows are ranked: a short transaction takes what the
indexes hold, the rows are ranked on a thread of the caller's, and a second transaction reads those that are shown, as
far as they still say what they said.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from fabric.context import Context
from fabric.portal import elsewhere
from fabric.resource import Collection, Transaction
from fabric.text import words

from ..claims import claim_of
from ..claims.attributes import words_of
from ..episodic import Episode
from ..formulas.similarity import overlap
from ..meaning import Embedded
from ..semantic import Fact, FactTable
from ..turns import Turn
from ..working import WorkingEntry
from .chatter import asks_the_same, names, says_nothing
from .contested import with_contested
from .layout import MemoryLayout
from .once import Once, by_turn, leader
from .over import over
from .ranked import TIERS, Parts, RankedMemory
from .request import RecallRequest
from .snapshot import Snapshot, speakers_of, take_snapshot, with_vectors
from .standing import of_entry, of_episode, of_fact

if TYPE_CHECKING:
    from ..retrieval.question import Question
    from ..retrieval.rank import Ranking

M = TypeVar("M", bound=BaseModel)
IDLE = 0.1
"""The share of its score that a turn keeps that only greets, agrees or asks, where facts are known."""
STANDING = 0.1
"""What a memory's relevance without a cue counts: enough to decide between two that fit equally well."""
ENDED = 0.7
"""The share that counts of what says that something is over, unless the cue asks for what was before."""
DENIED = 0.5
"""The share that counts of what says that something is not so, where it is asked for."""
_ASKS_BEFORE = re.compile(
    r"\b(?:used to|formerly|former|before|previous(?:ly)?|did|was|were|stop(?:ped)?|quit|ex)\b", re.IGNORECASE
)
LOOKED_THROUGH = 1_000
"""How many memories of a tier are looked at where only those are wanted that rest on some turns."""
APART = 3
"""How often it is tried to rank apart from the store; an index that is made anew between two steps spoils it."""


async def search(ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[RankedMemory]:
    """Return what fits the request's cue best, best first."""
    from ..retrieval.question import named_speakers, read_question  # noqa: PLC0415  it needs numpy, which few need
    from .latecomers import Latecomers, embed_latecomers, latecomers  # noqa: PLC0415
    from .unclaimed import claim_old_rows  # noqa: PLC0415

    cue, scope = request.cue or "", ctx.ids.scope(layout.turns.scope)
    speakers = layout.meaning.speakers
    late: list[Latecomers] = []
    tries = 0
    while True:
        first = not late
        question = read_question(cue, speakers.get(scope, ()))
        embedded = await layout.meaning.embed([question.meaning])
        asked = with_vectors(question, embedded, layout)

        def take(
            tx: Transaction, asked: "Question" = asked, embedded: Embedded = embedded, first: bool = first
        ) -> Snapshot | None:
            speakers[scope] = speakers_of(tx, layout)
            if first:
                claim_old_rows(tx, layout)
                late.extend(latecomers(tx, layout, embedded.space))
            if (first and late) or named_speakers(cue, speakers[scope]) != asked.speakers:
                return None
            return take_snapshot(tx, ctx, layout, request, asked, embedded)

        tries += 1
        found = await (_apart if tries <= APART else _at_once)(ctx, layout, request, take)
        if found is not None:
            return found
        if first and late:
            await embed_latecomers(ctx, layout, late)


_Take = Callable[[Transaction], Snapshot | None]


async def _apart(ctx: Context, layout: MemoryLayout, request: RecallRequest, take: _Take) -> list[RankedMemory] | None:
    """Rank between two transactions; None when nothing was taken, or numbers of rows have lost their meaning."""
    snapshot = await ctx.transact(take)
    if snapshot is None or not snapshot.pools.rows:
        return None if snapshot is None else []
    now = ctx.clock.now()
    ranking = await elsewhere(lambda: snapshot.ranked(now))
    return await ctx.transact(lambda tx: _Search(tx, ctx, layout, request, snapshot).results(ranking))


async def _at_once(
    ctx: Context, layout: MemoryLayout, request: RecallRequest, take: _Take
) -> list[RankedMemory] | None:
    """Rank inside one transaction, while others wait; None when nothing was taken."""

    def work(tx: Transaction) -> list[RankedMemory] | None:
        snapshot = take(tx)
        if snapshot is None or not snapshot.pools.rows:
            return None if snapshot is None else []
        return _Search(tx, ctx, layout, request, snapshot).results(snapshot.ranked(ctx.clock.now()))

    return await ctx.transact(work)


@dataclass(slots=True)
class _Found:
    """A memory that was looked at, its score, and what that is made of; all three are put together when it is shown."""

    score: float
    memory: RankedMemory
    parts: dict[str, float]


@dataclass(slots=True)
class _Search:
    """The reading of what is shown, inside its transaction."""

    tx: Transaction
    ctx: Context
    layout: MemoryLayout
    request: RecallRequest
    snapshot: Snapshot
    found: list[_Found] = field(default_factory=list[_Found])
    """Every memory looked at."""
    outdated: list[Fact] = field(default_factory=list[Fact])
    """Superseded facts that the cue finds."""
    others: list[int] = field(default_factory=list[int])
    """The numbers of rows that speak of somebody else, or say nothing, as was seen when they were read."""
    unanswered: list[int] = field(default_factory=list[int])
    """The numbers of rows whose claim is none of what is asked for, as was seen when they were read."""
    ended: list[int] = field(default_factory=list[int])
    """The numbers of rows that say that something is over."""
    denied: list[int] = field(default_factory=list[int])
    """The numbers of rows that deny something of the kind that is asked for, but not what the cue names."""
    has_tags: Callable[[str], bool] = lambda _: True
    """What tells by its id whether a turn has the tags that are asked for."""

    def results(self, ranking: "Ranking") -> list[RankedMemory] | None:
        """Return what is shown of the ranking; None where an index was made anew since it was taken."""
        from .doubted import raise_later  # noqa: PLC0415
        from .outdated import marked  # noqa: PLC0415
        from .pools import still_allowed  # noqa: PLC0415
        from .tags import tag_test  # noqa: PLC0415

        space = self.snapshot.embedded.space
        allowed = still_allowed(self.tx, self.ctx, self.layout, self.request, self.snapshot.pools, space)
        if allowed is None:
            return None
        ranking.allow(allowed)
        self.has_tags = tag_test(self.tx, self.layout, self.request.tags)
        limit = self.snapshot.limit
        self._add_turns(ranking, limit)
        self._add_facts(ranking, limit)
        self._add_episodes(ranking, limit)
        self._add_entries(ranking)
        if self.others or self.unanswered:
            ranking.leave_out(self.others, self.unanswered)
        self._raise_current(ranking)
        raise_later(() if self.request.is_past else self.found)
        shown = marked(self.tx, self.layout, self.ctx.clock, self._shown(ranking))
        return shown if self.request.is_past else with_contested(self.tx, self.layout, shown)

    def _add_turns(self, ranking: "Ranking", limit: int) -> None:
        rows = self._rows(ranking, "turn", self.layout.turns, limit)
        for (score, parts), (number, turn) in zip(ranking.parts_of([number for number, _ in rows]), rows, strict=True):
            if not turn.is_wordless:
                memory = _of_turn(turn, ranking.pools.nearest(number, ranking.question.vector))
                self._take(ranking, number, score, parts, memory)

    def _add_facts(self, ranking: "Ranking", limit: int) -> None:
        for number, fact in self._facts(ranking, limit):
            if self.request.is_past or fact.status == "current":
                self._judge(ranking, number, fact)
                self._add(ranking, number, of_fact(fact))
            else:
                self.outdated.append(fact)

    def _facts(self, ranking: "Ranking", limit: int) -> list[tuple[int, Fact]]:
        """Return the best facts, as many as it takes to have ``limit`` current ones among them."""
        if self.layout.semantic is None:
            return []
        wanted = limit
        while True:
            rows = self._rows(ranking, "semantic", self.layout.semantic, wanted)
            current = sum(fact.status == "current" for _, fact in rows)
            if self.request.is_past or current >= limit or len(rows) < wanted:
                return rows
            wanted = 2 * max(wanted, len(rows))

    def _add_episodes(self, ranking: "Ranking", limit: int) -> None:
        if self.layout.episodic is not None:
            rows = self._rows(ranking, "episodic", self.layout.episodic, limit)
            gone = over(self.tx, self.layout, [episode for _, episode in rows])
            for number, episode in rows:
                if episode.id not in gone:
                    self._judge(ranking, number, episode)
                    self._add(ranking, number, of_episode(episode, 1, 1))

    def _add_entries(self, ranking: "Ranking") -> None:
        then = self.snapshot.entries
        entries = {entry.id: entry for entry in self.tx.read(self.layout.working).entries} if then else {}
        gone = over(self.tx, self.layout, list(entries.values()))
        for number in ranking.best(len(then), "working"):
            entry = entries.get(ranking.pools.row_id(number))
            if entry is not None and entry.content == then[entry.id].content and entry.id not in gone:
                self._judge(ranking, number, entry)
                self._add(ranking, number, of_entry(entry))

    def _rows(self, ranking: "Ranking", tier: str, collection: "Collection[M]", limit: int) -> "list[tuple[int, M]]":
        further = tier != "turn" and self.request.asks_for_turns
        numbers = ranking.best(max(limit, LOOKED_THROUGH) if further else limit, tier)
        if not numbers:
            return []
        by_id = {ranking.pools.row_id(number): number for number in numbers}
        found = self.tx.get_many(collection, list(by_id))
        return [(by_id[str(getattr(one, "id"))], one) for one in found]  # noqa: B009

    def _add(self, ranking: "Ranking", number: int, memory: RankedMemory) -> None:
        """Take in a memory with its score, to which the surroundings of its best turn add."""
        if self.request.rests_on_such(memory, self.has_tags):
            turns = [ranking.number_of("turn", source.turn_id) for source in memory.sources]
            score, parts = ranking.parts(number, [one for one in turns if one >= 0])
            self._take(ranking, number, score, parts, memory)

    def _judge(self, ranking: "Ranking", number: int, row: Fact | Episode | WorkingEntry) -> None:
        """Take note where a row's claim denies what is asked for, or is a role that does not tell where."""
        answers, claim = ranking.question.people.answers, claim_of(row)
        if claim.polarity == "ended" and _ASKS_BEFORE.search(ranking.question.cue.text) is None:
            self.ended.append(number)
        if answers is None or not answers[number]:
            return
        if claim.polarity == "denied" and words_of("denials").isdisjoint(words(ranking.question.cue.text)):
            if names(ranking.question.cue.text, claim.value):
                return
            self.denied.append(number)
        aside = claim.attribute == "role" and answers[number] < 1 and not claim.of
        if claim.polarity != "holds" or aside:
            self.unanswered.append(number)

    def _take(
        self, ranking: "Ranking", number: int, score: float, parts: dict[str, float], memory: RankedMemory
    ) -> None:
        standing = STANDING * memory.standing
        share = self._share(ranking, number, memory)
        if number in self.unanswered:
            score, parts = score - parts["attribute"], {**parts, "attribute": 0.0}
        if share < 1:
            self.others.append(number)
        share *= ENDED if number in self.ended else DENIED if number in self.denied else 1.0
        if share < 1:
            score, parts = score * share, {name: value * share for name, value in parts.items()}
        if score + standing > 0:
            self.found.append(_Found(score + standing, memory, {**parts, "standing": standing}))

    def _share(self, ranking: "Ranking", number: int, memory: RankedMemory) -> float:
        """Return the share of its score that a row keeps: less where it says nothing, or speaks of somebody else."""
        people, cue = ranking.question.people, ranking.question.cue.text
        if memory.source == "turn" and not memory.speaker:
            knows = any(pool.tier == "semantic" for pool in ranking.pools)
            if asks_the_same(memory.content, cue) or (knows and says_nothing(memory)):
                return IDLE
        looked_at = people.is_other is not None and (people.unsure is None or bool(people.unsure[number]))
        return ranking.weights.others if looked_at and people.is_other is not None and people.is_other(memory) else 1.0

    def _raise_current(self, ranking: "Ranking") -> None:
        """Put the current version of a changed fact above the turns in which its older versions were said."""
        if self.layout.semantic is None or self.request.is_past:
            return
        table = FactTable(self.tx, self.layout.semantic, self.ctx.clock)
        for old in self.outdated:
            current = table.get(table.latest(old.id))
            if current is None or current.status != "current":
                continue
            said = {source.turn_id for source in old.sources} - {source.turn_id for source in current.sources}
            older = max((one.score for one in self.found if one.memory.id in said), default=0.0)
            self._lift(ranking, current, older)

    def _lift(self, ranking: "Ranking", current: Fact, above: float) -> None:
        from ..retrieval.recency import EDGE  # noqa: PLC0415

        place = next((at for at, one in enumerate(self.found) if one.memory.id == current.id), None)
        number = ranking.number_of("semantic", current.id)
        if place is None and above > 0 and number >= 0:
            count = len(self.found)
            self._add(ranking, number, of_fact(current))
            place = count if len(self.found) > count else None
        if place is not None and self.found[place].score <= above:
            one, raised = self.found[place], above * (1 + EDGE)
            one.parts["recency"] = raised - one.score
            one.score = raised

    def _shown(self, ranking: "Ranking") -> list[RankedMemory]:
        """Return the results, each thing once: a memory and its turn are one, led by a fact that says the same."""
        ordered = sorted(self.found, key=lambda one: (-one.score, TIERS.index(one.memory.source)))
        facts = by_turn(one.memory for one in ordered if one.memory.source == "semantic")
        led: dict[tuple[str, str], _Found] = {}
        for one in ordered:
            first = leader(one.memory, facts)
            led.setdefault((first.source, first.id), one if first is one.memory else replace(one, memory=first))
        once = Once()
        chosen = list(islice((one for one in led.values() if once.takes(one.memory)), self.request.most))
        best = max(chosen[0].score, 1e-9) if chosen else 1.0
        asked = set(words(ranking.question.cue.text))
        return [
            one.memory.model_copy(
                update={
                    "relevance": ranking.sureness * one.score / best,
                    "overlap": overlap(asked, words(one.memory.content)),
                    "parts": Parts(**one.parts),
                    "degraded": self.snapshot.embedded.degraded,
                }
            )
            for one in chosen
        ]


def _of_turn(turn: Turn, nearest: int) -> RankedMemory:
    return RankedMemory(
        id=turn.id,
        content=turn.text,
        relevance=0.0,
        source="turn",
        subject=(turn.speaker or turn.role).lower(),
        sources=[turn.source()],
        session=turn.session,
        turn=turn.turn,
        said_at=turn.said_at,
        role=turn.role,
        speaker=turn.speaker,
        tags=turn.tags,
        nearest=nearest,
    )
