"""What every formula does with numbers outside its domain: not-a-number is refused, the rest is clamped or refused."""

import math
from numbers import Real


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """Return ``value`` moved into [``low``, ``high``]; an infinity becomes the bound on its side.

    >>> clamp(1.7), clamp(-0.2)
    (1.0, 0.0)
    """
    return min(high, max(low, value))


def unit(name: str, value: float) -> float:
    """Return ``value`` clamped to [0, 1]; ValueError naming ``name`` when it is not a number.

    >>> unit("importance", float("nan"))
    Traceback (most recent call last):
    ValueError: importance is nan: expected a number, best between 0 and 1
    """
    if math.isnan(value):
        raise ValueError(f"{name} is nan: expected a number, best between 0 and 1")
    return clamp(value)


def checked_number(name: str, value: object) -> float:
    """Return a number that somebody gave; ValueError naming ``name`` for what is none, a truth value among them.

    >>> checked_number("openness", "high")
    Traceback (most recent call last):
    ValueError: openness is 'high': expected a number
    """
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise ValueError(f"{name} is {value!r}: expected a number")
    return float(value)


def signed(name: str, value: float) -> float:
    """Return ``value`` clamped to [-1, 1]; ValueError naming ``name`` when it is not a number.

    >>> signed("valence", -7.0)
    -1.0
    """
    if math.isnan(value):
        raise ValueError(f"{name} is nan: expected a number between -1 and 1")
    return clamp(value, -1.0, 1.0)


def not_negative(name: str, value: float) -> float:
    """Return ``value``; ValueError naming ``name`` when it is negative, infinite or not a number.

    >>> not_negative("rate", -1.0)
    Traceback (most recent call last):
    ValueError: rate is -1.0: expected a finite number of at least 0
    """
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{name} is {value}: expected a finite number of at least 0")
    return value
