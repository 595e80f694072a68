"""What a question asks for: the attributes whose words it holds, or all that is known of the one who asks."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

import regex

from fabric.text.words import normalise, split_words

from .attributes import ATTRIBUTES, LANGUAGES, PROFILE, compiled, form

CACHED = 256
_Entry = tuple[str, tuple[str, ...], frozenset[str]]
"""An attribute, the pieces that ask for it, and those of them that are whole words."""
_UNSPACED = frozenset({"chinese", "japanese"})


@lru_cache(maxsize=CACHED)
def asked_attributes(cue: str, language: str = "english") -> frozenset[str]:
    """Return the attributes that a cue asks for, by the words of its language and of English.

    >>> sorted(asked_attributes("Where do I work?")), sorted(asked_attributes("wo wohne ich?", "german"))
    (['employer'], ['home'])
    """
    plain = normalise(cue)
    spoken_words = split_words(plain)
    found: set[str] = set()
    for spoken in dict.fromkeys((language, "english")):
        if spoken in _UNSPACED:
            found.update(name for name, entry, _ in _entries(spoken) if all(piece in plain for piece in entry))
            continue
        by_word, others = _by_first_word(spoken)
        different = set(spoken_words)
        possible = [*others, *chain.from_iterable(by_word.get(word, ()) for word in different)]
        found.update(name for name, entry, own in possible if own <= different and _holds(spoken_words, entry))
    return frozenset(found)


@lru_cache(maxsize=CACHED)
def asks_for_profile(cue: str) -> bool:
    """Return whether a cue asks for all that is known of whoever asks, in any of the languages.

    >>> asks_for_profile("What do you know about me?"), asks_for_profile("What do you know about tea?")
    (True, False)
    """
    plain = normalise(cue).strip(" ?!.？！。…¿¡؟")
    return _phrases().fullmatch(plain) is not None


@lru_cache(maxsize=1)
def _phrases() -> "regex.Pattern[str]":
    """Return all phrases as one pattern, which is compiled in a third of the time of one for each."""
    before, after = form("polite").pattern, form("so_far").pattern
    return compiled(f"{before}(?:{'|'.join(chain.from_iterable(PROFILE.values()))}){after}?")


@lru_cache(maxsize=len(LANGUAGES))
def _entries(language: str) -> Sequence[_Entry]:
    return [
        (name, pieces, frozenset(piece for piece in pieces if piece[-1] != "*"))
        for name, attribute in ATTRIBUTES.items()
        for pieces in [tuple(normalise(entry).split()) for entry in attribute.asked.get(language, ())]
    ]


@lru_cache(maxsize=len(LANGUAGES))
def _by_first_word(language: str) -> tuple[Mapping[str, Sequence[_Entry]], Sequence[_Entry]]:
    """Return the entries by the word that they begin with, and those that begin with an open end."""
    by_word: dict[str, list[_Entry]] = {}
    others: list[_Entry] = []
    for found in _entries(language):
        first = found[1][0]
        (others if first.endswith("*") else by_word.setdefault(first, [])).append(found)
    return by_word, others


def _holds(said: Sequence[str], entry: Sequence[str]) -> bool:
    """Return whether words hold all pieces of an entry in order; ``*`` alone is any gap, behind letters an open end."""
    at = 0
    for piece in entry:
        if piece == "*":
            continue
        place = _place(said, piece, at)
        if place < 0:
            return False
        at = place + 1
    return True


def _place(said: Sequence[str], piece: str, at: int) -> int:
    """Return the first place from ``at`` on of a word that a piece stands for, -1 for none."""
    if piece[-1] == "*":
        begin = piece[:-1]
        return next((place for place in range(at, len(said)) if said[place].startswith(begin)), -1)
    return next((place for place in range(at, len(said)) if said[place] == piece), -1)
