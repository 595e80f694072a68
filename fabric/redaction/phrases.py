"""Seed phrases: 12 to 24 words of one of the lists of BIP-39, with their checksum."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING
from unicodedata import normalize

from ..lazy import lazy
from .finding import Finding

if TYPE_CHECKING:
    import mnemonic
    from mnemonic import Mnemonic
else:
    mnemonic = lazy("mnemonic")

_WORD = re.compile(r"(?:[^\W\d_][\u0300-\u036f\u3099\u309a]*+)++")
_PLAIN_WORD = re.compile(r"[a-z]+")
SIZES = (24, 21, 18, 15, 12)
FEWEST = min(SIZES)
MOST = 100
"""How many words of the lists stand in a row at most: more of them are a list of words, and no phrase."""


def seed_phrases(text: str, lower: str) -> Iterator[Finding]:
    """Yield the seed phrases of wallets in a text, whatever numbers or commas stand between their words."""
    pattern = _PLAIN_WORD if text.isascii() else _WORD
    words = pattern.findall(lower)
    if len(words) < FEWEST or not _may_hold_one(words):
        return
    places = [found.span() for found in pattern.finditer(lower)]
    lists = [_lists().get(_plain(word), _NONE) for word in words]
    at = 0
    for is_known, run in groupby(lists, key=bool):
        size = len(list(run))
        if is_known and FEWEST <= size <= MOST:
            yield from _in_run(words, lists, places, range(at, at + size))
        at += size


_NONE: frozenset[str] = frozenset()


def _in_run(
    words: Sequence[str], known: Sequence[frozenset[str]], places: Sequence[tuple[int, int]], run: range
) -> Iterator[Finding]:
    """Yield the phrases among words that all stand in some list."""
    at = run.start
    while at + FEWEST <= run.stop:
        sizes = (size for size in SIZES if at + size <= run.stop)
        size = next((size for size in sizes if _is_phrase(words[at : at + size], known[at : at + size])), 0)
        if size:
            yield Finding(places[at][0], places[at + size - 1][1], "seed_phrase")
        at += size or 1


def _may_hold_one(words: Sequence[str]) -> bool:
    """Return whether two neighbours among every six words stand in the lists: each phrase has such a pair."""
    lists = _lists()
    step = FEWEST // 2
    pairs = zip(words[::step], words[1::step], strict=False)
    return any(_plain(one) in lists and _plain(two) in lists for one, two in pairs)


def _plain(word: str) -> str:
    return word if word.isascii() else normalize("NFKD", word)


def _is_phrase(words: Sequence[str], known: Sequence[frozenset[str]]) -> bool:
    shared = known[0].intersection(*known[1:])
    return any(_checked(language).check(" ".join(map(_plain, words))) for language in shared)


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    """Return in which languages' lists each word stands."""
    lists: dict[str, set[str]] = {}
    for language in mnemonic.Mnemonic.list_languages():
        for word in _checked(language).wordlist:
            lists.setdefault(normalize("NFKD", word), set()).add(language)
    return {word: frozenset(languages) for word, languages in lists.items()}


@cache
def _checked(language: str) -> "Mnemonic":

    return mnemonic.Mnemonic(language)
