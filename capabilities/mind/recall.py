"""Recall: which entries of a mind answer a query; goals by their words, beliefs and reflections by a score."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from fabric.terms import plain_terms, read_cue

from ..formulas.bounds import clamp
from ..formulas.mind import CONFIDENCE, composite, recency
from .provider import MindTable, Wanted
from .record import GoalStatus, MindBelief, MindEntryType, MindGoal, MindRecallResult, MindReflection, ScoreParts

SearchedType = Literal["goal", "belief", "reflection", "all"]
"""Which entries a recall searches."""
DEFAULT_LIMIT = 5
_DAY = 86_400.0
_DIGITS = 4


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
    ranked = _standing_rules(table, asked, now) if blank else _best(table, asked, now)
    limit = max(1, asked.limit)
    first = goals[: min(limit, max(-(-limit // 2), limit - len(ranked)))]
    rest = ranked[: limit - len(first)]
    return [*(_result(goal, now) for goal in first), *(_result(entry, now, score) for entry, score in rest)]


def _goals(table: MindTable, asked: Recalling, *, blank: bool) -> list[MindGoal]:
    found = table.find(MindGoal, Wanted(status=asked.status, tags=asked.tags, newest_first=True))
    if blank:
        return found
    words = [one.terms for one in read_cue(asked.query).words]
    shares = [(_share(words, set(plain_terms(_said(one)))), one) for one in found]
    return [one for share, one in sorted(shares, key=lambda pair: -pair[0]) if share]


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


_Ranked = tuple[MindBelief | MindReflection, _Score]


def _score(entry: MindBelief | MindReflection, similarity: float, now: datetime) -> _Score:
    if isinstance(entry, MindReflection):
        sure = CONFIDENCE["medium"]
    else:  # what was written in a failed run is not surer than a low one
        sure = CONFIDENCE["low" if entry.error else entry.confidence]
    age = (now - entry.created_at).total_seconds() / _DAY
    return _Score(clamp(similarity, -1.0), recency(age), sure)


def _best(table: MindTable, asked: Recalling, now: datetime) -> list[_Ranked]:
    wanted = _wanted(asked, now)
    found: list[tuple[MindBelief | MindReflection, float]] = []
    if asked.reads("belief"):
        found += table.similar(MindBelief, asked.query, wanted)
    if asked.reads("reflection"):
        found += table.similar(MindReflection, asked.query, wanted)
    scored = [(entry, _score(entry, similarity, now)) for entry, similarity in found]
    kept = [(whole, entry, score) for entry, score in scored if (whole := score.whole) >= asked.threshold]
    kept.sort(key=lambda one: (one[0], one[1].created_at, one[1].id), reverse=True)
    return [(entry, score) for _, entry, score in kept]


def _standing_rules(table: MindTable, asked: Recalling, now: datetime) -> list[_Ranked]:
    if not (asked.pinned and asked.reads("reflection")):
        return []
    found = table.find(MindReflection, _wanted(asked, now))
    return [(one, _score(one, 0.0, now)) for one in reversed(found)]


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
