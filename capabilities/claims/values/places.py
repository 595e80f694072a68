"""Places by their names in many languages: how large one is, and whether two names are of one."""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.lazy import lazy
from fabric.text.words import normalise

from ..attributes import CODES, LANGUAGES, words_of

if TYPE_CHECKING:
    import babel
else:
    babel = lazy("babel")


def extent(place: str) -> int:
    """Return 2 for a country, 1 for a part of one, 0 for a town or what is not known.

    >>> extent("Germany"), extent("Deutschland"), extent("Texas"), extent("Oslo")
    (2, 2, 1, 0)
    """
    name = normalise(place).removeprefix("the ").strip()
    if name in _countries() or name in words_of("countries"):
        return 2
    return 1 if name.replace(" ", "_") in words_of("states") else 0


def same_place(one: str, other: str) -> bool:
    """Return whether two names are of one country, or of one of the towns that time zones are named for.

    Other towns have no names in other languages here: Munich is not known to be München.

    >>> same_place("Vienna", "Wien"), same_place("Germany", "Deutschland"), same_place("Rome", "Vienna")
    (True, True, False)
    """
    first, second = (_places().get(normalise(name).removeprefix("the ").strip()) for name in (one, other))
    return first is not None and first == second


@lru_cache(maxsize=1)
def _countries() -> frozenset[str]:
    """Return the names of all countries in the languages that sentences are read in."""
    return frozenset(name for name, code in _places().items() if len(code) == len("DE"))


@lru_cache(maxsize=1)
def _places() -> Mapping[str, str]:
    """Return by name, in the languages that sentences are read in, the codes of countries and the zones of towns."""
    found: dict[str, str] = {}
    for language in LANGUAGES:
        locale = babel.Locale(CODES[language])
        for zone, named in dict[str, Mapping[str, str]](locale.time_zones).items():
            for name in (named.get("city", ""), zone.rpartition("/")[2].replace("_", " ")):
                found.setdefault(normalise(name), zone)
        found |= {normalise(name): code for code, name in dict[str, str](locale.territories).items() if len(code) == 2}
    found.pop("", None)
    return found
