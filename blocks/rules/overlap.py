"""How much of one text is in another, and whether two texts say the same thing."""

from capabilities.contradiction import changes_value, same_claim
from capabilities.formulas.similarity import overlap
from fabric.text import words

SIMILAR = 0.6
"""Texts that share at least this much, in the better direction, are about the same thing."""

SAME = 0.95
"""Texts that share at least this much in both directions are repetitions."""


def shared(a: str, b: str) -> tuple[float, float]:
    """Return the larger and the smaller share of one text's words found in the other, each 0..1.

    >>> shared("likes green tea", "likes tea")
    (1.0, 0.6666666666666666)
    """
    first, second = words(a), words(b)
    smaller, larger = sorted((overlap(first, second), overlap(second, first)))
    return larger, smaller


def agree(a: str, b: str, subject: str = "user") -> bool:
    """Return whether two texts on ``subject`` are about the same thing and no number, date, name or negation differs.

    Other words for the value of one slot agree too.

    >>> agree("Has 2 cats", "Has 3 cats"), agree("Has 2 cats", "Has 2 black cats")
    (False, True)
    >>> agree("Joined Stripe last week", "Works at Stripe")
    True
    """
    if same_claim(a, b, subject):
        return True
    larger, smaller = shared(a, b)
    return larger >= SIMILAR and smaller >= SIMILAR / 2 and not changes_value(a, b, subject)
