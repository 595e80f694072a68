"""How what was read is judged and shown: what says nothing or speaks of others counts less, and each thing stands once.

Nothing of the store is needed for that.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from capabilities.claims import asked_attributes, claim_of
from capabilities.claims.attributes import words_of
from capabilities.episodic import Episode
from capabilities.formulas.similarity import overlap
from capabilities.retrieval.chatter import asks_the_same, names, says_nothing
from capabilities.retrieval.time.recency import EDGE
from capabilities.semantic import Fact
from capabilities.turns import Turn
from fabric.text.words import words

from ..layout import Memory
from ..people.oneself import of_others, speaks_of_me
from .doubted import raise_later
from .once import Once, by_turn, leader
from .prior import of_entry, of_episode, of_fact
from .ranked import TIERS, Parts, RankedMemory
from .request import RecallRequest
from .row_reading import Read
from .snapshot import Snapshot

if TYPE_CHECKING:
    from capabilities.retrieval.ranking import Ranking

IDLE = 0.1
"""The share of its score that a turn keeps that only greets, agrees or asks, where facts are known."""
PRIOR_WEIGHT = 0.1
"""What a memory's relevance without a cue counts: enough to decide between two that fit equally well."""
ENDED = 0.7
"""The share that counts of what says that something is over, unless the cue asks for what was before."""
INTRODUCES = 0.5
"""The share that counts of what somebody is called, or how old they are, where nothing asks for that."""
DENIED = 0.5
"""The share that counts of what says that something is not so, where it is asked for."""
_INTRODUCTIONS = frozenset({"name", "nickname", "last_name", "age"})
_ASKS_BEFORE = re.compile(
    r"\b(?:used to|formerly|former|before|previous(?:ly)?|did|was|were|stop(?:ped)?|quit|ex)\b", re.IGNORECASE
)


def judged(request: RecallRequest, snapshot: Snapshot, ranking: "Ranking", read: Read) -> list[RankedMemory]:
    """Return what is shown of the rows that were read, best first."""
    judging = _Judging(ranking, of_others(ranking.question.people, [memory for _, memory in read.memories]))
    judging.add_turns(read.turns)
    judging.add_other_tiers(read.other_tiers)
    then = {memory.id: memory for memory in read.then}
    for number, memory in read.memories:
        judging.judge(number, memory)
        judging.add(number, then.get(memory.id) or _shown(memory))
    if judging.others or judging.unanswered:  # what is not so makes nobody sure of what is
        ranking.leave_out([*judging.others, *judging.denials()], judging.unanswered)
    for old, current in read.changed:
        judging.raise_current(old, current)
    for old, current in () if request.is_past else read.changed:
        judging.note_over(old, current)
    judging.put_behind()
    raise_later(() if request.is_past else judging.found, ranking.question.cue.text)
    judging.put_first(list(then))
    return judging.results(request.most, snapshot.embedded.degraded)


@dataclass(slots=True)
class _Found:
    """A memory that was looked at, its score, and what that is made of; all three are put together when it is shown."""

    score: float
    memory: RankedMemory
    parts: dict[str, float]


