"""Mentions: whether a text names somebody, surely or perhaps, in any form that languages give a name."""

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

import regex

from fabric.text.folding import folded
from fabric.text.language import is_stop_word
from fabric.text.words import words

from .kin_reading import LONGEST
from .names import is_spoken_of, may_be_word, similar_names

Mention = Literal["no", "perhaps", "yes"]
_WORDS = regex.compile(r"[\p{L}\p{M}\p{N}_]+(?:[-'\u2019.&+][\p{L}\p{M}\p{N}_]+)*")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_MARKS = regex.compile(r"[\p{Mn}\u0640]")
_SPELLINGS = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه"})
"""Letters of Arabic that are written one for the other."""
_END = regex.compile(r"(?:^|[.!?\u2026\n:])[\s\p{P}]*$")
"""What stands before the first word of a sentence."""
SAME_LETTERS = 2
"""How many letters all forms and spellings of a name begin with; without them a text is not looked at further."""
MORE = 3
"""By how many letters a name may grow in a language whose endings are not known here."""


@dataclass(frozen=True, slots=True)
class _Forms:
    """The forms that a script's languages give a name: what it drops, what it gets instead, and what stands before."""

    letters: regex.Pattern[str]
    drops: tuple[str, ...]
    adds: frozenset[str]
    before: tuple[str, ...]

    def has(self, name: str, word: str) -> bool:
        """Return whether a word is a form of the name; both are bare."""
        cut = [word, *(word.removeprefix(prefix) for prefix in self.before if word.startswith(prefix))]
        stems = [
            name,
            *(
                name.removesuffix(ending)
                for ending in self.drops
                if name.endswith(ending) and len(name) > len(ending) + 1
            ),
        ]
        return any(
            text == name or any(text.startswith(stem) and text[len(stem) :] in self.adds for stem in stems)
            for text in cut
        )


@cache
def _scripts() -> Sequence[_Forms]:
    data = json.loads(Path(__file__).with_name("inflections.json").read_text(encoding="utf-8"))
    return [
        _Forms(
            regex.compile(record["letters"]),
            tuple(_bare(drop) for drop in record["drops"].split()),
            frozenset(_bare(add) for add in record["adds"].split()),
            tuple(record.get("before", "").split()),
        )
        for record in data.values()
    ]


def mention(text: str, subject: str) -> Mention:
    """Return whether a text names a subject, given in lower case; "no" for the user and for words that name nobody.

    "perhaps" is a word that may be a name otherwise spelled or in a form that is not known here, or a word that is
    a name too and stands where one cannot tell.

    >>> [mention(text, "anna") for text in ("Anna's office", "Annas Büro", "Annabel moved", "Anne called", "He left")]
    ['yes', 'yes', 'perhaps', 'no', 'no']
    >>> mention("I may move to Rome in May", "may"), mention("Yesterday May moved out", "may"), mention("x", "the")
    ('no', 'yes', 'no')
    """
    name = words(subject)
    if subject == "user" or not name or is_no_name(subject):
        return "no"
    if _UNSPACED.search(subject):
        return "yes" if _plain(subject) in _plain(text) else "no"
    first = _bare(name[0])
    if text.isascii() and first[:SAME_LETTERS] not in text.lower():
        return "no"
    spoken_words = _words(text)
    if len(name) > 1 or not subject.isalpha():
        plain = {*map(_bare, words(text)), *(part for word in spoken_words for part in _parts(word))}
        return "yes" if set(map(_bare, name)) <= plain else "no"
    return _of_word(text, subject) if may_be_word(subject) else _of_name(spoken_words, _bare(subject))


def is_no_name(subject: str) -> bool:
    """Return whether a subject is a pronoun or another small word, and no name: "me", "i", "the", "ich".

    >>> [is_no_name(one) for one in ("me", "the", "may", "anna", "ich")]
    [True, True, False, False, True]
    """
    small = ("english", "german", "spanish", "french", "italian", "portuguese", "dutch", "russian")
    return not may_be_word(subject) and any(is_stop_word(subject, language) for language in small)


def _of_name(said: Iterable[str], name: str) -> Mention:
    found: Mention = "no"
    own = [forms for forms in _scripts() if forms.letters.match(name)]
    for word in said:
        for part in _parts(word) if name[:SAME_LETTERS] in _bare(word) else ():
            if part == name or any(forms.has(name, part) for forms in own):
                return "yes"
            found = "perhaps" if found == "perhaps" or _may_be(name, part) else "no"
    return found


def _parts(word: str) -> list[str]:
    """Return a word bare, and what stands before its apostrophe and between its hyphens."""
    whole = _bare(word)
    return list(dict.fromkeys([whole, *regex.split(r"['\u2019-]", whole)]))


def _may_be(name: str, word: str) -> bool:
    """Return whether a word may be the name in an unknown form, or otherwise spelled."""
    stem = name[:-1] if len(name) > MORE else name
    grown = len(stem) >= MORE and word.startswith(stem) and len(word) - len(stem) <= MORE + 1 and len(word) > len(name)
    return grown or next(similar_names(name, [word]), None) is not None


def _of_word(text: str, name: str) -> Mention:
    """Return whether a text names somebody whose name is a common word too."""
    told = regex.sub(rf"(?:^|(?<=[.!?\n]\s)){name.capitalize()}(?=\s(?:is|was|has)\b)", "It", text)  # "Art is long"
    if any(is_spoken_of(told[start : start + LONGEST], name) for start in range(0, len(told), LONGEST // 2)):
        return "yes"
    is_small = text == text.lower()
    places = (at for at in _WORDS.finditer(text) if regex.split(r"['\u2019]", at[0].lower())[0] == name)
    begins = (at[0][0].isupper() and _END.search(text[: at.start()]) is not None for at in places)
    return "perhaps" if any(is_small or begin for begin in begins) else "no"


def _words(text: str) -> list[str]:
    return _WORDS.findall(text)


@lru_cache(maxsize=4_096)
def _bare(word: str) -> str:
    """Return a word in lower case, without accents, vowel marks and ornaments."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKC", word)).translate(_SPELLINGS).casefold()
    return folded(plain)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
