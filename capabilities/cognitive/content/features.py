"""Which features a text has: seven families of words that draw attention, found by the lists of ``features.json``."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import regex

from capabilities.formulas.encoding import Features
from capabilities.relations.words import FORMS, IMPLIED, TOO_LOOSE
from capabilities.retrieval.chatter import says_nothing
from fabric.text.folding import folded
from fabric.text.language import known_languages, stem
from fabric.text.words import words

LONGEST = 4_000
"""How many characters of a text are looked at."""
ANY = "any"
"""The signs that mean the same in every language."""
FAMILIES: tuple[str, ...] = tuple(field.name for field in fields(Features) if field.name != "topic_relevance")


@dataclass(frozen=True, slots=True)
class _Family:
    """What shows one feature in one language: any form of a word, a word as it stands, words in a row, or a pattern.

    ``denied`` are words that share a stem with one of the family and mean something else.
    """

    stems: AbstractSet[str]
    exact: AbstractSet[str]
    phrases: Sequence[str]
    patterns: Sequence[regex.Pattern[str]]
    denied: AbstractSet[str]


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as the families look at it: as it is, its words, the same in a row, and their stems in one language."""

    text: str
    words: AbstractSet[str]
    row: str
    stems: Mapping[str, str]

    def shows(self, family: _Family) -> bool:
        """Return whether the text has something of a family."""
        return (
            not family.exact.isdisjoint(self.words)
            or any(word not in family.denied and stem in family.stems for word, stem in self.stems.items())
            or any(phrase in self.row for phrase in family.phrases)
            or any(pattern.search(self.text) for pattern in family.patterns)
        )


def detect(text: str) -> Features:
    """Return which features a text has.

    Words tell of the relevance to the topic only where there is none: 0 for what greets, agrees or asks, else 0.5.

    A text is read in the languages that its small words may be of, one without any in all that are known here: English,
    German, Spanish, French, Italian and Portuguese. The first hit of a family sets its flag.

    >>> found = detect("My sister is so happy about the new house.")
    >>> found.novelty, found.emotion, found.social, found.procedure
    (True, True, True, False)
    """
    text = text[:LONGEST].replace("\u2019", "'")
    spelled = words(text)
    reads = [(language, _read(text, spelled, language)) for language in (ANY, *_languages(spelled))]
    found = {name: any(_shows(read, language, name) for language, read in reads) for name in FAMILIES}
    return Features(**found, topic_relevance=0.0 if says_nothing(text) else 0.5)


def _shows(read: _Read, language: str, name: str) -> bool:
    family = _families()[language].get(name)
    return family is not None and read.shows(family)


def _languages(spelled: Sequence[str]) -> Collection[str]:
    ours = _families().keys() - {ANY}
    known = known_languages(spelled)
    return sorted(known & ours if known else ours)


def _read(text: str, spelled: Sequence[str], language: str) -> _Read:
    bare = [folded(word) for word in spelled]
    stems = {} if language == ANY else {word: _stem(told, language) for told, word in zip(spelled, bare, strict=True)}
    return _Read(text, frozenset(bare), f" {' '.join(bare)} ", stems)


def _stem(word: str, language: str) -> str:
    return folded(stem(word, language))


@cache
def _families() -> Mapping[str, Mapping[str, _Family]]:
    data = json.loads(Path(__file__).with_name("features.json").read_text(encoding="utf-8"))
    return {
        language: {name: _family(lists, name, language) for name, lists in families.items()}
        for language, families in data.items()
    }


def _family(lists: Mapping[str, Any], name: str, language: str) -> _Family:
    kin = frozenset(_kin(language)) if name == "social" else frozenset[str]()
    return _Family(
        stems=frozenset(_stem(word, language) for word in lists.get("stems", "").split()),
        exact=frozenset(map(folded, lists.get("exact", "").split())) | kin,
        phrases=[f" {folded(phrase.strip())} " for phrase in lists.get("phrases", "").split(",") if phrase.strip()],
        patterns=[regex.compile(pattern) for pattern in lists.get("patterns", ())],
        denied=frozenset(map(folded, lists.get("not", "").split())),
    )


def _kin(language: str) -> Iterator[str]:
    """Yield the words for kin and acquaintances, which are people in every text."""
    for form, kin in FORMS.get(language, {}).items():
        if len(form) == 1 and form[0] not in TOO_LOOSE and kin not in IMPLIED:
            yield folded(form[0])
