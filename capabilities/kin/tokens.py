"""What reading kin gives, and the words of a text as it looks at them."""

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from fabric.text import word_set

from .words import NOT_NAMES, WORD_NAMES

MINE = ""
"""The owner of the speaker's own kin."""
SOMEBODY = "?"
"""An owner who is not said by name: "his brother", "a brother"."""
LONGEST = 4_000
"""How many characters of a text are read."""
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['\u2019][\p{L}\p{N}\p{M}]+)*")
_END = regex.compile(r"[.!?;:\u2026\n。！？]")
_NO_GENITIVES = word_set("he's she's it's that's name's")


@dataclass(frozen=True, slots=True)
class Kin:
    """Somebody by what they are: ``of`` whom, and how from there, nearest first: a brother, his wife.

    ``of`` is "" for the speaker, a name in lower case, or "?". ``word`` are the words for ``kin``.
    """

    of: str
    kin: tuple[str, ...]
    word: str
    qualities: frozenset[str] = frozenset()
    """What tells them from others of the kind: older, twin."""
    name: str = ""
    """What they are called, as it is spelled."""
    is_beside: bool = False
    """Whether a preposition stands before them."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text, without 's."""

    text: str
    low: str
    begins: bool
    """Whether a sentence begins with it."""
    has_s: bool
    """Whether it ends in 's."""

    @property
    def is_name(self) -> bool:
        """Whether it is spelled like a name."""
        return self.text[:1].isupper() and self.text not in NOT_NAMES - WORD_NAMES


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the words of a text.

    >>> [(token.low, token.has_s) for token in tokens_of("Anna's brother")]
    [('anna', True), ('brother', False)]
    """
    last = 0
    for found in _WORD.finditer(text[:LONGEST]):
        spelled = found[0].replace("\u2019", "'")
        begins = not last or _END.search(text, last, found.start()) is not None
        has_s = spelled.lower().endswith("'s") and spelled.lower() not in _NO_GENITIVES
        bare = spelled[:-2] if has_s else spelled
        yield Token(bare, bare.lower(), begins, has_s)
        last = found.end()
