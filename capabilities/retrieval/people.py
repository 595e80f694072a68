"""Whom a question asks about: the one who asks, somebody it names, or somebody it calls by a relation."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fabric.language import speaks_of_oneself
from fabric.terms import Cue
from fabric.text import words

USER = "user"
_OWN = re.compile(r"\bmy((?:\s+[\w-]+){1,3})", re.IGNORECASE)
"""The words after a "my" that may say what somebody is to the user: "my very best friend"."""
_WHO = re.compile(r"\bwho(?:['\u2019]s|\s+(?:is|are|was|were))\b|\bnames?\b|\bcalled\b", re.IGNORECASE)
"""What asks who somebody is, which is told of the user: "Sister is Anna"."""


@dataclass(frozen=True, slots=True)
class People:
    """Whom a question asks about: each subject, with the words of the question that stand for it.

    ``is_told`` says whether the question tells whom it asks about at all; one that does not may be about the user.
    """

    asked: Mapping[str, frozenset[str]]
    is_told: bool = True


NOBODY = People({}, is_told=False)


def people_of(cue: Cue, subjects: Iterable[str], relations: Mapping[str, frozenset[str]]) -> People:
    """Return whom a cue asks about, among the subjects of what is remembered.

    ``relations`` are the subjects that each word after "my" stands for, by the user's own facts; several are none.

    >>> from fabric.terms import read_cue
    >>> people_of(read_cue("where does my sister live?"), ["user", "anna"], {"sister": frozenset({"anna"})}).asked
    {'anna': frozenset({'sister'})}
    >>> people_of(read_cue("where do I live?"), ["user", "anna"], {}).asked
    {'user': frozenset()}
    """
    spoken = frozenset(word.spelling for word in cue.words)
    asked = {name: frozenset(words(name)) & spoken for name in subjects if name != USER and _is_named(name, spoken)}
    asks_who = bool(_WHO.search(cue.text))
    known = {word: named for word, named in relations.items() if word in spoken and named}
    if not asked and known and not asks_who:
        asked = {next(iter(named)): frozenset({word}) for word, named in known.items() if len(named) == 1}
        return People(asked)
    if asks_who or (not asked and speaks_of_oneself(cue.text, cue.language)):
        asked[USER] = frozenset()
    return People(asked, is_told=True) if asked else NOBODY


def words_after_my(text: str) -> list[str]:
    """Return the words of a question that may say what somebody is to the user.

    >>> words_after_my("Where does my older sister live?")
    ['older', 'sister', 'live']
    """
    found = [word.removesuffix("'s") for match in _OWN.finditer(text) for word in words(match[1])]
    return list(dict.fromkeys(found))


def _is_named(name: str, spoken: frozenset[str]) -> bool:
    own = words(name)
    return bool(own) and (own[0] in spoken if " " in name else spoken.issuperset(own))
