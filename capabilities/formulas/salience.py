"""How a memory fades: the share of its importance that is left after a time without use."""

import math
from typing import Literal, get_args

from .bounds import clamp, not_negative, unit

Strategy = Literal["power-law", "exponential", "none"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


def power_law(elapsed: float, rate: float) -> float:
    """Return ``(1 + elapsed) ** -rate``: a fast first drop, then a long tail.

    ``elapsed`` in turns (or any unit that fits ``rate``), at least 0; ``rate`` without unit, at least 0; ValueError
    for anything else. Source: Anderson & Schooler, "Reflections of the environment in memory", Psychological Science
    2 (1991), the power law of forgetting that ACT-R uses; shifted by 1 so that nothing is lost at ``elapsed`` 0.

    >>> power_law(3, 0.5)
    0.5
    """
    return float((1.0 + not_negative("elapsed", elapsed)) ** -not_negative("rate", rate))


def exponential(elapsed: float, rate: float) -> float:
    """Return ``exp(-rate * elapsed)``: the same share is lost in every turn.

    Units and errors as in `power_law`. Source: Ebbinghaus, "Über das Gedächtnis" (1885), in the exponential form
    R = exp(-t/S) with stability S = 1/rate.

    >>> round(exponential(2, 0.5), 4)
    0.3679
    """
    return math.exp(-not_negative("rate", rate) * not_negative("elapsed", elapsed))


def none(elapsed: float, rate: float) -> float:
    """Return 1: nothing fades. Arguments are checked as in `power_law`, and otherwise ignored.

    >>> none(1000, 0.5)
    1.0
    """
    not_negative("elapsed", elapsed)
    not_negative("rate", rate)
    return 1.0


def decay(strategy: Strategy, elapsed: float, rate: float) -> float:
    """Return what the named strategy leaves after ``elapsed``: 1 at 0, never rising, never below 0.

    ValueError for an unknown strategy, else as in `power_law`.

    >>> decay("power-law", 3, 0.5), decay("none", 3, 0.5)
    (0.5, 1.0)
    """
    if strategy == "power-law":
        return power_law(elapsed, rate)
    if strategy == "exponential":
        return exponential(elapsed, rate)
    if strategy == "none":
        return none(elapsed, rate)
    raise ValueError(f"unknown decay strategy {strategy!r}: expected one of {', '.join(STRATEGIES)}")


def salience(importance: float, strategy: Strategy, elapsed: float, rate: float) -> float:
    """Return ``clamp(importance * decay(max(0, elapsed)), 0, 1)``: how present a memory is now.

    ``importance`` outside [0, 1] is clamped, a negative ``elapsed`` counts as 0; ValueError when one of them is not a
    number, and for what `decay` refuses. Source: the specification of working memory.

    >>> salience(0.8, "power-law", 3, 0.5)
    0.4
    """
    if math.isnan(elapsed):
        raise ValueError("elapsed is nan: expected the number of turns since the last use")
    return clamp(unit("importance", importance) * decay(strategy, max(0, elapsed), rate))
