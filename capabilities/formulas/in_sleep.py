"""What happens to memories between turns: details fade to a gist, schemas absorb, sources are doubted, feelings calm.

Strengths, intensities and arousal lie in [0, 1], valences in [-1, 1], times are milliseconds. Source of the numbers
where no other is named: the specification of the cognitive memory.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

from .after_recall import IMMUNE
from .bounds import unit
from .encoding import EmotionalContext
from .personality import HIGH
from .priority import DAY

GIST_WORDS, GIST_STRENGTH = 30, 0.8
TRUSTED, LEAST_FOR_TRUSTED = 0.8, 0.9
SOURCES: Mapping[str, float] = {
    "user_statement": 1.0,
    "tool_result": 1.0,
    "observation": 0.95,
    "external": 0.90,
    "agent_inference": 0.80,
    "reflection": 0.75,
    "fact_graph": 0.85,
    "typed_network": 0.85,
    "retrieved_document": 0.95,
    "external_api": 0.90,
    "memory_summary": 0.75,
}
"""What stability is multiplied by, by where a memory is from; 1 for every other source."""


def fades_to_gist(age: float, uses: int, strength: float, *, days: float = 60.0, least_uses: int = 2) -> bool:
    """Return whether a memory has lost its details: old (milliseconds), seldom used, and no flashbulb.

    Source: Reyna & Brainerd, "Fuzzy-trace theory", Learning and Individual Differences 7 (1995).

    >>> fades_to_gist(61 * DAY, 0, 0.5), fades_to_gist(61 * DAY, 2, 0.5)
    (True, False)
    """
    return age >= days * DAY and uses < least_uses and unit("strength", strength) < IMMUNE


def gist(content: str, mood: str) -> str:
    """Return the first thirty words of a text, dots where some are left out, and the name of the mood.

    >>> gist("We met in Oslo", "JOY")
    'We met in Oslo [JOY]'
    """
    text = content.rstrip()
    words = ([""] if text != text.lstrip() else []) + text.split()
    cut = " ".join(words[:GIST_WORDS])
    return f"{cut}{'...' if len(words) > GIST_WORDS else ''} [{mood}]"


@dataclass(frozen=True, slots=True)
class SchemaRates:
    """From which cosine on something fits a schema, and what its strength is multiplied by where it does or not."""

    threshold: float = 0.75
    discount: float = 0.85
    boost: float = 1.3


def nearest_schema(vector: Sequence[float], schemas: Sequence[Sequence[float]]) -> tuple[int | None, float]:
    """Return the place of the nearest schema and its cosine, of several the first; None without any.

    >>> nearest_schema([1.0, 0.0], [[0.0, 1.0], [1.0, 0.0]])
    (1, 1.0)
    """
    found: int | None = None
    best = -math.inf
    for place, schema in enumerate(schemas):
        cosine = _cosine(vector, schema)
        if cosine > best:
            found, best = place, cosine
    return found, best if found is not None else 0.0


def schema_strength(strength: float, cosine: float, rates: SchemaRates | None = None) -> tuple[float, bool]:
    """Return the strength of something new beside its nearest schema, and whether it fits there.

    What fits is encoded less strongly, what does not more, to 1 at most. Source: van Kesteren, Ruiter, Fernández &
    Henson, "How schema and novelty augment memory formation", Trends in Neurosciences 35 (2012).

    >>> schema_strength(0.5, 0.9)
    (0.425, True)
    """
    rates = rates or SchemaRates()
    if cosine >= rates.threshold:
        return unit("strength", strength) * rates.discount, True
    return min(1.0, unit("strength", strength) * rates.boost), False


def source_multiplier(source: str, strength: float, multipliers: Mapping[str, float] = SOURCES) -> float:
    """Return what stability is multiplied by, for where a memory is from; what is strong loses a tenth at most.

    Source: Johnson, Hashtroudi & Lindsay, "Source monitoring", Psychological Bulletin 114 (1993).

    >>> source_multiplier("reflection", 0.5), source_multiplier("reflection", 0.8)
    (0.75, 0.9)
    """
    multiplier = multipliers.get(source, 1.0)
    return max(multiplier, LEAST_FOR_TRUSTED) if unit("strength", strength) >= TRUSTED else multiplier


@dataclass(frozen=True, slots=True)
class Regulation:
    """From which valence and arousal on feelings are regulated, how much they lose, and how many a cycle regulates."""

    rate: float = 0.15
    valence: float = 0.8
    arousal: float = 0.6
    most: int = 10


def is_overwhelming(context: EmotionalContext, strength: float, how: Regulation | None = None) -> bool:
    """Return whether a memory is so intense that it is regulated, and no flashbulb.

    >>> is_overwhelming(EmotionalContext(-0.9, 0.7, 0.0, 0.63), 0.5)
    True
    """
    how = how or Regulation()
    return abs(context.valence) > how.valence and context.arousal > how.arousal and unit("strength", strength) < IMMUNE


def reappraised(context: EmotionalContext, rate: float = 0.15) -> EmotionalContext:
    """Return the mood of a memory that was reappraised: valence and arousal lose ``rate`` of themselves.

    Source: Gross, "The emerging field of emotion regulation", Review of General Psychology 2 (1998).

    >>> reappraised(EmotionalContext(1.0, 1.0, 0.0, 1.0)).valence
    0.85
    """
    valence, arousal = context.valence * (1.0 - rate), context.arousal * (1.0 - rate)
    return EmotionalContext(valence, arousal, context.dominance, abs(valence) * max(0.0, arousal))


def regulated(
    memories: Sequence[tuple[EmotionalContext, float]], how: Regulation | None = None
) -> tuple[list[tuple[EmotionalContext, float]], int]:
    """Return memories (mood and strength) after a cycle of regulation, and how many were reappraised.

    The most aroused first, ``most`` at most. What is overwhelming all the same loses a tenth of its strength.

    >>> regulated([(EmotionalContext(1.0, 1.0, 0.0, 1.0), 0.5)])[1]
    1
    """
    how = how or Regulation()
    after = list(memories)
    over = [place for place, (context, strength) in enumerate(after) if is_overwhelming(context, strength, how)]
    over.sort(key=lambda place: -after[place][0].arousal)
    for place in over[: how.most]:
        after[place] = (reappraised(after[place][0], how.rate), after[place][1])
    for place in over:
        context, strength = after[place]
        if is_overwhelming(context, strength, how):
            after[place] = (context, strength * 0.9)
    return after, len(over[: how.most])


CLEARLY_SURER = 0.2
"""By how much one of two versions must be surer for it to be the one that is kept."""
ROUNDING = 1e-9
FULLEST_ENTITY = 10
"""How many of those that share something are tied to each other."""
IN_SEQUENCE = 300_000.0
"""Five minutes in milliseconds: what is less apart follows one another."""


@dataclass(frozen=True, slots=True)
class Version:
    """One side of a contradiction: when it was made (milliseconds), and how sure it is, 0 to 1."""

    id: str
    made: float
    confidence: float


def resolved(versions: Sequence[Version], pairs: Iterable[tuple[str, str]], honesty: float) -> list[tuple[str, str]]:
    """Return who lost to whom, loser first, among versions that contradict one another in pairs.

    With an honesty above 0.6 the newer one wins, of equally new ones the other; else the surer one, if it is surer by
    more than 0.2: in between both stay. Who has lost takes no further part.

    >>> old, new = Version("old", 1.0, 0.9), Version("new", 2.0, 0.5)
    >>> resolved([old, new], [("old", "new")], honesty=0.7), resolved([old, new], [("old", "new")], honesty=0.5)
    ([('old', 'new')], [('new', 'old')])
    """
    sides = {version.id: version for version in versions}
    against: dict[str, list[str]] = {version_id: [] for version_id in sides}
    for one, other in pairs:
        if one in sides and other in sides:
            against[one].append(other)
            against[other].append(one)
    lost: dict[str, str] = {}
    for version in versions:
        for other in against[version.id]:
            if version.id in lost:
                break
            if other not in lost and (loser := _loser(version, sides[other], honesty)) is not None:
                lost[loser] = other if loser == version.id else version.id
    return [*lost.items()]


def _loser(visited: Version, other: Version, honesty: float) -> str | None:
    if unit("honesty", honesty) > HIGH:
        return other.id if visited.made > other.made else visited.id
    surer = visited.confidence - other.confidence
    if abs(surer) <= CLEARLY_SURER + ROUNDING:
        return None
    return other.id if surer > 0 else visited.id


def kept_version(
    older: float, newer: float, honesty: float, agreeableness: float
) -> Literal["superseded", "both", "newer", "older"]:
    """Return what a reflector does with something new that contradicts something known, by how sure each is.

    With an honesty above 0.6 the older is ``superseded``; with an agreeableness above 0.6 ``both`` stay, and it is
    noted that they differ; else the surer one counts, of equally sure ones the newer.

    >>> kept_version(0.8, 0.7, honesty=0.5, agreeableness=0.5), kept_version(0.8, 0.7, honesty=0.7, agreeableness=0.9)
    ('older', 'superseded')
    """
    if unit("honesty", honesty) > HIGH:
        return "superseded"
    if unit("agreeableness", agreeableness) > HIGH:
        return "both"
    return "older" if older > newer else "newer"


def sharing_pairs(holders: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return the pairs of those that share something, by what they share; of each only the first ten.

    >>> sharing_pairs({"Oslo": ["a", "b"], "Ada": ["a"]})
    [('a', 'b')]
    """
    return [pair for some in holders.values() for pair in combinations(some[:FULLEST_ENTITY], 2)]


def following_pairs(made: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return those that follow each other within less than five minutes, from when each was made (milliseconds).

    >>> following_pairs({"a": 0.0, "b": 299_999.0, "c": 599_999.0})
    [('a', 'b')]
    """
    order = sorted(made, key=lambda trace_id: made[trace_id])
    return [(trace_id, next_) for trace_id, next_ in pairwise(order) if made[next_] - made[trace_id] < IN_SEQUENCE]


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    if len(first) != len(second):
        return 0.0
    length = math.sqrt(sum(value * value for value in first) * sum(value * value for value in second))
    return sum(a * b for a, b in zip(first, second, strict=True)) / length if length else 0.0
