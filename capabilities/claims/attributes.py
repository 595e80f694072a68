"""The closed list of attributes, as ``attributes.json`` has it: what each holds and ends, how it is said and asked."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import regex
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from fabric.errors import ConfigurationError
from fabric.validation import shown, wrong

from .openings import openings

OTHER = "other"
"""The attribute of what is none of the list's."""
Form = Literal["says", "over", "denied"]
"""What sentences say: ``says``: an attribute's value; ``over``: that a value is over; ``denied``: that it is none."""

_DATA: Mapping[str, Any] = json.loads(Path(__file__).with_name("attributes.json").read_text(encoding="utf-8"))
_Worded = Mapping[str, tuple[str, ...]]
"""Patterns by language."""


class Attribute(BaseModel):
    """One attribute, as the data file describes it; the fields that it leaves out have these defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    single: bool = False
    """Whether it holds one value at a time."""
    loose: bool = False
    """Whether a second value takes the place of the first only where the sentence says that something changed."""
    detail: bool = False
    """Whether ``of`` tells two places apart, as "favorite" of "color" does."""
    dated: bool = False
    """Whether a value needs a day or a time in it."""
    uncounted: bool = False
    """Whether a value that begins with a number is none."""
    place: bool = False
    """Whether values are places, of which a small one may lie in a large one."""
    in_part: bool = False
    """Whether who denies a value denies the more special ones: who likes no coffee likes no black coffee either."""
    grows: bool = False
    """Whether of several the one is meant whose value is one less: children a year older."""
    of_people: bool = False
    """Whether only people have one: nothing else works for a firm or lives in a town."""
    deed: bool = False
    """Whether a value is what one may do for once, or as a habit."""
    wished: bool = False
    """Whether it is also read from what somebody wants or did at another time."""
    keeps_article: bool = False
    of: str = ""
    """The attribute whose value stands in ``of``: the "employer" of a "role"."""
    behind: Mapping[str, str] = {}
    """The attributes that may be told behind a value, which is then their ``of``: "at Stripe as a manager"."""
    like: str = ""
    """The attribute of which the same value is the same claim."""
    cut: str = ""
    """What ends a value, as a pattern."""
    unless: str = ""
    """What tells that a sentence is about another time, as a pattern."""
    categories: tuple[str, ...] = ()
    """The categories of a record from whose ``loose_words`` ("joined", "moved") it is read; () for any."""
    loose_words: frozenset[str] = frozenset()
    """The verbs that mean it only in those categories; none for all."""
    category: str = "attribute"
    durability: str = "persistent"
    importance: float = 0.7
    identity: int = 0
    """Its rank in a profile, 0 for none."""
    ends: Mapping[str, str] = {}
    """The attributes that it may end, each with how: by "any" value or the same "value" that is over, by what sets a
    couple "apart" or brings one "together", by a plan's being "called off" or "moved", by there being none of a "kind"
    any more."""
    says: _Worded = {}
    over: _Worded = {}
    denied: _Worded = {}
    asked: _Worded = {}

    def worded(self, form: Form) -> _Worded:
        """Return the patterns of one form by language."""
        return {"says": self.says, "over": self.over, "denied": self.denied}[form]


LANGUAGES: Sequence[str] = tuple(_DATA["languages"])
"""The languages that sentences are read in."""


def loaded(listed: Mapping[str, Any]) -> Mapping[str, Attribute]:
    """Return attributes by name, as they are listed; ConfigurationError says where a mistake is, and what to write.

    Patterns are looked at when a text is read; `capabilities.claims.check` looks at all of them.

    >>> loaded({"shoe_size": {"say": {"english": ["wears size {v}"]}}})
    Traceback (most recent call last):
        ...
    fabric.errors.ConfigurationError: attributes.json: attribute 'shoe_size' has no field 'say': write 'says'
    """
    return {name: _loaded(name, described) for name, described in listed.items()}


def _loaded(name: str, described: Mapping[str, Any]) -> Attribute:
    for field in described.keys() - Attribute.model_fields.keys():
        near = get_close_matches(field, Attribute.model_fields, 1)
        mend = repr(near[0]) if near else f"one of {', '.join(Attribute.model_fields)}"
        raise ConfigurationError(f"attributes.json: attribute {name!r} has no field {field!r}: write {mend}")
    for field in ("says", "over", "denied", "asked"):
        for language in described.get(field, {}).keys() - set(LANGUAGES):
            raise ConfigurationError(
                f"attributes.json: attribute {name!r}, {field!r}: the language {language!r} is not known: "
                f"write one of {', '.join(LANGUAGES)}"
            )
    try:
        return Attribute.model_validate({**described, "name": name})
    except ValidationError as error:
        raise ConfigurationError(f"attributes.json: attribute {name!r}: {wrong(error)}") from error


ATTRIBUTES: Mapping[str, Attribute] = {**loaded(_DATA["attributes"]), OTHER: Attribute(name=OTHER)}
"""By name: all attributes."""


@lru_cache(maxsize=len(ATTRIBUTES))
def related(name: str) -> frozenset[str]:
    """Return the attributes whose values stand in, or are the same as, those of one: "employer" for "role"."""
    own = {ATTRIBUTES[name].of, ATTRIBUTES[name].like} - {""}
    return frozenset(own | {other.name for other in ATTRIBUTES.values() if name in (other.of, other.like)})


CODES: Mapping[str, str] = _DATA["codes"]
"""The codes by which libraries of calendars, places and number words know these languages, and some more."""
PROFILE: _Worded = _DATA["profile"]
"""By language: what asks for all that is known of somebody."""


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
    language: str = ""

    @cached_property
    def match(self) -> "regex.Pattern[str]":
        """The pattern, compiled when a text may fit it; ConfigurationError where it is none, or has no value."""
        try:
            found = compiled(self.worded)
        except (regex.error, KeyError) as error:
            why = f"there is no macro {error}" if isinstance(error, KeyError) else f"it is no pattern ({error})"
            raise ConfigurationError(f"{self._where}: {why}: mend it") from error
        if self.form == "says" and not any(group.startswith("v") for group in found.groupindex):
            raise ConfigurationError(f"{self._where}: nothing in it is the value: write {{v}} or (?P<v>...) around it")
        return found

    @property
    def body(self) -> str:
        """The pattern with its macros filled in; one that names an unknown macro is told when it is compiled."""
        try:
            return _spelled_out(self.worded)[0]
        except KeyError:
            return self.match.pattern

    @property
    def _where(self) -> str:
        place = f"attribute {self.attribute.name!r}, {self.form!r}, {self.language}"
        return f"attributes.json: {place}, {shown(self.worded)}"


def patterns_of(attributes: Iterable[Attribute], languages: Iterable[str]) -> Iterator[Pattern]:
    """Yield how attributes are worded in some languages, in the order in which they are tried."""
    for language in languages:
        for attribute in attributes:
            for form in get_args(Form):
                for worded in attribute.worded(form).get(language, ()):
                    yield Pattern(attribute, form, worded, language)


@lru_cache(maxsize=len(LANGUAGES))
def _by_opening(language: str) -> Mapping[str, tuple[Pattern, ...]]:
    """Return the patterns by the letter that a text they fit begins with; those of any letter stand under each."""
    listed = list(patterns_of(ATTRIBUTES.values(), (language,)))
    opened = [(pattern, openings(pattern.body)) for pattern in listed]
    letters = {letter for _, found in opened for letter in found or ()}
    by_letter = {
        letter: tuple(pattern for pattern, found in opened if found is None or letter in found)
        for letter in (*letters, "")
    }
    return by_letter | {"*": tuple(listed)}


def patterns_for(text: str, language: str) -> tuple[Pattern, ...]:
    r"""Return how attributes are worded in a language, as far as it may match at the start of a text; all for "*".

    In the order in which they are tried. A pattern with ``\p{Lu}`` tells capitals from small letters; others do not.
    """
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


_Words = Annotated[frozenset[str], BeforeValidator(str.split)]
_Compiled = Annotated["regex.Pattern[str]", BeforeValidator(compiled)]
_NOTHING = regex.compile(r"(?!)")


class Grammar(BaseModel):
    """The words of one language that say that something is not so, no longer so, or otherwise so."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    negations: _Words = frozenset()
    no_longer: _Words = frozenset()
    changes: _Compiled = _NOTHING
    guards: _Compiled = _NOTHING
    sometimes: _Compiled = _NOTHING
    """What says that something is so on some days: nothing of which one value holds at a time is told in it."""
    filler: _Compiled = _NOTHING
    aside: _Compiled = _NOTHING
    """What says since when, how often or by the way: left out where a sentence is not understood with it."""
    trailing: _Compiled = _NOTHING
    trailing_many: _Compiled | None = None
    prefixes: tuple[tuple[_Compiled, Literal["denied", "ended"], str], ...] = ()
    """Beginnings that deny or end what follows: each with the polarity, and what stands in its place."""


@lru_cache(maxsize=64)
def grammar(language: str) -> Grammar:
    """Return the grammar of a language, one without any word for one that the data file does not have."""
    return Grammar.model_validate(_DATA["grammar"].get(language, {}))


def form(name: str) -> "regex.Pattern[str]":
    """Return a pattern that stands for all languages, by its name."""
    return compiled(_DATA["forms"][name])


@lru_cache(maxsize=64)
def words_of(name: str) -> frozenset[str]:
    """Return a word list of the data file."""
    return frozenset(_DATA["words"][name].split())
