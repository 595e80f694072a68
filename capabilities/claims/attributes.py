"""The closed list of attributes, as ``attributes.json`` has it: what each holds and ends, how it is said and asked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import regex
from pydantic import BaseModel, ConfigDict

from .openings import openings

OTHER = "other"
"""The attribute of what is none of the list's."""
Form = Literal["says", "over", "denied"]
"""What sentences say: ``says``: an attribute's value; ``over``: that a value is over; ``denied``: that it is none."""

_DATA: Mapping[str, Any] = json.loads(Path(__file__).with_name("attributes.json").read_text(encoding="utf-8"))


class Attribute(BaseModel):
    """One attribute, as the data file describes it; the fields that it leaves out have these defaults."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    single: bool = False
    """Whether it holds one value at a time."""
    loose: bool = False
    """Whether a second value takes the place of the first only where the sentence says that something changed."""
    detail: bool = False
    """Whether ``of`` tells two places apart, as "favorite" of "color" does."""
    dated: bool = False
    """Whether a value needs a day or a time in it."""
    of: str = ""
    """The attribute whose value stands in ``of``: the "employer" of a "role"."""
    like: str = ""
    """The attribute of which the same value is the same claim."""
    cut: str = ""
    """What ends a value, as a pattern."""
    unless: str = ""
    """What tells that a sentence is about another time, as a pattern."""
    categories: tuple[str, ...] = ()
    """The categories of a record from whose loose words ("joined", "moved") it is read; () for any."""
    category: str = "attribute"
    durability: str = "persistent"
    importance: float = 0.7
    identity: int = 0
    """Its rank in a profile, 0 for none."""
    ends: Mapping[str, str] = {}
    """The attributes that it may end: "any" value, the same "value", or what sets two people "apart"."""


ATTRIBUTES: Mapping[str, Attribute] = {
    name: Attribute.model_validate({**listed, "name": name}) for name, listed in _DATA["attributes"].items()
} | {OTHER: Attribute(name=OTHER)}
"""By name: all attributes."""


def known_attribute(given: Any) -> str:
    """Return an attribute's name as the list spells it, ``other`` for one that it does not have, "" for none.

    >>> known_attribute("Employer"), known_attribute("shoe smell"), known_attribute(None)
    ('employer', 'other', '')
    """
    if not isinstance(given, str) or not given.strip():
        return ""
    name = "_".join(given.strip().lower().replace("-", " ").split())
    return name if name in ATTRIBUTES else OTHER


@dataclass(frozen=True)
class Pattern:
    """How an attribute is worded in one language: groups ``v``, ``k`` and ``f`` are value, ``of`` and ``former``."""

    attribute: Attribute
    form: Form
    worded: str

    @cached_property
    def match(self) -> "regex.Pattern[str]":
        """The pattern, compiled when a text may fit it."""
        return compiled(self.worded)


LANGUAGES: Sequence[str] = tuple(_DATA["languages"])
"""The languages that sentences are read in."""


@lru_cache(maxsize=len(LANGUAGES))
def patterns(language: str) -> tuple[Pattern, ...]:
    r"""Return how attributes are worded in a language, in the order in which they are tried.

    A pattern with ``\p{Lu}`` tells capitals from small letters; others do not.
    """
    return tuple(
        Pattern(ATTRIBUTES[name], form, worded)
        for name, listed in _DATA["attributes"].items()
        for form in ("says", "over", "denied")
        for worded in listed.get(form, {}).get(language, ())
    )


@lru_cache(maxsize=len(LANGUAGES))
def _by_opening(language: str) -> Mapping[str, tuple[Pattern, ...]]:
    """Return the patterns by the letter that a text they fit begins with; those of any letter stand under each."""
    opened = [(pattern, openings(_spelled_out(pattern.worded)[0])) for pattern in patterns(language)]
    letters = {letter for _, found in opened for letter in found or ()}
    return {
        letter: tuple(pattern for pattern, found in opened if found is None or letter in found)
        for letter in (*letters, "")
    }


def patterns_for(text: str, language: str) -> tuple[Pattern, ...]:
    """Return the patterns that may match at the start of a text; only these need to be compiled."""
    by_opening = _by_opening(language)
    return by_opening.get(text[:1].casefold(), by_opening[""])


@lru_cache(maxsize=4_096)
def compiled(worded: str) -> "regex.Pattern[str]":
    """Return a pattern of the data file, its ``{MACRO}`` filled in, with any space for a space."""
    body, flag = _spelled_out(worded)
    return regex.compile(body, regex.IGNORECASE if flag else 0)


def _spelled_out(worded: str) -> tuple[str, str]:
    for _ in range(3):
        worded = regex.sub(r"\{([A-Z_]{2,})\}", lambda found: _DATA["macros"][found[1]], worded)
    worded = worded.replace("{v}", r"(?P<v>\S.*)").replace("{f}", r"(?P<f>\S.*?)")
    flag = "" if r"\p{Lu}" in worded or "(?i:" in worded else "i"
    return worded.replace(" ?", r"\s?").replace(" ", r"\s+"), flag


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of one language that say that something is not so, no longer so, or otherwise so."""

    negations: frozenset[str]
    no_longer: frozenset[str]
    changes: "regex.Pattern[str] | None"
    guards: "regex.Pattern[str] | None"
    filler: "regex.Pattern[str] | None"
    trailing: "regex.Pattern[str] | None"
    trailing_many: "regex.Pattern[str] | None"
    prefixes: tuple[tuple["regex.Pattern[str]", str, str], ...] = ()
    """Beginnings that deny or end what follows: each with the polarity, and what stands in its place."""
    starters: frozenset[str] = frozenset()
    """Pronouns of the first person, as a sentence begins with them."""


@lru_cache(maxsize=64)
def grammar(language: str) -> Grammar | None:
    """Return the grammar of a language, None for one that the data file does not have."""
    listed = _DATA["grammar"].get(language)
    if listed is None:
        return None

    def pattern(name: str) -> "regex.Pattern[str] | None":
        return compiled(listed[name]) if name in listed else None

    return Grammar(
        frozenset(listed["negations"].split()),
        frozenset(listed.get("no_longer", "").split()),
        pattern("changes"),
        pattern("guards"),
        pattern("filler"),
        pattern("trailing"),
        pattern("trailing_many"),
        tuple((compiled(before), polarity, after) for before, polarity, after in listed.get("prefixes", ())),
        frozenset(listed.get("starters", "").split()),
    )


@lru_cache(maxsize=64)
def words_of(name: str) -> frozenset[str]:
    """Return a word list of the data file."""
    return frozenset(_DATA["words"][name].split())


def asked_words() -> Mapping[str, Any]:
    """Return by attribute and language the words that ask for it, and the phrases that ask for a profile."""
    return {"profile": _DATA["profile"]} | {name: one.get("asked", {}) for name, one in _DATA["attributes"].items()}
