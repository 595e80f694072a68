"""Which traces come to mind: six signals in one score, and what is only on the tip of the tongue.

All signals and strengths lie in [0, 1], valences in [-1, 1], times are milliseconds. Not-a-number raises ValueError.
Source where no other is named: the specification of the cognitive memory.
"""

import math
from dataclasses import dataclass

from .bounds import signed, unit
from .encoding import Mood

DAY = 86_400_000.0
"""Milliseconds."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for a trace. ``similarity`` is how well it fits: a cosine, which may be negative, or a relevance."""

    strength: float = 0.0
    similarity: float = 0.0
    recency: float = 0.0
    emotional_congruence: float = 0.0
    graph_activation: float = 0.0
    importance: float = 0.0


WEIGHTS = Signals(
    strength=0.25,
    similarity=0.35,
    recency=0.10,
    emotional_congruence=0.15,
    graph_activation=0.10,
    importance=0.05,
)
"""What each signal counts."""


def recency(elapsed: float, constant: float = DAY) -> float:
    """Return ``exp(-elapsed / constant)``: 1 for what was just used; an ``elapsed`` below 0 counts as 0.

    Both are times in one unit. ``constant`` is an e-folding time, not a half-life.

    >>> recency(0.0), round(recency(DAY), 4)
    (1.0, 0.3679)
    """
    if math.isnan(elapsed) or not constant > 0:
        raise ValueError(
            f"recency after {elapsed} with a constant of {constant}: expected a time, and a constant above 0"
        )
    return math.exp(-max(0.0, elapsed) / constant)


def emotional_congruence(mood: Mood, valence: float) -> float:
    """Return ``max(0, m v)`` of the mood's valence and the trace's. Source: Bower, "Mood and memory" (1981).

    >>> emotional_congruence(Mood(valence=-1.0), -0.5)
    0.5
    """
    return max(0.0, mood.valence * signed("valence", valence))


def congruence_boost(mood: Mood, valence: float) -> float:
    """Return the same as a factor, ``1 + 0.25 max(0, m v)``.

    >>> congruence_boost(Mood(valence=1.0), 1.0)
    1.25
    """
    return 1.0 + 0.25 * emotional_congruence(mood, valence)


def importance(confidence: float) -> float:
    """Return ``0.5 + 0.5 confidence``: what is doubted counts half.

    >>> importance(0.5)
    0.75
    """
    return unit("confidence", confidence) * 0.5 + 0.5


def priority(signals: Signals, weights: Signals = WEIGHTS) -> float:
    """Return the weighted sum of the six signals, clamped to [0, 1].

    >>> priority(Signals(strength=1.0, similarity=1.0))
    0.6
    """
    parts = (
        weights.strength * signals.strength,
        weights.similarity * signals.similarity,
        weights.recency * signals.recency,
        weights.emotional_congruence * signals.emotional_congruence,
        weights.graph_activation * signals.graph_activation,
        weights.importance * signals.importance,
    )
    return unit("the sum of the signals", sum(parts))


def is_on_the_tongue(similarity: float, strength: float, confidence: float) -> bool:
    """Return whether something is nearly remembered: like the question (above 0.6), but weak (0.3) or doubted (0.4).

    Source: Brown & McNeill, "The 'tip of the tongue' phenomenon", J. of Verbal Learning and Verbal Behavior 5 (1966).

    >>> is_on_the_tongue(0.7, 0.2, 0.9), is_on_the_tongue(0.7, 0.9, 0.9)
    (True, False)
    """
    if math.isnan(similarity):
        raise ValueError("similarity is nan: expected a cosine between -1 and 1")
    return similarity > 0.6 and (unit("strength", strength) < 0.3 or unit("confidence", confidence) < 0.4)


def partial_confidence(similarity: float, confidence: float, congruence: float = 1.0) -> float:
    """Return how sure what is nearly remembered is: ``min(1, min(confidence, similarity / 2) * congruence)``.

    ``congruence`` is a factor as `congruence_boost` gives it.

    >>> partial_confidence(0.8, 0.9)
    0.4
    """
    return min(1.0, min(unit("confidence", confidence), similarity / 2.0) * congruence)
