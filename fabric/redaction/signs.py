"""Signs: short texts that are looked for all at once, and the data files of this room in which they stand."""

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any


def pattern_of(signs: Iterable[str]) -> str:
    """Return a pattern that matches the longest of the signs at a place, in time that does not grow with their number.

    >>> pattern_of(["pass", "password", "pin"])
    'p(?:ass(?:word)?|in)'
    """
    first: dict[str, list[str]] = {}
    for sign in sorted(set(signs)):
        if sign:
            first.setdefault(sign[0], []).append(sign)
    branches = [_branch(words) for words in first.values()]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _branch(words: list[str]) -> str:
    """Return the pattern of words with one first letter."""
    shared = _shared(words)
    rest = [word[len(shared) :] for word in words]
    longer = [word for word in rest if word]
    if not longer:
        return re.escape(shared)
    inner = pattern_of(longer)
    if len(longer) == len(rest):
        return re.escape(shared) + inner
    return f"{re.escape(shared)}(?:{inner})?"


def _shared(words: list[str]) -> str:
    low, high = min(words), max(words)
    same = next((at for at, letter in enumerate(low) if at >= len(high) or letter != high[at]), len(low))
    return low[:same]


def lowered(text: str) -> str:
    """Return the text in lower case, letter by letter: every place in it is the same place in ``text``.

    >>> len(lowered("İSTANBUL")) == len("İSTANBUL")
    True
    """
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(char if len(char) == 1 else " " for char in map(str.lower, text))


class Signs:
    """Signs that are looked for in one pass over a text in lower case."""

    def __init__(self, signs: Iterable[str]) -> None:
        self._known = frozenset(signs)
        # A lookahead finds signs that begin inside of others; of those that begin together it finds the longest.
        self._pattern = re.compile(f"(?=({pattern_of(self._known)}))")

    def within(self, lower: str) -> set[str]:
        """Return which of the signs stand in a text in lower case.

        >>> sorted(Signs(["pass", "password", "word", "pin"]).within("my password"))
        ['pass', 'password', 'word']
        """
        longest = set(self._pattern.findall(lower))
        return {sign[:end] for sign in longest for end in range(1, len(sign) + 1) if sign[:end] in self._known}


@cache
def data(name: str) -> dict[str, Any]:
    """Return the content of one of this folder's JSON files."""
    content: dict[str, Any] = json.loads(files("fabric.redaction").joinpath(name).read_text(encoding="utf-8"))
    return content
