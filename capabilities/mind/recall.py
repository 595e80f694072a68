"""Recall: which entries of a mind answer a query; goals by their words, beliefs and reflections by a score."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from fabric.text.terms import plain_terms, read_cue

from ..formulas.bounds import clamp
from ..formulas.mind_score import composite, composites, recency
from .provider import Compared, Likenesses, MindTable, Wanted
from .record import (
    GoalStatus,
    MindBelief,
    MindEntryType,
    MindGoal,
    MindRecallResult,
    MindReflection,
    ScoreParts,
    sureness,
)
from .similarity import meets

SearchedType = Literal["goal", "belief", "reflection", "all"]
"""Which entries a recall searches."""
DEFAULT_LIMIT = 5
_DAY = 86_400.0
_DIGITS = 4
_NEAR = 1e-6
"""Scores that differ by less may be in either order before the entries are read."""


@dataclass(frozen=True, slots=True)
class Recalling:
    """What is asked of a mind. ``status`` is about goals only, ``threshold`` (0 to 1) never about goals.

    ``pinned`` leaves nothing but pinned reflections. ``limit`` is the most that all types together may bring.
    """

    query: str
    threshold: float
    type: SearchedType = "all"
    status: GoalStatus = "active"
    tags: frozenset[str] = frozenset()
    pinned: bool = False
    include_expired: bool = False
    limit: int = DEFAULT_LIMIT

    def reads(self, kind: MindEntryType) -> bool:
        """Return whether entries of this type may be among the answers."""
        return self.type in (kind, "all") and (not self.pinned or kind == "reflection")


def recall(table: MindTable, asked: Recalling, now: datetime) -> list[MindRecallResult]:
    """Return the committed entries that answer: goals first, then beliefs and reflections, best first.

    Conditions come first, then the score of all that is left, then the threshold, then the limit. While there are
    beliefs and reflections to show, goals take at most half of the places, rounded up. A blank query is no query: it
    gives the goals, newest first, or with ``pinned`` the standing rules.
    """
    blank = not asked.query.strip()
    goals = _goals(table, asked, blank=blank) if asked.reads("goal") else []
    limit = max(1, asked.limit)
    ranked = _standing_rules(table, asked, now) if blank else _best(table, asked, now, limit)
    first = goals[: min(limit, max(-(-limit // 2), limit - len(ranked)))]
    rest = ranked[: limit - len(first)]
    return [*(_result(goal, now) for goal in first), *(_result(entry, now, score) for entry, score in rest)]


def _goals(table: MindTable, asked: Recalling, *, blank: bool) -> list[MindGoal]:
    found = table.find(MindGoal, Wanted(status=asked.status, tags=asked.tags, newest_first=True))
    if blank:
        return found
    words = [word.terms for word in read_cue(asked.query).words]
    shares = [(_share(words, set(plain_terms(_said(goal)))), goal) for goal in found]
    return [goal for share, goal in sorted(shares, key=lambda pair: -pair[0]) if share]


def _said(goal: MindGoal) -> str:
    return "\n".join([goal.description, *goal.tags, *goal.progress, goal.outcome or ""])


def _share(words: Sequence[Collection[str]], held: Collection[str]) -> float:
    """Return the share of the asked words that are held in one of their forms."""
    return sum(any(form in held for form in forms) for forms in words) / len(words) if words else 0.0


@dataclass(frozen=True, slots=True)
class _Score:
    """What a score is made of, unrounded."""

    similarity: float
    recency: float
    confidence: float

    @property
    def whole(self) -> float:
        return composite(self.similarity, self.recency, self.confidence)

    def parts(self) -> ScoreParts:
        return ScoreParts(
            similarity=round(self.similarity, _DIGITS),
            recency=round(self.recency, _DIGITS),
            confidence=self.confidence,
        )


_Ranked = tuple[Compared, _Score]


def _score(entry: Compared, similarity: float, now: datetime) -> _Score:
    age = (now - entry.created_at).total_seconds() / _DAY
    return _Score(clamp(similarity, -1.0), recency(age), sureness(entry))


def _best(table: MindTable, asked: Recalling, now: datetime, limit: int) -> list[_Ranked]:
    """Return the best of all that reaches the threshold; no more entries are read than that takes."""
    wanted = _wanted(asked, now)
    kinds: list[type[Compared]] = [MindBelief] if asked.reads("belief") else []
    kinds += [MindReflection] if asked.reads("reflection") else []
    candidates = [
        (whole, kind, entry_id, similarity)
        for kind in kinds
        for whole, entry_id, similarity in _ranking(table.compare(kind, asked.query, wanted), asked.threshold, now)
    ]
    candidates.sort(key=lambda candidate: -candidate[0])
    found: list[_Ranked] = []
    for start, end in _steps(candidates, limit):
        if len(found) >= limit:
            break
        for kind in kinds:
            likes = {entry_id: similarity for _, of, entry_id, similarity in candidates[start:end] if of is kind}
            read: list[Compared] = table.get(kind, list(likes))
            found += [(entry, _score(entry, likes[entry.id], now)) for entry in read if meets(entry, wanted)]
    found = [(entry, score) for entry, score in found if score.whole >= asked.threshold]
    found.sort(key=lambda pair: (pair[1].whole, pair[0].created_at, pair[0].id), reverse=True)
    return found[:limit]


def _ranking(held: Likenesses, threshold: float, now: datetime) -> list[tuple[float, str, float]]:
    """Return score, id and similarity of those that reach the threshold; scores as near as many can be had at once."""
    similarity = np.clip(np.asarray(held.similarity, np.float64), -1.0, 1.0)
    age = (now.timestamp() - np.asarray(held.created_at, np.float64)) / _DAY
    whole = composites(similarity, age, np.asarray(held.confidence, np.float64))
    kept = np.flatnonzero(whole >= threshold - _NEAR)
    columns = (whole[kept].tolist(), [held.ids[place] for place in kept.tolist()], similarity[kept].tolist())
    return list(zip(*columns, strict=True))


def _steps(candidates: Sequence[tuple[float, type[Compared], str, float]], limit: int) -> Iterator[tuple[int, int]]:
    """Yield from where to where to read: first a few more than wanted, then ever more; equal scores in one step."""
    start, size = 0, limit
    while start < len(candidates):
        end = min(start + size, len(candidates))
        while end < len(candidates) and candidates[end - 1][0] - candidates[end][0] <= _NEAR:
            end += 1
        yield start, end
        start, size = end, size * 4


def _standing_rules(table: MindTable, asked: Recalling, now: datetime) -> list[_Ranked]:
    if not (asked.pinned and asked.reads("reflection")):
        return []
    found = table.find(MindReflection, _wanted(asked, now))
    return [(reflection, _score(reflection, 0.0, now)) for reflection in reversed(found)]


def _wanted(asked: Recalling, now: datetime) -> Wanted:
    return Wanted(
        pinned=True if asked.pinned else None,
        alive_at=None if asked.include_expired else now,
        tags=asked.tags,
    )


def _result(
    entry: MindGoal | MindBelief | MindReflection, now: datetime, score: _Score | None = None
) -> MindRecallResult:
    shared = type(entry).model_fields.keys() & MindRecallResult.model_fields.keys() - {"content"}
    return MindRecallResult(
        content=entry.text,
        score=None if score is None else round(score.whole, _DIGITS),
        parts=None if score is None else score.parts(),
        expired=None if isinstance(entry, MindGoal) else entry.is_expired(now),
        **{name: getattr(entry, name) for name in shared},
    )
