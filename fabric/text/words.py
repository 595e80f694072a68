"""Words: the one way text of any language is cut into tokens, and the rough count of model tokens."""

import math
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from ..lazy import lazy

if TYPE_CHECKING:
    from . import language
else:
    language = lazy(".language", __package__)

# Scripts written without spaces: a run of them has no word boundaries, so it is cut into bigrams.
UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # CJK ideographs
    "\U00020000-\U0003ffff"  # CJK extensions
    "\uac00-\ud7af"  # Hangul syllables
)
_UNSPACED_RUN = regex.compile(f"[{UNSPACED}]+")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\uff07": "'"})
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:'[\p{L}\p{N}\p{M}]+)*")
_POINTS = regex.compile(r"[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0591-\u05c7]")  # optional vowel points
CHARS_PER_TOKEN = 4
_CONTROL = regex.compile(r"[\p{Cc}--[\t\n\r]]", regex.VERSION1)
"""What steers a screen or ends a text, and is no part of one."""
_UNSEEN = regex.compile(r"[\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]*")
_LONE = regex.compile(r"[\ud800-\udfff]")
SHORT = 300
"""Up to this length a text's words are kept in memory, because facts are compared with each other over and over."""
FUNCTION_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "with",
        "from",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "this",
        "that",
        "these",
        "those",
        "it",
        "its",
        "he",
        "she",
        "they",
        "them",
        "his",
        "her",
        "their",
        "i",
        "me",
        "my",
        "we",
        "us",
        "our",
        "you",
        "your",
        "user",
        "user's",
        "s",
        "so",
        "very",
        "really",
        "just",
        "also",
        "now",
        "currently",
        "there",
        "who",
        "which",
        "what",
        "when",
        "where",
        "will",
        "would",
        "can",
        "could",
    ]
)
"""English words that say how a sentence is built, not what it is about."""


def printable(text: str) -> str:
    r"""Return ``text`` with every lone surrogate, which no encoder takes, replaced by U+FFFD.

    >>> printable("a\ud83db") == "a\ufffdb"
    True
    """
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def uncontrolled(text: str) -> str:
    r"""Return ``text`` without control characters: tabs and ends of lines stay, other blanks are spaces, the rest goes.

    >>> uncontrolled("Os\x00lo\x1f\n")
    'Oslo \n'
    """
    return text if text.isprintable() else _CONTROL.sub(lambda at: " " if at[0].isspace() else "", text)


def is_blank(text: str) -> bool:
    r"""Return whether there is nothing to be seen in a text: blanks, invisible letters, control characters.

    >>> is_blank("\u200b \x00"), is_blank("🍕"), is_blank("")
    (True, False, True)
    """
    return _UNSEEN.fullmatch(text) is not None


def normalise(text: str) -> str:
    """Return ``text`` in NFKC form, case-folded, with one kind of apostrophe and no vowel points or control characters.

    >>> normalise("Ｓtraße")
    'strasse'
    """
    text = uncontrolled(text)
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _POINTS.sub("", folded.translate(_APOSTROPHES))


def words(text: str) -> list[str]:
    """Return the words of ``text`` in order: normalised, punctuation stripped, unspaced scripts as bigrams.

    >>> words("She works at Stripe, Inc.")
    ['she', 'works', 'at', 'stripe', 'inc']
    >>> words("成語しり")
    ['成語', '語し', 'しり']
    """
    return list(_words_of_short(text)) if len(text) <= SHORT else _split(text)


@lru_cache(maxsize=16_384)
def _words_of_short(text: str) -> tuple[str, ...]:
    return tuple(_split(text))


def _split(text: str) -> list[str]:
    return split_words(normalise(text))


def split_words(normalised: str) -> list[str]:
    """Return the words of a text that `normalise` made.

    >>> split_words("she works at stripe, inc.")
    ['she', 'works', 'at', 'stripe', 'inc']
    """
    if normalised.isascii():
        return _WORD.findall(normalised)
    found: list[str] = []
    for word in _WORD.findall(normalised):
        _split_word(word, found)
    return found


def content_words(text: str) -> frozenset[str]:
    """Return what ``text`` is about: its words without English function words, English endings taken off.

    >>> sorted(content_words("The user is working at Stripe"))
    ['stripe', 'work']
    """
    return frozenset(language.stem(word, "english") for word in words(text) if word not in FUNCTION_WORDS)


def estimate_tokens(text: str) -> int:
    """Return the estimated number of model tokens in ``text``: ``ceil(characters / 4)``.

    >>> estimate_tokens("hello")
    2
    """
    return math.ceil(len(text) / CHARS_PER_TOKEN)


def _split_word(word: str, found: list[str]) -> None:
    if word.isascii():
        found.append(word)
        return
    position = 0
    for run in _UNSPACED_RUN.finditer(word):
        if run.start() > position:
            found.append(word[position : run.start()])
        found.extend(bigrams(run.group()))
        position = run.end()
    if position < len(word):
        found.append(word[position:])


def bigrams(run: str) -> list[str]:
    """Return the overlapping pairs of characters of ``run``; one character stands alone.

    >>> bigrams("寿司屋")
    ['寿司', '司屋']
    """
    if len(run) < 2:
        return [run]
    return [run[index : index + 2] for index in range(len(run) - 1)]


def word_set(listed: str) -> frozenset[str]:
    """Return the words of a table written as one text.

    >>> sorted(word_set("tea coffee"))
    ['coffee', 'tea']
    """
    return frozenset(listed.split())
