"""How large a place is, by its name: who lives in Germany may live in Berlin."""

from functools import lru_cache

from fabric.text import normalise

from .attributes import CODES, LANGUAGES, words_of


def extent(place: str) -> int:
    """Return 2 for a country, 1 for a part of one, 0 for a town or what is not known.

    >>> extent("Germany"), extent("Deutschland"), extent("Texas"), extent("Oslo")
    (2, 2, 1, 0)
    """
    name = normalise(place).removeprefix("the ").strip()
    if name in _countries() or name in words_of("countries"):
        return 2
    return 1 if name.replace(" ", "_") in words_of("states") else 0


@lru_cache(maxsize=1)
def _countries() -> frozenset[str]:
    """Return the names of all countries in the languages that sentences are read in."""
    from babel import Locale  # noqa: PLC0415  loaded when the first two homes are compared

    return frozenset(
        normalise(name)
        for language in LANGUAGES
        for code, name in Locale(CODES[language]).territories.items()
        if len(code) == 2
    )
