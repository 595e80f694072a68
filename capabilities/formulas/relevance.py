"""How relevant a memory is to recall now: its prior, by the formula of its own tier.

Source of all formulas: the specification of cross-tier recall. Arguments outside [0, 1] are clamped where a share is
meant; not-a-number raises ValueError. Every result lies in [0, 1].
"""

from .bounds import clamp, not_negative, unit

SETTLED = 10
"""From this number of reinforcements on, one more adds nothing to a fact's relevance."""


def semantic(confidence: float, reinforcements: float) -> float:
    """Return ``confidence * (0.5 + 0.5 * min(1, reinforcements / 10))``.

    ``reinforcements`` is a count, at least 0.

    >>> semantic(0.8, 5)
    0.6000000000000001
    """
    settled = min(1.0, not_negative("reinforcements", reinforcements) / SETTLED)
    return unit("confidence", confidence) * (0.5 + 0.5 * settled)


def working(salience: float) -> float:
    """Return ``salience``: what is present is relevant.

    >>> working(0.4)
    0.4
    """
    return unit("salience", salience)


def episodic(significance: float, place: float, last: float) -> float:
    """Return ``significance * (0.5 + 0.5 * place / last)``: the newest counts fully, the oldest about half.

    The specification divides the turn by the latest turn. Turns of different sessions cannot be compared, so ``place``
    is the episode's place in the order of encoding, from 1, and ``last`` the newest one's; ``last`` 0 counts as newest.

    >>> episodic(0.8, 1, 4)
    0.5
    """
    newest = not_negative("last", last)
    recency = clamp(not_negative("place", place) / newest) if newest else 1.0
    return unit("significance", significance) * (0.5 + 0.5 * recency)
