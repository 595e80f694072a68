"""Words of their own, by which what was said in a campaign is found again wherever it is."""

import re
from collections.abc import Callable
from itertools import count
from threading import Lock

LETTERS = "bcdfghjkmnpqrtvw"
"""No vowels: no stemmer takes anything off a word of them."""
_WORD = re.compile(r"zq[a-z]{5}x", re.IGNORECASE)


def word(number: int) -> str:
    """Return the word of this number; none is part of another, and there are 16 ** 5."""
    letters = ""
    for _ in range(5):
        number, at = divmod(number, len(LETTERS))
        letters += LETTERS[at]
    return f"zq{letters}x"


def numbered(first: int) -> Callable[[], str]:
    """Return what gives a new word at each call, whichever thread asks."""
    counted, lock = count(first), Lock()

    def new() -> str:
        with lock:
            return word(next(counted))

    return new


def words_of(record: object) -> tuple[str, ...]:
    """Return the words in a record, each once, as they were made."""
    return tuple(dict.fromkeys(found.casefold() for found in _WORD.findall(repr(record))))
