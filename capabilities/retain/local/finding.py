"""Finding: memories and facts of several banks in one ranking, and one memory by its id."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from capabilities.claims import USER
from capabilities.meaning import Meaning
from capabilities.retrieval.candidates import Candidates, make_candidates
from capabilities.retrieval.chatter import asks_the_same
from capabilities.retrieval.confidence import calibrated, confidence
from capabilities.retrieval.question import Question, read_question, with_vectors
from capabilities.retrieval.rank import Ranking, rank
from capabilities.semantic import Fact
from fabric.errors import FabricError, RunError
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction
from fabric.record.meanwhile import drawn
from fabric.text.words import words
from fabric.threads.portal import elsewhere

from ..banks import transact_in
from ..record import PREVIEW_CHARS, Found
from .record import Memory
from .tables import ABSENT, FACTS, MEMORIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.search.base import SearchView

    Mask = NDArray[np.bool_]

T = TypeVar("T")
MORE = 24
"""How many rows of a bank are looked at beyond the limit: some say the same, or are part of another."""
FEW_ROWS = 2_000
"""Up to so many rows are ranked at once: handing them to another thread would take as long."""
BY_IMPORTANCE = 0.2
"""The share of a score that is up to how important a memory is, and how sure a fact."""
OUTDATED = 0.5
"""The share of its score that is left to a memory whose facts are all over."""
LEAST = 0.25
"""How sure it must be, by a row alone, that it has to do with the question."""


@dataclass(frozen=True, slots=True)
class _Place:
    """One collection of one bank."""

    bank: str
    kept: Collection[Any]

    @property
    def tier(self) -> str:
        return f"{self.bank}/{self.kept.key}"


async def find(ctx: Context, banks: Sequence[str], meaning: Meaning, query: str, limit: int) -> list[Found]:
    """Return what the banks hold about a question, best first: what says the same once, with the higher score.

    A bank that cannot be read is logged and left out; RunError where none can.
    """
    question = read_question(query)
    embedded = await meaning.embed([question.meaning])
    asked = with_vectors(question, embedded, meaning)
    now = ctx.clock.now()
    places: dict[str, _Place] = {}

    def look(tx: Transaction, bank: str) -> "list[tuple[str, SearchView, Mask]]":
        made: list[tuple[str, SearchView, Mask]] = []
        for place in (_Place(bank, MEMORIES), _Place(bank, FACTS)):
            index = tx.index(place.kept, embedded.space)
            if index is not None and len(index):
                places[place.tier] = place
                made.append((place.tier, index.frozen(), _allowed(index, place.kept, now)))
        return made

    rows = await _each(ctx, banks, look)
    candidates = make_candidates(rows, meaning.words if asked.word_vectors is not None else None)
    if not candidates.rows:
        return []

    def best() -> dict[str, dict[str, float]]:
        return _scores(asked, candidates, now, limit + MORE)

    scores = best() if candidates.rows <= FEW_ROWS else await elsewhere(best)

    def read(tx: Transaction, bank: str) -> list[tuple[Found, Memory | Fact]]:
        return [
            pair
            for tier, by_id in scores.items()
            if places[tier].bank == bank
            for pair in _read(tx, places[tier], by_id, query, now)
        ]

    return _merged(await _each(ctx, banks, read))[:limit]


async def _each(ctx: Context, banks: Sequence[str], work: Callable[..., list[T]]) -> list[T]:
    """Return what there is of each bank, read in a transaction each.

    What fails in one is logged, RunError where it fails in all.
    """
    found: list[T] = []
    problems: list[FabricError] = []
    for bank in banks:
        try:
            found += await transact_in(ctx, bank, partial(work, bank=bank))
        except FabricError as error:
            ctx.log.warning("a bank cannot be read", bank=bank, error=str(error))
            problems.append(error)
    if problems and len(problems) == len(banks):
        raise RunError(f"{ctx.path}: no bank can be read: {problems[-1]}") from problems[-1]
    return found


def _allowed(index: "SearchView", kept: Collection[Any], now: datetime) -> "Mask":
    columns = index.columns
    if kept is FACTS:
        status = columns["status"]
        return np.asarray(index.alive & (status.values == status.names.get("current", ABSENT)), np.bool_)
    until = columns["valid_until"].values
    holds = np.isnan(until) | (until > now.timestamp())
    return np.asarray(index.alive & holds, np.bool_)


def _scores(question: Question, candidates: Candidates, now: datetime, most: int) -> dict[str, dict[str, float]]:
    """Return by collection the scores, from 0 to 1, of the rows that the one ranker puts first.

    A score is the middle between how the ranker sees a row beside the best one, and how sure it is, by the row alone,
    that it has to do with the question; below `LEAST` of that a row is left out.
    """
    ranking = rank(question, candidates, now, most=most)
    numbers = [number for group in candidates for number in ranking.best(most, group.tier)]
    raw = [float(ranking.scores[ranking.place(number)]) for number in numbers]
    best = max(raw, default=0.0)
    found: dict[str, dict[str, float]] = {}
    for number, score, sure in zip(numbers, raw, _sureness(ranking, numbers), strict=True):
        if best > 0 and sure >= LEAST:
            share = min(1.0, max(0.0, score / best)) * min(1.0, ranking.sureness)
            tier = candidates.group_of(number).tier
            found.setdefault(tier, {})[candidates.row_id(number)] = (share + sure) / 2
    return found


def _sureness(ranking: Ranking, numbers: Sequence[int]) -> list[float]:
    """Return of each row how sure it is that it has to do with the question, whatever the other rows say."""
    rows = np.array(numbers, np.int64)
    matched, alone = ranking.lexical.matched(rows), np.zeros(1, np.int32)
    return [
        calibrated(
            confidence(matched[:, [at]], ranking.lexical.weights, alone, _cosine(ranking, number)),
            ranking.candidates.words,
        )
        for at, number in enumerate(numbers)
    ]


def _cosine(ranking: Ranking, number: int) -> float | None:
    group, vector = ranking.candidates.group_of(number), ranking.question.vector
    vectors, position = group.index.vectors, number - group.start
    if vector is None or vectors is None or vectors.dimension != len(vector) or position >= len(vectors):
        return None
    return float(vectors.exact(vector, np.array([position], np.int64))[0]) if vectors.present[position] else None


def _read(
    tx: Transaction, place: _Place, scores: dict[str, float], query: str, now: datetime
) -> Iterator[tuple[Found, Memory | Fact]]:
    for row in drawn(tx.get_many(place.kept, list(scores))):
        weight = row.confidence if isinstance(row, Fact) else row.importance
        score = scores[row.id] * (1 - BY_IMPORTANCE + BY_IMPORTANCE * weight)
        if asks_the_same(row.content, query):
            continue
        if row.status == "current" if isinstance(row, Fact) else row.is_valid(now):
            yield as_found(row, score, place.bank), row


def as_found(row: Memory | Fact, score: float, bank: str) -> Found:
    """Return a memory, or a fact with whom it is about, as far as that is known, as a result shows it."""
    if isinstance(row, Fact):
        content = row.content if row.subject == USER else f"{row.subject}: {row.content}"
        kind, source, said_at = "fact", "fact", row.sources[-1].said_at if row.sources else row.recorded_at
    else:
        content, kind, source, said_at = row.content, row.memory_type, row.source, row.said_at
        score *= OUTDATED if row.outdated else 1
    return Found(preview(content), row.id, kind, source, said_at, score, len(content), bank)


def preview(content: str) -> str:
    """Return what a result shows of a content: all of it, or its beginning and an ellipsis.

    >>> preview("short"), len(preview("x" * 600)), preview("x" * 600)[-2:]
    ('short', 500, 'x…')
    """
    return content if len(content) <= PREVIEW_CHARS else content[: PREVIEW_CHARS - 1].rstrip() + "…"


def _merged(pairs: Iterable[tuple[Found, Memory | Fact]]) -> list[Found]:
    """Return each thing once, best first; of equals the newer, then by content.

    What says the same in the same words is one. A fact is left out beside a memory that it was drawn from, which says
    it in full, unless that is a transcript; and what was joined of memories that are shown themselves.
    """
    kept: dict[tuple[str, ...], tuple[Found, Memory | Fact]] = {}
    for found, row in sorted(pairs, key=lambda pair: _place(pair[0])):
        kept.setdefault(tuple(words(found.content)) or (found.content,), (found, row))
    memories = {row.id: row for _, row in kept.values() if isinstance(row, Memory)}
    in_full = {memory.id for memory in memories.values() if memory.memory_type != "episode"}
    best = {source: found.score for found, row in kept.values() if isinstance(row, Fact) for source in _drawn(row)}
    return sorted(
        (
            _at_least(found, best.get(row.id)) if row.id in in_full else found
            for found, row in kept.values()
            if (in_full if isinstance(row, Fact) else memories.keys()).isdisjoint(_drawn(row))
        ),
        key=_place,
    )


def _drawn(row: Memory | Fact) -> Sequence[str]:
    """Return the ids of the memories that a fact was drawn from, or that one was joined of."""
    return row.source_episode_ids if isinstance(row, Fact) else row.consolidated_from


def _at_least(found: Found, score: float | None) -> Found:
    return found if score is None else replace(found, score=max(score, found.score or 0.0))


def _place(found: Found) -> tuple[float, float, str, str]:
    at = found.said_at.timestamp() if found.said_at is not None else 0.0
    return -(found.score or 0.0), -at, found.content, found.id
