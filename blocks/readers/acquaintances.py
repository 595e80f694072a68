"""Of whom a statement in another language than English tells: of whoever it calls by name, or was just spoken of."""

import re
from collections.abc import Mapping

from capabilities.claims.attributes import ATTRIBUTES
from capabilities.claims.owners import is_name_too
from capabilities.claims.read import read
from capabilities.relations.words import EVERYBODY, NOT_NAMES
from fabric.text.language import STOP_WORDS, language_of
from fabric.text.words import normalise

_KIN = frozenset(map(" ".join, EVERYBODY))
_SMALL = frozenset[str]().union(*STOP_WORDS.values())


def told_of(piece: str, language: Mapping[str, re.Pattern[str]], known: str) -> tuple[str, str]:
    """Return what ``piece`` says and the name of whom it is about, "" for the speaker.

    ``language`` holds how somebody opens a statement in its language: ``named`` ("Katrin arbeitet ...") and ``they``
    ("sie arbeitet ..."); ``known`` is whom the last means. A name nobody mentioned yet counts where only people do so.
    """
    named = language["named"].match(piece) if "named" in language else None
    if named is not None and _is_name(named["name"], piece) and (named["name"] == known or _is_sure(named["rest"])):
        return named["rest"], named["name"]
    they = language["they"].match(piece) if known and "they" in language else None
    return (they["rest"], known) if they is not None else (piece, "")


def subject_left_out(piece: str, language: Mapping[str, re.Pattern[str]]) -> str:
    """Return how ``piece`` leaves out whom it is about, the same as the clause before it; "" where it does not.

    Behind a ``dropped`` one may stand the speaker or somebody else, behind an ``elided`` one only somebody else.
    """
    return next((form for form in ("dropped", "elided") if form in language and language[form].match(piece)), "")


def opens_with(piece: str, language: Mapping[str, re.Pattern[str]]) -> str | None:
    """Return the name that ``piece`` opens with, "" where it is about the speaker, None for somebody without a name."""
    named = language["named"].match(piece) if "named" in language else None
    if named is not None and _is_name(named["name"], piece):
        return named["name"]
    return None if "other" in language and language["other"].match(piece) else ""


def _is_name(name: str, piece: str) -> bool:
    """Return whether the word that ``piece`` opens with names somebody: no small word of its language, none for kin."""
    plain = normalise(name)
    if name in NOT_NAMES or (plain in _KIN and not is_name_too(name, piece)):
        return False
    return plain not in STOP_WORDS.get(language_of(piece), _SMALL)


def _is_sure(rest: str) -> bool:
    claim = read(rest)
    return claim is not None and ATTRIBUTES[claim.attribute].of_people
