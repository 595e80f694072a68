"""Casing: names in messages that are typed without capitals, or in nothing but capitals."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.lazy import lazy
from fabric.text.language import STOP_WORDS

if TYPE_CHECKING:
    import mnemonic
else:
    mnemonic = lazy("mnemonic")

LEAST_WORDS = 3
"""How many words a message has at least whose capitals are all a matter of habit: fewer may be an abbreviation."""
MOST_WORDS = 3
"""How many words a name has at most."""
_CARELESS = re.compile(r"(?<![^\W_])i(?:['’]?(?:m|ve|d|ll))?(?![^\W_])|^\s*[a-z]")
_WORD = re.compile(r" (?P<word>[^\W\d_][\w'’-]*)(?:(?P<end>['’]s)?)(?![\w@/])")
_ENDINGS = ("ing", "ly", "ed", "ism", "ness")


def recased(text: str) -> str:
    """Return a message with its names in capitals where it was typed without any, or in nothing but capitals.

    Only words that stand where names do, and are no common words, are taken for names; any other message is returned
    as it is.

    >>> recased("i moved to new york and work at stripe"), recased("I LIVE IN ROME")
    ('i moved to New York and work at Stripe', 'i live in Rome')
    >>> recased("i work at night"), recased("I live in rome, says Anna")
    ('i work at night', 'I live in rome, says Anna')
    """
    if text.isupper():
        if len(text.split()) < LEAST_WORDS:
            return text
        text = text.lower()
    elif not text.islower() or not _CARELESS.search(text):
        return text
    named = bytearray(len(text))
    for found in _before().finditer(text):
        for start in _names(text, found.end()):
            named[start] = 1
    return "".join(letter.upper() if is_name else letter for letter, is_name in zip(text, named, strict=True))


def _names(text: str, at: int) -> Iterator[int]:
    """Yield where the words of a name begin that may follow there, behind a blank."""
    starts: list[int] = []
    held: list[int] = []
    for _ in range(MOST_WORDS):
        found = _WORD.match(text, at)
        if found is None:
            break
        word = found["word"]
        if word in _part():
            held.append(found.start("word"))
        elif _is_common(word):
            break
        else:
            starts += [*held, found.start("word")]
            held = []
        at = found.end()
    yield from starts


@cache
def _is_common(word: str) -> bool:
    rows = _rows()
    if word in rows["names"]:
        return False
    plain = word.removesuffix("s")
    return not _common().isdisjoint((word, plain, plain.removesuffix("e"))) or word.endswith(_ENDINGS)


@cache
def _rows() -> dict[str, list[str]]:
    rows: dict[str, list[str]] = json.loads(Path(__file__).with_name("casing.json").read_text(encoding="utf-8"))
    return rows


@cache
def _common() -> frozenset[str]:
    return frozenset([*_rows()["common"], *STOP_WORDS["english"], *mnemonic.Mnemonic("english").wordlist])


@cache
def _part() -> frozenset[str]:
    return frozenset(_rows()["part"])


@cache
def _before() -> "re.Pattern[str]":
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(_rows()['before'])})(?= )")
