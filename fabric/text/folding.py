"""Words without accents: "café" and "cafe", "Łódź" and "Lodz" are one word to whoever types the second."""

import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i", "ŋ": "n", "ŧ": "t"}
)
"""Letters with a stroke, and ligatures: Unicode takes them for letters of their own."""
_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")
"""In other scripts marks are vowels or make another letter."""


@lru_cache(maxsize=65_536)
def folded(word: str) -> str:
    """Return a normalised word without its accents; marks of scripts where they make another word stay.

    >>> [folded(word) for word in ("café", "łódź", "ünlü", "ёлка", "が", "हिन्दी", "plain")]
    ['cafe', 'lodz', 'unlu', 'елка', 'が', 'हिन्दी', 'plain']
    """
    return word if word.isascii() else "".join(map(_bare, word.translate(_LETTERS)))


@lru_cache(maxsize=4_096)
def _bare(letter: str) -> str:
    """Return a letter without what Unicode puts above or below it, and nothing for such a mark by itself."""
    if letter.isascii():
        return letter
    if "\u0300" <= letter <= "\u036f":
        return ""
    base = unicodedata.normalize("NFD", letter)[0]
    return base if unicodedata.name(base, "").startswith(_SCRIPTS) else letter
