"""Recall with a cue: turns, facts, episodes and entries through one ranker, each thing once.

It takes three steps, so that those who write need not wait while rows are ranked: a short transaction takes what the
indexes hold, the rows are ranked on a thread of the caller's, and a second transaction reads those that are shown, as
far as they still say what they said.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from fabric.context import Context
from fabric.portal import elsewhere
from fabric.resource import Collection, Transaction
from fabric.text import content_words, words

from ..formulas.similarity import ALIKE, overlap
from ..meaning import Embedded
from ..semantic import Fact, FactTable
from ..turns import Turn
from .layout import MemoryLayout
from .ranked import TIERS, Parts, RankedMemory
from .request import RecallRequest
from .snapshot import Snapshot, speakers_of, take_snapshot, with_vectors
from .standing import of_entry, of_episode, of_fact, repeats

if TYPE_CHECKING:
    from ..retrieval.question import Question
    from ..retrieval.rank import Ranking

M = TypeVar("M", bound=BaseModel)
LONG = 2_000
"""Characters from which on a turn is not compared word by word with the memories that rest on it."""
STANDING = 0.1
"""What a memory's relevance without a cue counts: enough to decide between two that fit equally well."""
LOOKED_THROUGH = 1_000
"""How many memories of a tier are looked at where only those are wanted that rest on some turns."""
APART = 3
"""How often it is tried to rank apart from the store; an index that is made anew between two steps spoils it."""


async def search(ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[RankedMemory]:
    """Return what fits the request's cue best, best first."""
    from ..retrieval.question import named_speakers, read_question  # noqa: PLC0415  it needs numpy, which few need
    from .latecomers import Latecomers, embed_latecomers, latecomers  # noqa: PLC0415

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
    has_tags: Callable[[str], bool] = lambda _: True
    """What tells by its id whether a turn has the tags that are asked for."""

    def results(self, ranking: "Ranking") -> list[RankedMemory] | None:
        """Return what is shown of the ranking; None where an index was made anew since it was taken."""
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
        self._raise_current(ranking)
        return marked(self.tx, self.layout, self.ctx.clock, self._shown(ranking))

    def _add_turns(self, ranking: "Ranking", limit: int) -> None:
        rows = self._rows(ranking, "turn", self.layout.turns, limit)
        for (score, parts), (number, turn) in zip(ranking.parts_of([number for number, _ in rows]), rows, strict=True):
            if not turn.is_wordless:
                self._take(score, parts, _of_turn(turn, ranking.pools.nearest(number, ranking.question.vector)))

    def _add_facts(self, ranking: "Ranking", limit: int) -> None:
        for number, fact in self._facts(ranking, limit):
            if self.request.is_past or fact.status == "current":
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
            for number, episode in self._rows(ranking, "episodic", self.layout.episodic, limit):
                self._add(ranking, number, of_episode(episode, 1, 1))

    def _add_entries(self, ranking: "Ranking") -> None:
        then = self.snapshot.entries
        entries = {entry.id: entry for entry in self.tx.read(self.layout.working).entries} if then else {}
        for number in ranking.best(len(then), "working"):
            entry = entries.get(ranking.pools.row_id(number))
            if entry is not None and entry.content == then[entry.id].content:
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
            self._take(*ranking.parts(number, [one for one in turns if one >= 0]), memory)

    def _take(self, score: float, parts: dict[str, float], memory: RankedMemory) -> None:
        standing = STANDING * memory.standing
        if score + standing > 0:
            self.found.append(_Found(score + standing, memory, {**parts, "standing": standing}))

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
        facts = _by_turn(one.memory for one in ordered if one.memory.source == "semantic")
        led: dict[tuple[str, str], _Found] = {}
        for one in ordered:
            leader = _leader(one.memory, facts)
            led.setdefault((leader.source, leader.id), one if leader is one.memory else replace(one, memory=leader))
        chosen = [led[one.source, one.id] for one in _once((one.memory for one in led.values()), self.request.most)]
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


def _by_turn(facts: Iterable[RankedMemory]) -> dict[str, list[tuple[int, RankedMemory]]]:
    """Return the facts with their places, by the turns that they were drawn from."""
    found: dict[str, list[tuple[int, RankedMemory]]] = {}
    for place, fact in enumerate(facts):
        for source in fact.sources:
            found.setdefault(source.turn_id, []).append((place, fact))
    return found


def _leader(one: RankedMemory, facts: Mapping[str, Sequence[tuple[int, RankedMemory]]]) -> RankedMemory:
    """Return the fact that stands for a turn, an episode or an entry: drawn from the same turn, and saying the same."""
    if one.source == "semantic":
        return one
    drawn = dict(fact for source in one.sources for fact in facts.get(source.turn_id, ()))
    for _, fact in sorted(drawn.items()) if drawn else ():
        own, theirs = content_words(one.content), content_words(fact.content)
        if overlap(own, theirs) > ALIKE and overlap(theirs, own) > ALIKE:
            return fact
    return one


def _once(ordered: Iterable[RankedMemory], most: int) -> list[RankedMemory]:
    """Return each thing once: no turn that a better memory rests on, and nothing that repeats a better one."""
    chosen: list[RankedMemory] = []
    memories: list[tuple[RankedMemory, set[str]]] = []
    turns: dict[str, RankedMemory] = {}
    covered: set[str] = set()
    for one in ordered:
        if len(chosen) == most:
            break
        if one.source == "turn":
            if one.id in covered:
                continue
            turns[one.id] = one
        else:
            own = set(words(one.content))
            said = [turns[source.turn_id] for source in one.sources if source.turn_id in turns]
            if any(_says(turn, own) for turn in said) or any(repeats(one, own, *other) for other in memories):
                continue
            memories.append((one, own))
            covered |= {source.turn_id for source in one.sources}
        chosen.append(one)
    return chosen


def _says(turn: RankedMemory, own: set[str]) -> bool:
    return len(turn.content) < LONG and overlap(own, set(words(turn.content))) > ALIKE


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
