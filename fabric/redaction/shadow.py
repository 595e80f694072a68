"""Shadows: a text as a reader sees it, in plain letters, digits and blanks, with the way back to the text itself."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple
from unicodedata import category, normalize

import regex

from .finding import Finding
from .signs import data

_DASHES = frozenset("\u2010\u2011\u2012\u2212\ufe63\uff0d")
_SIGNS = frozenset("_-./@")
"""Which signs of tokens are read in other widths too; those of sentences have rules of their own."""
_FOLDED = regex.compile(
    r"(?V1)[[\p{Default_Ignorable_Code_Point}\p{Zs}\p{Nd}\u2010-\u2012\u2212\ufe52\ufe63\uff0d-\uff5a\u2102-\u2149"
    r"\u24b6-\u24e9\U0001d400-\U0001d7cb]--[\x00-\x7f]]"
)
"""Characters that are read as others."""
_IGNORED = regex.compile(r"[\p{Default_Ignorable_Code_Point}\u00ad]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_WORD = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)*+")
"""Where letters of several scripts may stand together."""
_PARTS = re.compile(r"([-_.])")
_LATIN = re.compile("[A-Za-z0-9]")
_ODD_LETTER = re.compile(r"[^\W\d_a-zA-Z]")
LEAST = 5
"""How long a word in look-alikes alone is that is read as Latin: shorter ones are words of their own languages."""


class Shadow(NamedTuple):
    """The text that rules are applied to; ``places`` are those of its characters in the text, None for the same."""

    text: str
    places: Sequence[int] | None = None

    def back(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return findings in the shadow as findings in the text."""
        places = self.places
        if places is None:
            return list(findings)
        return [replace(finding, start=places[finding.start], end=places[finding.end - 1] + 1) for finding in findings]


class _Folding(dict[int, int | None]):
    """What stands for each character, worked out when it is first met; None for one that nobody sees."""

    def __missing__(self, code: int) -> int | None:
        folded = self[code] = _folded(chr(code))
        return folded


_FOLDING = _Folding()


def shadow(text: str) -> Shadow:
    r"""Return a text without characters that nobody sees, and with plain ones for those that look or count the same.

    >>> shadow("p\u0430ss\u200bword ｇｈｐ_４").text
    'password ghp_4'
    """
    if text.isascii():
        return Shadow(text)
    if _ASTRAL.search(text) is None and _unusual().search(text) is None:
        return Shadow(_in_latin(text))
    seen = text.translate(_FOLDING)
    places = None if len(seen) == len(text) else [at for at, char in enumerate(text) if _FOLDING[ord(char)] is not None]
    return Shadow(_in_latin(seen), places)


def _folded(char: str) -> int | None:
    if _IGNORED.match(char):
        return None
    kind = category(char)
    if kind == "Zs":
        return ord(" ")
    if char in _DASHES:
        return ord("-")
    plain = normalize("NFKC", char)
    if kind == "Nd":
        return ord(plain) if plain.isascii() else ord("0") + int(char)
    is_plain = len(plain) == 1 and plain.isascii() and (plain.isalnum() or plain in _SIGNS)
    return ord(plain) if is_plain and kind != "No" else ord(char)


@cache
def _unusual() -> "re.Pattern[str]":
    """Return the pattern of such characters of the basic plane: a class of these is looked up fast."""
    plane = "".join(map(chr, [*range(0x80, 0xD800), *range(0xE000, 0x10000)]))
    return re.compile(f"[{''.join(_FOLDED.findall(plane))}]")


@cache
def _letters() -> tuple[dict[int, str], "re.Pattern[str]"]:
    """Return the look-alikes, and a pattern of where they stand beside Latin letters or among themselves."""
    letters: dict[str, str] = data("lookalikes.json")["letters"]
    alike, latin = f"[{''.join(letters)}]", "[A-Za-z0-9]"
    alone = rf"(?<![^\W_].){alike}{{{LEAST - 1},}}(?![^\W_])"
    mixed = re.compile(f"{alike}(?:(?=[-_.]?{latin})|(?<={latin}.)|(?<={latin}[-_.].)|{alone})", re.DOTALL)
    return {ord(letter): plain for letter, plain in letters.items()}, mixed


def _in_latin(text: str) -> str:
    """Return a text with words that mix look-alikes into Latin letters, or are made of nothing else, in Latin ones."""
    if text.isascii() or not _LATIN.search(text):
        return text
    table, mixed = _letters()
    if not mixed.search(text):
        return text

    def latin(word: "re.Match[str]") -> str:
        matched = word[0]
        if matched.isascii() or not mixed.search(matched):
            return matched
        parts = ((part, part.translate(table)) for part in _PARTS.split(matched))
        return "".join(part if _ODD_LETTER.search(folded) else folded for part, folded in parts)

    return _WORD.sub(latin, text)
