"""Which names a text holds: of people, places, companies, products and works, found by how they are written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import regex

from capabilities.relations.names import is_spoken_of
from capabilities.relations.words import FORMS, NOT_NAMES, WORD_NAMES, listed
from capabilities.retrieval.chatter import is_small_talk
from fabric.lazy import lazy
from fabric.text.language import STOP_WORDS, language_of

if TYPE_CHECKING:
    import babel
else:
    babel = lazy("babel")

MOST = 50
"""How many entities a text has at most."""
LONGEST = 4_000
"""How many characters of a text are read."""
_LOCALES = {"english": "en", "german": "de", "spanish": "es", "french": "fr", "italian": "it", "portuguese": "pt"}
_LONGEST_NAME, _MOST_JOINS = 6, 2
"""Words of a name, or of a title in quotes, at most; and small words between two of its capitals."""
_MOSTLY = 0.8
"""From this share of capitals on they tell nothing: the text is a headline."""
_DOMAIN = r"\.(?:js|ts|io|ai|net|NET|com|org|py)\b"
_TOKEN = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}._])@?[\p{{L}}\p{{N}}][\p{{L}}\p{{N}}\p{{M}}_]*(?:['’&-][\p{{L}}\p{{N}}\p{{M}}]+|{_DOMAIN})*(?:\+\+|\#)?"
    r"|(?<!\S)\.NET\b|[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*|&"
)
_END = regex.compile(r"[.!?…\n:•。！？]")
_QUOTED = regex.compile(r"[\"“„«「『《]([^\"“”„«»「」『』《》\n]{2,60})[\"“”»」』》]")
_PRODUCT = regex.compile(
    r"\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{L}*(?:\+\+|\#)|\.NET|@.+"
    r"|(?=.*\p{N})(?:\p{Lu}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)*|\p{N}+-\p{Lu}[\p{L}\p{N}]*)"
    rf"|\p{{Lu}}[\p{{L}}\p{{N}}]*{_DOMAIN}|\p{{Lu}}+&\p{{Lu}}+"
)
_ACRONYM = regex.compile(r"\p{Lu}{2,6}s?")
_GENITIVE = regex.compile(r"['’][sS]?$")


class _Word(NamedTuple):
    """One word without its genitive: whether it begins a sentence, and whether only space stands before it."""

    text: str
    low: str
    start: int
    begins: bool
    follows: bool
    has_s: bool

    @property
    def is_product(self) -> bool:
        return _PRODUCT.fullmatch(self.text) is not None


def entities(text: str) -> tuple[str, ...]:
    """Return the names in a text in the order of their first places, each once whatever its case, at most 50.

    They are capitalised words in a row, titles in quotes, and words like "TypeScript", "GPT-4" or "C++"; not ordinary
    words that begin a sentence, months, days, or "Mom". Where a text capitalises all its words, capitals tell nothing.

    >>> entities("Yesterday Alice Smith told me that she moved to New York with Bob's dog in March.")
    ('Alice Smith', 'New York', 'Bob')
    >>> entities("We use TypeScript and C++ at Bank of America. Cooking is fun.")
    ('TypeScript', 'C++', 'Bank of America')
    """
    text = text[:LONGEST]
    quoted = list(_quoted(text))
    outside = [
        span for span in _named(text) if not any(start <= span[0] < start + len(title) for start, title in quoted)
    ]
    first: dict[str, str] = {}
    for _, name in sorted(quoted + outside):
        first.setdefault(name.casefold(), name)
    return tuple(first.values())[:MOST]


def _quoted(text: str) -> Iterator[tuple[int, str]]:
    """Yield what stands in quotes and is written like a name."""
    for found in _QUOTED.finditer(text):
        title = " ".join(found[1].split())
        is_title = title[:1].isupper() or _is_unspaced(title)
        is_title = is_title and not all(map(_is_exclaimed, title.lower().split()))
        if is_title and title[-1] not in ".!?,。！？，" and len(title.split()) <= _LONGEST_NAME:
            yield found.start(1), title


def _is_unspaced(title: str) -> bool:
    return bool(title) and title[0].isalpha() and title.lower() == title.upper()


def _named(text: str) -> Iterator[tuple[int, str]]:
    """Yield the names that capitals and signs tell, words in a row and small ones between them as one name."""
    reading = _Reading.of(text)
    words, run = reading.words, list[int]()
    for at in range(len(words)):
        if not reading.is_name(at):
            continue
        if run and not reading.goes_on(run, at):
            yield from reading.names(run)
            run = []
        run.append(at)
    if run:
        yield from reading.names(run)


def _is_exclaimed(word: str) -> bool:
    """Return whether a word greets, thanks, agrees or opens a sentence, whatever its case: "Wow", "Great"."""
    return word in _list("openers") or is_small_talk(word)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text's words, its language, whether it is a headline, and the capitalised words inside its sentences."""

    text: str
    words: Sequence[_Word]
    language: str
    is_headline: bool
    inside: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Reading":
        words = _words(text)
        capitals = sum(word.text[:1].isupper() for word in words)
        inside = frozenset(word.text for word in words if word.text[:1].isupper() and not word.begins)
        return cls(text, words, language_of(text), len(words) > 3 and capitals > _MOSTLY * len(words), inside)

    def goes_on(self, run: Sequence[int], at: int) -> bool:
        """Return whether a name goes on with the word at a place."""
        last = run[-1]
        between = self.words[last + 1 : at]
        is_joined = len(between) <= _MOST_JOINS and all(word.low in _list("joins") for word in between)
        is_near = all(word.follows for word in self.words[last + 1 : at + 1])
        return is_joined and is_near and not self.words[last].has_s and at - run[0] < _LONGEST_NAME

    def names(self, run: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Yield where a name starts, and the name; nothing where it is exclaimed: "It was Great!", but "in Nice"."""
        first = self.words[run[0]]
        if len(run) > 1 and not first.follows and _is_exclaimed(first.low) and first.low not in _list("parts_of_names"):
            run = run[1:]  # behind a comma: "Anna fell, Yay Bob won"
        words = self.words[run[0] : run[-1] + 1]
        is_in = words[0].follows and self.words[run[0] - 1].low in _list("places_before")
        if is_in or not all(_is_exclaimed(word.low) for word in words):
            yield words[0].start, " ".join(word.text for word in words)

    def is_name(self, at: int) -> bool:
        """Return whether the word at a place is a name, or a part of one."""
        word = self.words[at]
        if word.is_product:
            return word.text not in _list("no_names")
        if self.is_headline or not word.text[:1].isupper() or len(word.text) < 2 or self._is_ordinary(word):
            return False
        if word.begins:
            return self._is_name_at_start(at)
        return self.language != "german" or self._is_german_name(at)

    def _is_ordinary(self, word: _Word) -> bool:
        is_time = word.low in _times(self.language)
        if is_time or word.text in WORD_NAMES:
            may_be_name = word.text in WORD_NAMES
            return not may_be_name or ((is_time or word.begins) and not is_spoken_of(self.text, word.low))
        base = word.low.partition("'")[0]
        stop = STOP_WORDS["english"] | STOP_WORDS.get(self.language, frozenset())
        is_kin = (word.low,) in FORMS["english"] or (word.low,) in FORMS.get(self.language, ())
        small = word.low in stop or (base != word.low and (base in stop or word.low.endswith("n't")))
        return small or is_kin or word.text in _list("no_names") or word.low in _list("kin_titles") | listed("titles")

    def _is_name_at_start(self, at: int) -> bool:
        word = self.words[at]
        if word.text in WORD_NAMES:
            return True
        if self._only_opens(word):
            return word.low in _list("parts_of_names") and self._is_before_name(at)
        if word.has_s or _ACRONYM.fullmatch(word.text):
            return True
        if self._is_before_name(at) or (self.language != "german" and word.text in self.inside):
            return True
        return self._is_subject(at)

    def _is_before_name(self, at: int) -> bool:
        """Return whether a capital that begins no sentence is next, also behind a comma: "Anna, Bob and I".

        Only English verbs are known well enough to tell "Ana María" from "Visité Roma": elsewhere, and behind a comma,
        because of "Cool, Bob!", "and" or a verb must follow.
        """
        then = self.words[at + 1] if at + 1 < len(self.words) else None
        if then is None or then.begins or not then.text[:1].isupper() or self._is_ordinary(then):
            return False
        if self.language == "english" and then.follows:
            return True
        after = self._next(at + 1, 1)
        return after is not None and (after.low in _list("and") or self._does(after))

    def _is_subject(self, at: int) -> bool:
        """Return whether what follows is said of somebody, or is another name behind "and" or "of"."""
        word, then, after = self.words[at], self._next(at, 1), self._next(at, 2)
        if then is None:
            return False
        if then.low in _list("and") | _list("joins"):
            return after is not None and after.text[:1].isupper()
        return self._does(then) and word.low not in _list("things") and not word.low.endswith(_endings())

    def _only_opens(self, word: _Word) -> bool:
        """Return whether a word that begins a sentence is one that ordinarily does."""
        if word.text in _list("things_named"):
            return False
        is_verb = word.low in _list("verbs") | _list("orders") or (
            word.low.endswith(("ed", "ing")) and word.low not in _list("names_like_verbs")
        )
        return word.text in NOT_NAMES or _is_exclaimed(word.low) or (self.language == "english" and is_verb)

    def _does(self, then: _Word) -> bool:
        """Return whether a word is what somebody or something with a name does."""
        if self.language != "english":
            return then.low in _list(f"{self.language}_verbs")
        return then.low in _list("verbs") or then.low in listed("auxiliaries")

    def _is_german_name(self, at: int) -> bool:
        """Return whether a capital is more than that of a German noun: "in Berlin", and not "in der Stadt"."""
        word, before = self.words[at], self.words[at - 1]
        if word.low in _list("german_things"):
            return False
        if _ACRONYM.fullmatch(word.text) or (word.follows and before.low in _list("german_before")):
            return True
        earlier = at - 2 if before.low in _list("and") else at - 1
        return word.follows and earlier >= 0 and self.words[earlier].text[:1].isupper() and self.is_name(earlier)

    def _next(self, at: int, by: int) -> _Word | None:
        """Return the word so many places on when only space stands between."""
        words = self.words[at + 1 : at + by + 1]
        return words[-1] if len(words) == by and all(word.follows for word in words) else None


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    end = 0
    for found in _TOKEN.finditer(text):
        between = text[end : found.start()]
        has_title = bool(words) and words[-1].low in listed("titles")
        begins = not words or (not has_title and _END.search(between) is not None)
        follows = bool(words) and not begins and (has_title or not between.strip())
        spelled = _GENITIVE.sub("", found[0])
        low = spelled.lower().replace("’", "'")
        words.append(_Word(spelled, low, found.start(), begins, follows, spelled != found[0]))
        end = found.end()
    return words


@cache
def _times(language: str) -> frozenset[str]:
    """Return the names of months and weekdays in English and in this language."""
    locales = [babel.Locale(_LOCALES[name]) for name in {"english", language} if name in _LOCALES]
    wide = [named["format"]["wide"] for locale in locales for named in (locale.months, locale.days)]
    return frozenset(str(name).lower() for names in wide for name in names.values())


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    data = json.loads(Path(__file__).with_name("entities.json").read_text(encoding="utf-8"))
    return {name: frozenset(held.split()) for name, held in data.items()}


def _list(name: str) -> frozenset[str]:
    return _lists().get(name, frozenset())


@cache
def _endings() -> tuple[str, ...]:
    return tuple(sorted(_list("endings")))
