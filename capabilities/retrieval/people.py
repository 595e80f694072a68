"""Whom a question asks about: the one who asks, somebody it names, or somebody it calls by a relation."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabric.language import speaks_of_oneself
from fabric.terms import Cue
from fabric.text import words

from ..kin.names import names_asked
from ..kin.words import WORD_NAMES

USER = "user"
_WORD_NAMES = frozenset(name.lower() for name in WORD_NAMES)
_WHO = re.compile(r"\bwho(?:['\u2019]s|\s+(?:is|are|was|were))\b|\bnames?\b|\bcalled\b", re.IGNORECASE)
"""What asks who somebody is, which is told of the user: "Sister is Anna"."""


@dataclass(frozen=True, slots=True)
class People:
    """Whom a question asks about: each subject, with the words of the question that stand for it.

    ``is_told`` says whether the question tells whom it asks about at all; one that does not may be about the user.
    """

    asked: Mapping[str, frozenset[str]]
    is_told: bool = True
    rows: NDArray[np.bool_] | None = None
    """By number, which rows may speak of whom the question asks about; None where all may."""
    spoken: Sequence[tuple[frozenset[str], NDArray[np.bool_]]] = ()
    """Words of the question for somebody, and the rows that speak of them by whatever other word or name."""


NOBODY = People({}, is_told=False)


def people_of(cue: Cue, subjects: Iterable[str], relations: Mapping[str, frozenset[str]]) -> People:
    """Return whom a cue asks about, among the subjects of what is remembered.

    ``relations`` are the subjects whom the cue calls by what they are, each with the words that it calls them.

    >>> from fabric.terms import read_cue
    >>> people_of(read_cue("where does my sister live?"), ["user", "anna"], {"anna": frozenset({"sister"})}).asked
    {'anna': frozenset({'sister'})}
    >>> people_of(read_cue("where do I live?"), ["user", "anna"], {}).asked
    {'user': frozenset()}
    """
    asked = dict(relations) or named_subjects(cue, subjects)
    if asks_who(cue) or (not asked and speaks_of_oneself(cue.text, cue.language)):
        asked[USER] = frozenset()
    return People(asked) if asked else NOBODY


def asks_who(cue: Cue) -> bool:
    """Return whether a cue asks who somebody is, or what they are called."""
    return _WHO.search(cue.text) is not None


def named_subjects(cue: Cue, subjects: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the subjects that a cue names, each with the words that stand for it.

    >>> from fabric.terms import read_cue
    >>> named_subjects(read_cue("What may I eat?"), ["may"]), named_subjects(read_cue("Where does May live?"), ["may"])
    ({}, {'may': frozenset({'may'})})
    """
    named = frozenset(names_asked(cue.text, cue.language))
    spoken = frozenset(word.spelling for word in cue.words) - _WORD_NAMES | named
    return {name: frozenset(words(name)) & spoken for name in subjects if name != USER and _is_named(name, spoken)}


def _is_named(name: str, spoken: frozenset[str]) -> bool:
    own = words(name)
    return bool(own) and (own[0] in spoken if " " in name else spoken.issuperset(own))
