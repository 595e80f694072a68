"""How alike two texts are, by the words they share."""

import math
from collections.abc import Collection, Iterable
from typing import NamedTuple

ALIKE = 0.6
"""From this overlap in one direction two texts are about the same thing."""


def overlap(a: Collection[str], b: Collection[str]) -> float:
    """Return ``|A and B| / |A|`` over the sets of words: the share of ``a``'s words found in ``b``, in [0, 1].

    Directional, and each word counts once however often it is said; an empty ``a`` gives 0. Source: the
    specification's token overlap; it is the containment of Broder, "On the resemblance and containment of
    documents" (1997).

    >>> overlap(["works", "at", "stripe"], ["she", "works", "at", "home"])
    0.6666666666666666
    >>> overlap([], ["anything"])
    0.0
    """
    asked = set(a)
    if not asked:
        return 0.0
    return len(asked.intersection(b)) / len(asked)


def word_cosine(a: Collection[str], b: Collection[str]) -> float:
    """Return ``|A and B| / sqrt(|A| * |B|)`` over the sets of words: 1 for the same words, 0 for none in common.

    The cosine of the two texts as vectors of which words they hold, in [0, 1]; no words at all give 0. Source: Ochiai,
    "Zoogeographical studies on the soleoid fishes", Bulletin of the Japanese Society of Scientific Fisheries 22 (1957).

    >>> round(word_cosine(["like", "tea"], ["like", "green", "tea"]), 3)
    0.816
    """
    first, second = set(a), set(b)
    if not first or not second:
        return 0.0
    return len(first & second) / math.sqrt(len(first) * len(second))


class Overlap(NamedTuple):
    """How two texts overlap, in both directions."""

    position: int
    """Which of the texts offered it is, from 0."""
    larger: float
    """The overlap in the direction where it is larger: whether the texts are about one thing."""
    smaller: float
    """The overlap in the other direction: whether they also say the same."""


def best_overlap(words: Collection[str], others: Iterable[Collection[str]], threshold: float = ALIKE) -> Overlap | None:
    """Return the one of ``others`` that overlaps most with ``words``, or None when none reaches ``threshold``.

    Ordered by the larger direction, then by the smaller one, then the first wins. ``threshold`` in [0, 1].

    >>> best_overlap(["likes", "tea"], [["likes", "coffee"], ["likes", "green", "tea"]])
    Overlap(position=1, larger=1.0, smaller=0.6666666666666666)
    >>> best_overlap(["likes", "tea"], [["works", "at", "stripe"]]) is None
    True
    """
    best: Overlap | None = None
    for position, other in enumerate(others):
        smaller, larger = sorted((overlap(words, other), overlap(other, words)))
        if larger >= threshold and (best is None or (larger, smaller) > (best.larger, best.smaller)):
            best = Overlap(position, larger, smaller)
    return best


def rival(a: Collection[str], b: Collection[str]) -> bool:
    """Return whether each side has words that the other lacks, so that neither text merely says more.

    >>> rival({"like", "chess"}, {"like", "guitar"}), rival({"like", "chess"}, {"like", "blitz", "chess"})
    (True, False)
    """
    first, second = set(a), set(b)
    return bool(first - second) and bool(second - first)
