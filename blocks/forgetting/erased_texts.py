"""Forgotten texts: how what was erased is looked for, word for word, in what is left."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fabric.record.forgotten import ERASED
from fabric.text.json_text import spelled
from fabric.text.prompt import escaped
from fabric.text.words import content_words

from .links import strings_of

LEAST_WORDS, LEAST_CHARS = 2, 6
"""A text that says less than this, such as "Yes." or "Hello!", is nobody's in particular."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts to look for, as they were written and with their first letter changed."""

    spellings: frozenset[str]
    pieces: tuple[str, ...]
    """The same as they stand inside a string of JSON, and in a block of data."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Texts":
        """Return the texts that are long enough to be looked for, with their spellings inside JSON."""
        told = {
            variant for text in texts for variant in _variants(text.strip().rstrip(".!?。")) if _is_telling(variant)
        }
        return cls(frozenset(told), _pieces(told))

    def contained_in(self, value: Any) -> bool:
        """Return whether a string in a JSON value holds one of the texts."""
        return any(piece in text for text in strings_of(value) for piece in (*self.spellings, *self.pieces))

    def without(self, said: Iterable[str]) -> "Texts":
        """Return these without the texts that one of some messages contains."""
        messages = tuple(said)
        left = {spelling for spelling in self.spellings if not any(spelling in text for text in messages)}
        return self if len(left) == len(self.spellings) else Texts(frozenset(left), _pieces(left))

    def cut(self, text: str) -> str:
        """Return a text with a mark in the place of each of the texts that it holds."""
        for piece in sorted({*self.spellings, *self.pieces}, key=len, reverse=True):
            text = text.replace(piece, ERASED)
        return text

    def __bool__(self) -> bool:
        return bool(self.spellings)


def _pieces(spellings: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({piece for spelling in spellings for piece in (*spelled(spelling), escaped(spelling))}))


def _variants(text: str) -> Iterator[str]:
    yield text
    if text:
        yield text[0].swapcase() + text[1:]


def _is_telling(text: str) -> bool:
    return text != ERASED and len(text) >= LEAST_CHARS and len(content_words(text)) >= LEAST_WORDS
