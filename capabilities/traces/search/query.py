"""What a search asks for: a tree of terms, prefixes, phrases, and, or, not; and how plain language becomes one."""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from fabric.text.words import normalise, word_set

from ..words import is_unspaced, signed_names, spelled_words, stem

MAX_CHARS = 20_000
"""How many characters of a query are read."""
MAX_WORDS = 128
"""How many different words of plain language are looked for."""
STOP_WORDS = word_set(
    "a an and are at do does for from how i in is it me my of on or our the to what when where which who why with you "
    "your"
)
"""English words that are not looked for in plain language."""
_PIECE = regex.compile(
    r"\p{L}[\p{L}\p{N}]*+(?:\+\+|#)(?![\p{L}\p{N}+#])|[\p{L}\p{N}\p{M}_]+|(?!\p{N})\p{Extended_Pictographic}"
)
_NAMED = regex.compile(r"[B-HJ-Z]")


@dataclass(frozen=True, slots=True)
class Term:
    """Rows that hold a term."""

    term: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """Rows that hold a term that begins with this stem, or a word spelled with this beginning."""

    stem: str
    spelled: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Rows that hold these two or more stems one behind the other; ``is_open``: words that begin with the last."""

    stems: tuple[str, ...]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class And:
    """Rows that match all parts."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Or:
    """Rows that match any part."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """Rows that do not match the part."""

    part: "Node"


Leaf = Term | Prefix | Phrase
Node = Leaf | And | Or | Not


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for, None for nothing, and what else is when nothing has that."""

    root: Node | None
    otherwise: Node | None = None


def natural(text: str) -> Query:
    """Return what plain language asks for: rows with any word that begins with one of its words.

    Words of one letter and `STOP_WORDS` are left out unless nothing else is left; a single capital, such as the name of
    a language, is looked for as it is. Signs mean nothing.

    >>> natural("What does Alice prefer?").root
    Or(parts=(Prefix(stem='alic', spelled='alice'), Prefix(stem='prefer', spelled='prefer')))
    """
    pieces = _PIECE.findall(text[:MAX_CHARS])
    words = list(dict.fromkeys(normalise(piece) for piece in pieces))
    named = {normalise(piece) for piece in pieces if _NAMED.fullmatch(piece)}
    if not any(map(_says_something, words)):
        return Query(any_of([node for word in words[:MAX_WORDS] for node in _beginnings(word)]))
    chosen = [word for word in words if word in named or _says_something(word)][:MAX_WORDS]
    return Query(any_of([node for word in chosen for node in ([Term(word)] if word in named else _beginnings(word))]))


def _says_something(word: str) -> bool:
    return word not in STOP_WORDS and (len(word) > 1 or not word.isalnum() or is_unspaced(word))


def _beginnings(word: str) -> list[Leaf]:
    if signed_names(word):
        return [Term(word)]
    words = spelled_words(word)
    if len(words) > 1 and "_" in word:
        return [leaf(words, is_open=True)]
    return [leaf([word], is_open=not (len(word) == 2 and is_unspaced(word))) for word in words]


def leaf(words: Sequence[str], *, is_open: bool = False) -> Leaf:
    """Return what asks for these words, one or more, behind each other; ``is_open``: the last is only a beginning."""
    if len(words) > 1:
        return Phrase(tuple(stem(word) for word in words), is_open)
    (word,) = words
    if is_open or (len(word) == 1 and is_unspaced(word)):
        return Prefix(stem(word), word)
    return Term(stem(word))


def all_of(parts: Sequence[Node]) -> Node | None:
    """Return what asks for all parts; None for none."""
    return And(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None


def any_of(parts: Sequence[Node]) -> Node | None:
    """Return what asks for any of the parts; None for none."""
    return Or(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None