@dataclass
class _Judging:
    """What was looked at so far."""

    ranking: "Ranking"
    theirs: frozenset[str] = frozenset()
    """The ids of turns of which nothing but what is somebody else's is known, where the user is asked about."""
    found: list[_Found] = field(default_factory=list[_Found])
    """Every memory looked at."""
    others: list[int] = field(default_factory=list[int])
    """The numbers of rows that speak of somebody else, or say nothing, as was seen when they were read."""
    unanswered: list[int] = field(default_factory=list[int])
    """The numbers of rows whose claim is none of what is asked for, as was seen when they were read."""
    ended: list[int] = field(default_factory=list[int])
    """The numbers of rows that say that something is over."""
    denied: list[int] = field(default_factory=list[int])
    """The numbers of rows that deny something of the kind that is asked for, but not what the cue names."""

    introducing: list[int] = field(default_factory=list[int])
    """The numbers of rows that only introduce somebody, where something else is asked for."""
    denying: set[str] = field(default_factory=set[str])
    """The ids of the turns in which it was denied."""

    holding: set[str] = field(default_factory=set[str])
    """The ids of memories that tell what is asked for and hold."""
    behind: set[str] = field(default_factory=set[str])
    """The ids of what tells something of the kind that is over or not so, unless the cue names that."""

    @property
    def cue(self) -> str:
        """What is asked."""
        return self.ranking.question.cue.text

    @cached_property
    def asks_who_it_is(self) -> bool:
        """Whether the cue asks for anybody's or anything's name or age."""
        cue = self.ranking.question.cue
        return not _INTRODUCTIONS.isdisjoint(asked_attributes(cue.text, cue.language))

    @cached_property
    def knows(self) -> bool:
        """Whether facts are known."""
        return any(group.tier == "semantic" for group in self.ranking.candidates)

    def add_turns(self, turns: Sequence[tuple[int, Turn]]) -> None:
        """Take in turns, each with its own score."""
        scored = self.ranking.parts_of([number for number, _ in turns])
        for (score, parts), (number, turn) in zip(scored, turns, strict=True):
            if not turn.is_wordless:
                nearest = self.ranking.candidates.nearest_passage(number, self.ranking.question.vector)
                self._take(number, score, parts, _of_turn(turn, nearest))

    def add_other_tiers(self, memories: Sequence[tuple[int, RankedMemory]]) -> None:
        """Take in traces and entries of minds, each with its own score; what a newer trace contradicts is over."""
        scored = self.ranking.parts_of([number for number, _ in memories])
        for (score, parts), (number, memory) in zip(scored, memories, strict=True):
            if memory.outdated:
                self.ended.append(number)
            self._take(number, score, parts, memory)

    def add(self, number: int, memory: RankedMemory) -> None:
        """Take in a memory with its score, to which the surroundings of its best turn add."""
        turns = [self.ranking.number_of("turn", source.turn_id) for source in memory.sources]
        score, parts = self.ranking.parts(number, [turn for turn in turns if turn >= 0])
        self._take(number, score, parts, memory)

    def judge(self, number: int, row: Memory) -> None:
        """Take note where a row's claim denies what is asked for, or is a role that does not tell where."""
        answers, claim = self.ranking.question.people.answers, claim_of(row)
        if claim.polarity == "ended" and _ASKS_BEFORE.search(self.cue) is None:
            self.ended.append(number)
            self.behind |= set() if names(self.cue, claim.value) else {row.id}
        if answers is None or not answers[number]:
            if claim.attribute in _INTRODUCTIONS and not self.asks_who_it_is:
                self.introducing.append(number)
            return
        if claim.polarity == "denied" and words_of("denials").isdisjoint(words(self.cue)):
            if names(self.cue, claim.value):
                return
            self.denied.append(number)
            self.behind.add(row.id)
            self.denying.update(source.turn_id for source in row.sources)
        aside = claim.attribute == "role" and answers[number] < 1 and not claim.of
        if claim.polarity != "holds" or aside:
            self.unanswered.append(number)
        else:
            self.holding.add(row.id)

    def denials(self) -> list[int]:
        """Return the numbers of the rows that deny what is asked for, the turns that said so among them."""
        turns = (self.ranking.number_of("turn", turn) for turn in self.denying)
        return [*self.denied, *(number for number in turns if number >= 0)]

    def raise_current(self, old: Fact, current: Fact) -> None:
        """Put the current version of a changed fact above the turns in which its older version was said."""
        turns = {source.turn_id for source in old.sources} - {source.turn_id for source in current.sources}
        above = max((candidate.score for candidate in self.found if candidate.memory.id in turns), default=0.0)
        found = self._of(current.id)
        number = self.ranking.number_of("semantic", current.id)
        if found is None and above > 0 and number >= 0:
            self.add(number, of_fact(current))
            found = self._of(current.id)
        if found is not None and found.score <= above:
            raised = above * (1 + EDGE)
            found.parts["recency"] = raised - found.score
            found.score = raised

    def note_over(self, old: Fact, current: Fact) -> None:
        """Take note of the turns in which something was said that is over now."""
        if current.id in self.behind:
            self.behind |= {source.turn_id for source in old.sources} - {source.turn_id for source in current.sources}

    def put_behind(self) -> None:
        """Put what is over or not so behind all that tells what is asked for and holds."""
        least = min((candidate.score for candidate in self.found if candidate.memory.id in self.holding), default=0.0)
        for candidate in self.found if least > 0 else ():
            if candidate.memory.id in self.behind and candidate.score >= least:
                share = least * (1 - EDGE) / candidate.score
                candidate.score, candidate.parts = (
                    candidate.score * share,
                    {name: share * part for name, part in candidate.parts.items()},
                )

    def put_first(self, ids: Sequence[str]) -> None:
        """Put what was so at the time that is asked about above all else, in this order."""
        for memory_id in reversed(ids):
            candidate = self._of(memory_id)
            if candidate is not None:
                raised = max(other.score for other in self.found) * (1 + EDGE)
                candidate.parts["recency"] = candidate.parts.get("recency", 0.0) + raised - candidate.score
                candidate.score = raised

    def results(self, most: int, degraded: str) -> list[RankedMemory]:
        """Return the results, each thing once: a memory and its turn are one, led by a fact that says the same."""
        ordered = sorted(self.found, key=lambda candidate: (-candidate.score, TIERS.index(candidate.memory.source)))
        known = [candidate.memory for candidate in ordered if candidate.memory.source == "semantic"]
        facts = by_turn(known)
        led: dict[tuple[str, str], _Found] = {}
        for candidate in ordered:
            first = leader(candidate.memory, facts, known)
            led.setdefault(
                (first.source, first.id), candidate if first is candidate.memory else replace(candidate, memory=first)
            )
        once = Once()
        chosen = list(
            islice((candidate for candidate in led.values() if once.takes(candidate.memory)), min(most, len(led)))
        )
        best = max(chosen[0].score, 1e-9) if chosen else 1.0
        asked = set(words(self.cue))
        return [
            candidate.memory.model_copy(
                update={
                    "relevance": self.ranking.sureness * candidate.score / best,
                    "overlap": overlap(asked, words(candidate.memory.content)),
                    "parts": Parts(**candidate.parts),
                    "degraded": degraded,
                }
            )
            for candidate in chosen
        ]

    def _of(self, memory_id: str) -> _Found | None:
        return next((candidate for candidate in self.found if candidate.memory.id == memory_id), None)

    def _take(self, number: int, score: float, parts: dict[str, float], memory: RankedMemory) -> None:
        prior, share = PRIOR_WEIGHT * memory.prior, self._share(number, memory)
        if number in self.unanswered:
            score, parts = score - parts["attribute"], {**parts, "attribute": 0.0}
        if share < 1:
            self.others.append(number)
        share *= ENDED if number in self.ended else DENIED if number in self.denied else 1.0
        share *= INTRODUCES if number in self.introducing else 1.0
        if share < 1:
            score, parts = score * share, {name: value * share for name, value in parts.items()}
        if score + prior > 0:
            self.found.append(_Found(score + prior, memory, {**parts, "prior": prior}))

    def _share(self, number: int, memory: RankedMemory) -> float:
        """Return the share of its score that a row keeps: less where it says nothing, or speaks of somebody else."""
        people = self.ranking.question.people
        if memory.source in ("turn", "trace") and not memory.speaker:
            if asks_the_same(memory.content, self.cue) or (self.knows and says_nothing(memory.content)):
                return IDLE
            if memory.id in self.theirs and not speaks_of_me(memory.content):
                return self.ranking.weights.about_others
        if people.is_other is None or not (people.unsure is None or people.unsure[number]):
            return 1.0
        return self.ranking.weights.about_others if people.is_other(memory) else 1.0


def _shown(memory: Memory) -> RankedMemory:
    if isinstance(memory, Fact):
        return of_fact(memory)
    return of_episode(memory, 1, 1) if isinstance(memory, Episode) else of_entry(memory)


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
