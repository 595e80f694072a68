"""When two beliefs are one, and when the one says of it what the other does not."""

from collections.abc import Iterable

from fabric.text import words

from ..contradiction import changes_value, dates, negated, numbers, rival_names, slot_of

_OPPOSITE = ("un", "in", "im", "ir", "il", "dis", "non")
"""What an English word begins with that says the opposite of the rest."""
_SHORTEST_WITH_OPPOSITE = 4


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


def claims_another(held: str, said: str) -> bool:
    """Return whether a text says of the same thing something else than the one that is held: no longer, another value.

    >>> claims_another("The bridge is safe", "The bridge is not safe"), claims_another("Tea is hot", "Tea is hot!")
    (True, False)
    >>> claims_another("Favourite colour is blue", "Favourite colour is green")
    True
    >>> claims_another("The cache is enabled", "The cache is disabled")
    True
    """
    if changes_value(held, said) or _opposed(held, said) or _opposed(said, held):
        return True
    one, other = slot_of(held), slot_of(said)
    if one is None or other is None or one.slot != other.slot:
        return False
    return not (one.value <= other.value or other.value <= one.value)


def _opposed(a: str, b: str) -> bool:
    """Return whether a word of ``a`` stands in ``b`` as its opposite: safe and unsafe, enabled and disabled."""
    ours, theirs = set(words(a)), set(words(b))
    alone = [word for word in ours - theirs if len(word) >= _SHORTEST_WITH_OPPOSITE]
    opposites = {before + word for word in alone for before in _OPPOSITE} | {_swapped(word) for word in alone}
    return not opposites.isdisjoint(theirs - ours)


def _swapped(word: str) -> str:
    return f"dis{word.removeprefix('en')}" if word.startswith("en") else ""


def best(offered: Iterable[tuple[str, str, float]], text: str, threshold: float) -> str | None:
    """Return the id of the most similar of ``(id, text, similarity)`` that says what ``text`` says, if any does."""
    same = [(alike, one) for one, said, alike in offered if alike >= threshold and not names_another(said, text)]
    return max(same, key=lambda pair: pair[0])[1] if same else None
