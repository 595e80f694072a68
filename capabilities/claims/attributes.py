"""The closed list of attributes, as ``attributes.json`` has it: what each holds, what ends it, how it is said and asked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import regex

OTHER = "other"
"""The attribute of what is none of the list's."""
Form = Literal["says", "over"]
"""``says``: sentences that give an attribute its value; ``over``: sentences that say that a value is over."""

_DATA: Mapping[str, Any] = json.loads(Path(__file__).with_name("attributes.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute. ``single``: it holds one value at a time; ``ends`` names attributes that it may end, and how.

    With "any" the other attribute's value ends whatever it is, with "value" only where both values are the same.
    ``detail`` says whether ``of`` tells two places apart ("favorite" of "color"); ``of`` names the attribute whose
    value stands in ``of`` ("role" of an "employer"). ``loose``: a second value takes the place of the first only where the
    sentence says that something changed. ``like`` names an attribute of which the same value is the same claim, ``cut`` is what ends a
    value, ``unless`` what tells of another time, ``dated`` asks for a day, a time or a number in it, and ``categories`` are those of a record from whose loose
    words ("joined", "moved") it is read. ``identity`` is the rank in a profile, 0 for none.
    """

    name: str
    single: bool = False
    loose: bool = False
    detail: bool = False
    dated: bool = False
    of: str = ""
    like: str = ""
    cut: str = ""
    unless: str = ""
    categories: tuple[str, ...] = ()
    category: str = "attribute"
    durability: str = "persistent"
    importance: float = 0.7
    identity: int = 0
    ends: Mapping[str, str] = ()  # type: ignore[assignment]


def _attribute(name: str, listed: Mapping[str, Any]) -> Attribute:
    given = {key: listed[key] for key in Attribute.__dataclass_fields__ if key in listed}
    return Attribute(name=name, **{"ends": {}, **given, "categories": tuple(listed.get("categories", ()))})


ATTRIBUTES: Mapping[str, Attribute] = {
    name: _attribute(name, listed) for name, listed in _DATA["attributes"].items()
} | {OTHER: Attribute(OTHER, ends={})}
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


@dataclass(frozen=True, slots=True)
class Pattern:
    """How an attribute is worded in one language; the groups ``v``, ``k`` and ``f`` are value, ``of`` and ``former``."""

    attribute: Attribute
    form: Form
    match: "regex.Pattern[str]"


LANGUAGES: Sequence[str] = tuple(_DATA["languages"])
"""The languages that sentences are read in."""


@lru_cache(maxsize=len(LANGUAGES))
def patterns(language: str) -> tuple[Pattern, ...]:
    r"""Return how attributes are worded in a language, in the order in which they are tried.

    A pattern with ``\p{Lu}`` tells capitals from small letters; others do not.
    """
    return tuple(
        Pattern(ATTRIBUTES[name], form, compiled(worded))
        for name, listed in _DATA["attributes"].items()
        for form in ("says", "over")
        for worded in listed.get(form, {}).get(language, ())
    )


def compiled(worded: str) -> "regex.Pattern[str]":
    """Return a pattern of the data file, its ``{MACRO}`` filled in, with any space for a space."""
    for _ in range(3):
        worded = regex.sub(r"\{([A-Z_]{2,})\}", lambda found: _DATA["macros"][found[1]], worded)
    worded = worded.replace("{v}", r"(?P<v>\S.*)").replace("{f}", r"(?P<f>\S.*?)")
    flags = 0 if r"\p{Lu}" in worded or "(?i:" in worded else regex.IGNORECASE
    return regex.compile(worded.replace(" ?", r"\s?").replace(" ", r"\s+"), flags)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words that say that something is not, no longer, or otherwise so, in one language; "" patterns never match."""

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


def words_of(name: str) -> frozenset[str]:
    """Return a word list of the data file."""
    return frozenset(_DATA["words"][name].split())


def asked_words() -> Mapping[str, Any]:
    """Return by attribute and language the words that ask for it, and the phrases that ask for a profile."""
    return {"profile": _DATA["profile"]} | {name: one.get("asked", {}) for name, one in _DATA["attributes"].items()}
