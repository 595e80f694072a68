"""Which language a text is in, roughly, and what its words have in common: stop words and Snowball stems."""

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

from ..lazy import lazy
from ..slices import SLICE, slices
from .words import FUNCTION_WORDS, SHORT, words

if TYPE_CHECKING:
    import snowballstemmer
else:
    snowballstemmer = lazy("snowballstemmer")

_DATA: Mapping[str, Mapping[str, str]] = json.loads(
    Path(__file__).with_name("languages.json").read_text(encoding="utf-8")
)
STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(listed.split()) for language, listed in _DATA["stop_words"].items()
}
"""Words that say how a sentence is built, by language; they also tell the languages of one script apart."""

_ONESELF: Mapping[str, frozenset[str]] = {
    language: frozenset(listed.split()) for language, listed in _DATA["oneself"].items()
}
"""The words with which one speaks of oneself, by language."""
_UNSPACED = frozenset({"chinese", "japanese"})

_BY_SCRIPT = (
    ("russian", regex.compile(r"\p{Cyrillic}")),
    ("arabic", regex.compile(r"\p{Arabic}")),
    ("greek", regex.compile(r"\p{Greek}")),
    ("hindi", regex.compile(r"\p{Devanagari}")),
    ("tamil", regex.compile(r"\p{Tamil}")),
    ("armenian", regex.compile(r"\p{Armenian}")),
)
_PERSIAN = regex.compile(r"[پچژگی]")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_HAN = regex.compile(r"\p{Han}")
NO_LATIN = frozenset({"russian", "greek", "arabic", "hindi", "chinese", "japanese"})
"""The languages above that are not written in Latin script."""
_LATIN = tuple(language for language in STOP_WORDS if language not in NO_LATIN)
LATIN_LANGUAGES = frozenset(_LATIN)
"""The languages above that are."""
_STEMMED = frozenset({*_LATIN, "russian", "arabic", "greek", "hindi", "tamil", "armenian"})


def guess_language(words: Sequence[str]) -> str:
    """Return the likely language of a text's words: by script, in Latin script by stop words, English when in doubt.

    >>> guess_language("wo wohnt anna jetzt".split()), guess_language("кошка спит".split()), guess_language(["pizza"])
    ('german', 'russian', 'english')
    """
    texts = [" ".join(words)] if len(words) <= SLICE else [" ".join(some) for some in slices(words)]
    if all(map(str.isascii, texts)):
        return _latin(words)
    found = next((language for language, script in _BY_SCRIPT if any(map(script.search, texts))), "")
    if found == "arabic" and any(map(_PERSIAN.search, texts)):
        return ""
    if found:
        return found
    if any(map(_KANA.search, texts)):
        return "japanese"
    return "chinese" if any(map(_HAN.search, texts)) else _latin(words)


def language_of(text: str) -> str:
    """Return the likely language of a text, as `guess_language` does of its words.

    >>> language_of("wo wohnt Anna jetzt?"), language_of("")
    ('german', 'english')
    """
    return _language_of_short(text) if len(text) <= SHORT else guess_language(words(text))


@lru_cache(maxsize=16_384)
def _language_of_short(text: str) -> str:
    return guess_language(words(text))


def known_languages(words: Sequence[str], *, english: AbstractSet[str] = frozenset()) -> frozenset[str]:
    """Return the languages that a text's words may be in by its script or its stop words; none where these do not tell.

    ``english`` are further words that tell English. Where several are as likely, all of them are returned.

    >>> [sorted(known_languages(text.split())) for text in ("wo wohnt anna", "has a cat", "json", "кошка спит")]
    [['german'], ['english', 'spanish'], [], ['russian']]
    """
    guessed = guess_language(words)
    if guessed not in _LATIN:
        return frozenset({guessed}) - {""}
    counts = _counts(words)
    counts["english"] = counts.get("english", 0) + sum(word in english for word in words)
    most = max(counts.values())
    return frozenset(language for language in counts if most and counts[language] == most)


def _latin(words: Sequence[str]) -> str:
    counts = _counts(words)
    most = max(counts.values(), default=None)
    return next(language for language in _LATIN if counts.get(language) == most)


def _counts(words: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        for language in _LANGUAGES_OF.get(word, ()):
            counts[language] = counts.get(language, 0) + 1
    return counts


_LANGUAGES_OF: dict[str, tuple[str, ...]] = {
    word: tuple(language for language in _LATIN if word in STOP_WORDS[language])
    for word in frozenset[str]().union(*(STOP_WORDS[language] for language in _LATIN))
}


def speaks_of_oneself(text: str, language: str) -> bool:
    """Return whether whoever wrote the text speaks of themselves in it; False for a language that is not known.

    >>> speaks_of_oneself("Where do I live?", "english"), speaks_of_oneself("wo wohnt Anna?", "german")
    (True, False)
    """
    own = _ONESELF.get(language, frozenset())
    if language in _UNSPACED:
        return any(word in text for word in own)
    return not own.isdisjoint(words(text))


def is_stop_word(word: str, language: str) -> bool:
    """Return whether the word only builds sentences, in this language."""
    return word in STOP_WORDS.get(language, FUNCTION_WORDS)


@lru_cache(maxsize=65_536)
def stem(word: str, language: str) -> str:
    """Return the word's Snowball stem in this language; the word itself where the language has no stemmer.

    >>> stem("working", "english"), stem("häuser", "german"), stem("仕事", "japanese")
    ('work', 'haus', '仕事')
    """
    stemmer = _stemmer(language)
    if stemmer is None:
        return word
    return str(stemmer.stemWord(word)) or word


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Any:
    if language not in _STEMMED or language not in snowballstemmer.algorithms():
        return None
    return snowballstemmer.stemmer(language)  # pyright: ignore[reportUnknownMemberType]  the package has no types
