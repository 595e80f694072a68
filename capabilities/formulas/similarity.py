"""How alike two texts are, by the words they share."""

import math
from collections.abc import Collection

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
