"""Which single-valued place a sentence fills: employer, home, age and the like, read from its wording."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import regex

from fabric.text import word_set, words

from .changes import COMPARED, dates, numbers
from .owners import USER, openings, own
from .table import LOOSE_SLOTS, SLOTS

_IS_NOW = re.compile(r"^is\s+(?=now\b)", re.IGNORECASE)
_FILLER = regex.compile(
    r"(?<!\S)(?:now|currently|actually|just|recently|presently|these days|at the moment|today|the|a|an|new|still|"
    r"instead|finally|already)(?!\S)|^(?:Now|Currently|Actually|Just|Recently|Presently|The|An|Still|Finally|Already)(?!\S)|"
    r"^New(?= \p{Ll})"
)


@dataclass(frozen=True, slots=True)
class Filled:
    """A place that holds one value at a time, and the words of the value in it.

    ``owner`` is whose place it is, "" for the subject's own; ``is_one`` tells whether the words for the owner mean only
    one, as "mother" does and "sister" may not; ``said`` is the sentence without its owner.
    """

    slot: str
    value: frozenset[str]
    owner: str = ""
    is_one: bool = field(default=True, compare=False)
    said: str = field(default="", compare=False)


_PAST = re.compile(
    (
        r"\b(?:used to|former(?:ly)?|previously|no longer|not|never|once|ex|has always|has never|wants to|"
        r"would (?:love|like|rather)|plans to|hopes to|left|quit|until)\b"
    ),
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:on the side|part[- ]time|as well|too|also|another|second (?:home|job)|sometimes|occasionally|"
    r"(?:in|during) (?:the )?(?:summer|winter|spring|autumn|fall|holidays)s?|at (?:night|weekends?)|on weekends?|"
    r"on \w+days|during the week|half the (?:year|time)|most of the (?:year|time)|part of the year)\b",
    re.IGNORECASE,
)
"""What tells that something else stays true beside it."""
LONG_AGO = re.compile(r"\b(?:19|20)\d\d\b|\byears ago\b|\bin (?:college|high school|university|school)\b")
"""What tells of a time since when much may have changed."""
_PLACES = frozenset({"employer", "home", "birthplace", "school"})
"""Slots whose value is no time: one works at Stripe, and at Easter."""
_OF_TIME = frozenset({"due", "birth date"})
_STOP = word_set("in at on of to for with and as since from by is the")
_TRAILING = re.compile(
    (
        r"\s*(?:,|;|\b(?:since|as|for \d|because|and|with|where|who|after|before|last|this|next|in (?:19|"
        r"20)\d\d|full[- ]time|part[- ]time|years?)\b).*$"
    ),
    re.IGNORECASE,
)


@lru_cache(maxsize=COMPARED)
def slot_of(content: str, subject: str = USER) -> Filled | None:
    """Return the single-valued slot that ``content`` fills, or None for a sentence about the past or of another kind.

    Only the name of its own ``subject`` may stand in front; anybody else who does has slots of their own.

    >>> slot_of("Works at Stripe") == slot_of("User joined Stripe")
    True
    >>> slot_of("Used to work at Google") is None
    True
    >>> [one.slot for one in (slot_of("Mother lives in Rome"), slot_of("Anna lives in Rome", "anna")) if one]
    ['home of mother', 'home']
    """
    text = own(content, subject)
    if _PAST.search(text) or _BESIDE.search(text):
        return None
    said = bare(content, subject)
    filled = _filled(said, SLOTS)
    if filled is not None:
        return filled
    for opening in openings(text):
        rest = _without_filler(opening.rest) if opening.tells else ""
        filled = _filled(rest, SLOTS) if opening.tells else None
        if filled is not None:
            slot = f"{filled.slot} of {opening.owner}"
            return Filled(slot, filled.value, opening.owner, opening.is_one, rest)
    return _filled(said, LOOSE_SLOTS)


def _filled(text: str, table: "Iterable[tuple[str, regex.Pattern[str]]]") -> Filled | None:
    for name, pattern in table:
        found = pattern.match(text)
        if found is None:
            continue
        groups = {key: value for key, value in found.groupdict().items() if value}
        value = next((text for key, text in groups.items() if key[0] == "v"), "")
        kind = next((text for key, text in groups.items() if key[0] == "k"), "")
        if name == "relationship status" and LONG_AGO.search(text):
            continue
        if name in _OF_TIME and not (dates(value) or numbers(value)):
            continue
        if name in _PLACES and dates(f"in {value.partition(' ')[0]}"):
            continue
        told = frozenset(words(_TRAILING.sub("", value) or value)) - _STOP
        if told:
            return Filled(f"{name}:{' '.join(_spelled(kind))}" if kind else name, told, said=text)
    return None


@lru_cache(maxsize=COMPARED)
def bare(content: str, subject: str = USER) -> str:
    """Return ``content`` without its subject and filler words; its first letter lowered."""
    text = _without_filler(_IS_NOW.sub("", own(content.strip().rstrip(".!"), subject)))
    return text[:1].lower() + text[1:]


def _without_filler(text: str) -> str:
    return " ".join(_FILLER.sub(" ", text).split())


def _spelled(kind: str) -> list[str]:
    return [
        word.replace("colour", "color").replace("favour", "favor")
        for word in words(kind)
        if word not in {"their", "my", "is", "s"}
    ]
