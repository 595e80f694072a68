"""How a trace fades, and what using it, ignoring it and other traces like it do to it.

Elapsed times, stabilities and intervals are milliseconds; strengths and intensities lie in [0, 1]. Not-a-number raises
ValueError. Source of the numbers where no other is named: the specification of the cognitive memory.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bounds import not_negative, unit

LEARNED_PER_USE = 0.1
LEAST_STABILITY = 60_000.0
"""What being ignored leaves at least: a minute."""
PROTECTED_INTENSITY = 0.3
"""A trace that was felt above it is not pruned."""
RETROACTIVE, PROACTIVE, MOST_PROACTIVE = 0.15, 0.1, 0.3


@dataclass(frozen=True, slots=True)
class Retention:
    """How well a trace is kept: its strength when it was last used, how slowly that fades, and when it is due again."""

    strength: float
    stability: float
    uses: int = 0
    interval: float = 3_600_000.0


def current_strength(strength: float, elapsed: float, stability: float) -> float:
    """Return ``strength * exp(-elapsed / stability)``: the forgetting curve; an ``elapsed`` below 0 counts as 0.

    A stability of 0 has lost everything as soon as time has passed. Source: Ebbinghaus, "Über das Gedächtnis" (1885).

    >>> round(current_strength(1.0, 3_600_000, 3_600_000), 4)
    0.3679
    """
    if math.isnan(elapsed):
        raise ValueError("elapsed is nan: expected milliseconds since the last use")
    past, lasting = max(0.0, elapsed), not_negative("stability", stability)
    if lasting == 0:
        return unit("strength", strength) if past == 0 else 0.0
    return unit("strength", strength) * math.exp(-past / lasting)


def current_strengths(
    strength: NDArray[np.float64], elapsed: NDArray[np.float64], stability: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what `current_strength` gives for each of many traces, all arrays of one shape (n,).

    Elapsed times and stabilities may be in any unit, if it is the same for both.
    """
    if np.isnan(strength).any() or np.isnan(elapsed).any() or not np.isfinite(stability).all() or (stability < 0).any():
        raise ValueError("strengths and elapsed times must be numbers, and stabilities finite and at least 0")
    past = np.maximum(elapsed, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        left = np.where(stability > 0, np.exp(-past / stability), np.where(past == 0, 1.0, 0.0))
    return np.clip(strength, 0.0, 1.0) * left


def lasts(strength: float, stability: float, threshold: float = 0.05) -> float:
    """Return after how many milliseconds without a use a strength falls to ``threshold``: ``stability ln(S / t)``.

    0 for one that is there already, infinity for a threshold of 0.

    >>> round(lasts(0.2875, 1.0), 2), lasts(0.05, 1.0)
    (1.75, 0.0)
    """
    begun, least = unit("strength", strength), unit("threshold", threshold)
    if begun <= least:
        return 0.0
    return not_negative("stability", stability) * math.log(begun / least) if least else math.inf


def growth(strength_now: float, uses: int, intensity: float, *, may_shrink: bool = False) -> float:
    """Return by what a use multiplies stability: the less was left, the more (a desirable difficulty).

    ``(1.5 + 2 max(0.1, 1 - strength)) / (1 + 0.1 uses) * (1 + 0.3 intensity)``, with ``uses`` those before this one.
    The bare formula falls below 1 from about the ninth use on, and so the most used memories would be the first to be
    forgotten: it is never below 1, unless ``may_shrink``. Source: Bjork, "Memory and metamemory considerations in the
    training of human beings" (1994).

    >>> growth(0.0, 0, 0.0), growth(1.0, 30, 0.0)
    (3.5, 1.0)
    """
    difficulty = max(0.1, 1.0 - unit("strength_now", strength_now))
    by = (1.5 + difficulty * 2.0) * (1.0 / (1.0 + 0.1 * max(0, uses))) * (1.0 + unit("intensity", intensity) * 0.3)
    return by if may_shrink else max(1.0, by)


def used(kept: Retention, elapsed: float, intensity: float, *, may_shrink: bool = False) -> Retention:
    """Return the retention after a use, ``elapsed`` milliseconds after the last.

    Strength gains 0.1, stability grows by `growth`, and the interval to the next repetition doubles.

    >>> used(Retention(0.5, 1000.0, interval=10.0), 0.0, 0.0).interval
    20.0
    """
    now = current_strength(kept.strength, elapsed, kept.stability)
    return Retention(
        strength=min(1.0, unit("strength", kept.strength) + LEARNED_PER_USE),
        stability=kept.stability * growth(now, kept.uses, intensity, may_shrink=may_shrink),
        uses=kept.uses + 1,
        interval=kept.interval * 2,
    )


def ignored(kept: Retention, elapsed: float) -> Retention:
    """Return the retention of a trace that was shown and not used: a tenth weaker, and half as lasting.

    It keeps a stability of a minute; what had less keeps what it had, for being ignored makes nothing more lasting.

    >>> ignored(Retention(0.5, 100_000.0), 0.0).stability, ignored(Retention(0.5, 30_000.0), 0.0).stability
    (60000.0, 30000.0)
    """
    now = current_strength(kept.strength, elapsed, kept.stability)
    return Retention(
        now * 0.9, max(kept.stability * 0.5, min(kept.stability, LEAST_STABILITY)), kept.uses, kept.interval
    )


def interference(likenesses: Iterable[tuple[float, float]], threshold: float = 0.7) -> tuple[list[float], float]:
    """Return what each old trace loses to a new one that is like it, and what the new one loses to all of them.

    ``likenesses`` are the cosine and the present strength of each old trace. Above ``threshold``, with ``k = (cosine -
    threshold) / (1 - threshold)``, the old one loses ``0.15 k``, the new one ``0.1 k`` times the old one's strength,
    0.3 at most. Source: Müller & Pilzecker, "Experimentelle Beiträge zur Lehre vom Gedächtnis" (1900); Underwood,
    "Interference and forgetting", Psychological Review 64 (1957).

    >>> interference([(1.0, 1.0), (0.5, 1.0)])
    ([0.15, 0.0], 0.1)
    """
    lost: list[float] = []
    proactive = 0.0
    for cosine, strength in likenesses:
        if math.isnan(cosine):
            raise ValueError("a likeness is nan: expected a cosine between -1 and 1")
        share = (cosine - threshold) / (1.0 - threshold) if cosine > threshold else 0.0
        lost.append(RETROACTIVE * share)
        proactive += PROACTIVE * share * unit("strength", strength)
    return lost, min(MOST_PROACTIVE, proactive)


def are_prunable(
    strength_now: NDArray[np.float64],
    intensity: NDArray[np.float64],
    threshold: float = 0.05,
    protected: float = PROTECTED_INTENSITY,
) -> NDArray[np.bool_]:
    """Return which traces are so weak that they go, all arrays of one shape (n,).

    Those below ``threshold`` that no emotion above ``protected`` keeps; an intensity that is no number keeps none.

    >>> are_prunable(np.array([0.04, 0.04, 0.05]), np.array([0.3, 0.31, 0.0])).tolist()
    [True, False, False]
    """
    return (strength_now < threshold) & ~(intensity > protected)
