"""How alike two entries are, by their vectors or their words, and which entries meet what is wanted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fabric.text.words import content_words, normalise

from ..formulas.similarity import word_cosine
from .provider import Wanted
from .record import LEVELS, MindBelief, MindEntry, MindGoal, MindReflection

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


def word_similarity(a: str, b: str) -> float:
    """Return the cosine of the words of two texts: English stems without function words, bigrams of unspaced scripts.

    >>> round(word_similarity("They like tea", "Tea is a drink she likes"), 2)
    0.82
    """
    first, second = content_words(a), content_words(b)
    if not first or not second:
        return float(normalise(a).split() == normalise(b).split())
    return word_cosine(first, second)


def cosine(a: "NDArray[float32]", b: "NDArray[float32]") -> float:
    """Return the dot product of two unit vectors."""
    return float(a @ b)


def meets(entry: MindEntry, wanted: Wanted) -> bool:
    """Return whether an entry meets all conditions; one that its type does not have is met."""
    checks = [
        not isinstance(entry, MindGoal) or wanted.status in (None, entry.status),
        not isinstance(entry, MindReflection) or wanted.pinned in (None, entry.pinned),
        not isinstance(entry, MindBelief) or entry.confidence in at_least(wanted),
        isinstance(entry, MindGoal) or wanted.alive_at is None or not entry.is_expired(wanted.alive_at),
        isinstance(entry, MindGoal) or not (wanted.without_errors and entry.error),
        wanted.made_since is None or entry.created_at >= wanted.made_since,
        wanted.tags <= set(entry.tags),
    ]
    return all(checks)


def at_least(wanted: Wanted) -> Sequence[str]:
    """Return the levels of confidence that are sure enough."""
    return LEVELS if wanted.at_least is None else LEVELS[LEVELS.index(wanted.at_least) :]
