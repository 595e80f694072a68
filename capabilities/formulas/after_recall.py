"""What recalling does to memories: moods drift, competitors fade, some come unasked, some are only felt to be known.

Strengths, intensities, arousal and chances lie in [0, 1], valences in [-1, 1]. Chance comes in as numbers in [0, 1).
Source of the numbers where no other is named: the specification of the cognitive memory.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .bounds import unit
from .encoding import EmotionalContext

IMMUNE = 0.9
"""From this strength on a memory is a flashbulb: nothing that happens later changes it."""
TOO_WEAK = 0.1
"""Below this strength there is nothing left to suppress."""
SURE = 0.6
"""Above this a feeling of knowing is nearly certain."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a memory's mood moves towards that of its recalls: per recall, and in all."""

    rate: float = 0.05
    most: float = 0.4


def reconsolidated(
    context: EmotionalContext,
    strength: float,
    towards: tuple[float, float, float],
    spent: float = 0.0,
    drift: Drift | None = None,
) -> tuple[EmotionalContext, float]:
    """Return the mood of a memory after a recall in another mood, and how far it moved in all its recalls.

    ``towards`` are valence, arousal and dominance on the trace's own scale (arousal in [0, 1]). Each moves by ``rate``
    times the difference; the sum of the moves is scaled down to what is left of ``most``. A flashbulb does not move.
    Source: Nader, Schafe & LeDoux, "Fear memories require protein synthesis in the amygdala for reconsolidation after
    retrieval", Nature 406 (2000).

    >>> moved, spent = reconsolidated(EmotionalContext(0.0, 0.5, 0.0, 0.0), 0.5, (1.0, 0.5, 0.0))
    >>> moved.valence, spent
    (0.05, 0.05)
    """
    drift = drift or Drift()
    left = drift.most - spent
    if unit("strength", strength) >= IMMUNE or left <= 0:
        return context, spent
    now = (context.valence, context.arousal, context.dominance)
    moves = [drift.rate * (target - value) for value, target in zip(now, towards, strict=True)]
    total = sum(map(abs, moves))
    share = left / total if total > left else 1.0
    valence, arousal, dominance = (value + move * share for value, move in zip(now, moves, strict=True))
    moved = EmotionalContext(valence, arousal, dominance, abs(valence) * max(0.0, arousal))
    return moved, spent + total * share


def suppressed(strengths: Sequence[float], most: int = 5) -> list[int]:
    """Return the places of those competitors that a retrieval suppresses: the first that are neither weak nor immune.

    ``strengths`` are those of the candidates that were not retrieved. What is suppressed loses a share of its stability
    (0.12 unless a personality says otherwise). Source: Anderson, Bjork & Bjork, "Remembering can cause forgetting",
    Journal of Experimental Psychology: Learning, Memory, and Cognition 20 (1994).

    >>> suppressed([0.95, 0.5, 0.05, 0.4])
    [1, 3]
    """
    fit = [place for place, strength in enumerate(strengths) if TOO_WEAK <= unit("strength", strength) < IMMUNE]
    return fit[:most]


def unasked_weight(valence: float, arousal: float) -> float:
    """Return how readily a memory comes to mind unasked: ``max(0.01, |v| max(0, a))``.

    Source: Berntsen, "Involuntary autobiographical memories", Applied Cognitive Psychology 10 (1996).

    >>> unasked_weight(-1.0, 0.5)
    0.5
    """
    return max(0.01, abs(valence) * max(0.0, arousal))


def drawn(weights: Sequence[float], chance: float) -> int | None:
    """Return the place that a number in [0, 1) draws, each with its weight; None of none.

    >>> drawn([1.0, 3.0], 0.5)
    1
    """
    left = chance * sum(weights)
    for place, weight in enumerate(weights):
        left -= weight
        if left <= 0:
            return place
    return len(weights) - 1 if weights else None


def shared_entities(ours: Collection[str], asked: Collection[str]) -> float:
    """Return the entities that a memory and a question share, over the larger number of the two; 0 without any.

    >>> shared_entities(["Ada", "Oslo"], ["ada"])
    0.5
    """
    wanted = {name.lower() for name in asked}
    most = max(len(ours), len(asked))
    return sum(name.lower() in wanted for name in ours) / most if most else 0.0


def feeling_of_knowing(
    score: float, similarity: float, overlap: float, *, threshold: float = 0.3, cutoff: float
) -> float | None:
    """Return how strongly something is felt to be known that was not recalled; None outside of [threshold, cutoff).

    ``min(1, 0.4 (score - threshold) / (cutoff - threshold) + 0.3 similarity + 0.3 overlap)``. Source: Hart, "Memory and
    the feeling-of-knowing experience", Journal of Educational Psychology 56 (1965).

    >>> round(feeling_of_knowing(0.4, 0.5, 1.0, cutoff=0.5), 2)
    0.65
    """
    if not threshold <= score < cutoff:
        return None
    gap = (score - threshold) / (cutoff - threshold)
    return min(1.0, 0.4 * gap + 0.3 * similarity + 0.3 * overlap)
