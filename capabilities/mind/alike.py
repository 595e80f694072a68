"""How alike two entries are, by their vectors or their words, and when two beliefs are one."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fabric.text import content_words, normalise

from ..contradiction import changes_value, dates, negated, numbers, rival_names
from ..formulas.similarity import word_cosine
from .provider import Wanted
from .record import LEVELS, MindBelief, MindEntry, MindGoal, MindReflection

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


def alike_in_words(a: str, b: str) -> float:
    """Return the cosine of the words of two texts: English stems without function words, bigrams of unspaced scripts.

    >>> round(alike_in_words("They like tea", "Tea is a drink she likes"), 2)
    0.82
    """
    first, second = content_words(a), content_words(b)
    if not first or not second:
        return float(normalise(a).split() == normalise(b).split())
    return word_cosine(first, second)


def cosine(a: "NDArray[float32]", b: "NDArray[float32]") -> float:
    """Return the dot product of two unit vectors."""
    return float(a @ b)


def names_another(a: str, b: str) -> bool:
    """Return whether two texts differ in whom or what they name, so that they are about two things.

    A changed number, day or negation is a change of one thing, but not of what names somebody else besides.

    >>> names_another("Alice likes tea", "Bob likes tea"), names_another("The limit is 100", "The limit is 200")
    (True, False)
    >>> names_another("Ask Alice for 2 keys", "Ask Bob for 3 keys")
    True
    """
    if rival_names(a, b):
        return True
    same = (numbers(a), dates(a), negated(a)) == (numbers(b), dates(b), negated(b))
    return same and changes_value(a, b)


def best(offered: Iterable[tuple[str, str, float]], text: str, threshold: float) -> str | None:
    """Return the id of the most similar of ``(id, text, similarity)`` that says what ``text`` says, if any does."""
    same = [(alike, one) for one, said, alike in offered if alike >= threshold and not names_another(said, text)]
    return max(same, key=lambda pair: pair[0])[1] if same else None


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
