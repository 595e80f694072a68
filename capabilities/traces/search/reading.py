"""How the text of a search is read: operators and plain language are told apart, and nothing ever fails.

A text is plain language unless it has a sign: quotes around words; ``AND``, ``OR`` or ``NOT`` in capitals (or ``+``
between spaces) beside a word; ``*`` behind a word; ``-``, ``^`` or ``tags:`` before one. Anything else that looks like
syntax is ignored, and so is an operator that has nothing to work on. As in SQLite FTS5, words beside each other are
tied most tightly, then NOT, AND, OR; ``NEAR(one two, 5)`` asks for all of its parts, however far apart. ``C++`` and
``C#`` are names of their own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import regex

from ..words import FIRST, TAGGED, signed_names, spelled_words, stem
from .query import MAX_CHARS, And, Node, Not, Phrase, Prefix, Query, Term, all_of, any_of, leaf, natural

MAX_DEPTH = 40
"""How deep parentheses are followed; deeper ones are ignored."""
_TOKEN = regex.compile(
    r"""(?<![^\s(])(?P<minus>-)(?=["(\p{L}])(?!(?:AND|OR|NOT)\b)
    |(?<![^\s("-])(?P<tags>tags:)(?=["\p{L}\p{N}])
    |"(?P<quoted>[^"]*)"(?P<star>\*?)
    |(?P<open>\()
    |(?P<close>\))
    |(?P<chunk>[^\s"()]+)""",
    regex.VERBOSE,
)
_QUOTES = str.maketrans("“”„«»＂", '""""""')
_OPERATORS = {"AND": "AND", "OR": "OR", "NOT": "NOT", "+": "AND"}
_STAR = regex.compile(r"[\p{L}\p{N}\p{M}]\*[^\p{L}\p{N}]*$")
_FIRST = regex.compile(r"\^[\p{L}\p{N}]")
_NEAR = regex.compile(r"(?<![^\s(])NEAR\((?P<parts>[^()]*?)(?:,\s*\d+\s*)?\)")
_PARTS = regex.compile(r'"[^"]*"|[^\s,"]+')
_POSSESSIVE = regex.compile(r"(?<=\p{L})['’]s(?=[^\p{L}\p{N}]*$)", regex.IGNORECASE)


def parse(text: str) -> Query:
    """Return what a search asks for; never raises.

    Plain language asks for rows with all of its words and, if there are none, with any of them.

    >>> parse("deploy NOT staging").root
    And(parts=(Term(term='deploi'), Not(part=Term(term='stage'))))
    >>> parse('"dark mode"').root, parse("dark-mode").root == parse('"dark mode"').root
    (Phrase(stems=('dark', 'mode'), is_open=False), True)
    >>> parse('??? "')
    Query(root=None, otherwise=None)
    """
    plain = _NEAR.sub(_both, text[:MAX_CHARS].translate(_QUOTES))
    tokens = list(_balanced(_tokens(plain)))
    if not any(token.node for token in tokens):
        tokens = [_Token("words", leaf([operator])) for operator in spelled_words(plain)]
    reading = _Reading(tokens)
    root = reading.read()
    return Query(root, None if reading.has_signs else natural(text).root)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    """``words``, ``minus``, ``open``, ``close``, ``AND``, ``OR`` or ``NOT``."""
    node: Node | None = None
    is_sign: bool = False


def _tokens(text: str) -> Iterator[_Token]:
    is_tag = False
    for found in _TOKEN.finditer(text):
        kind, piece = str(found.lastgroup), found.group()
        if kind == "tags":
            is_tag = True
        elif kind == "chunk" and piece in _OPERATORS:
            yield _Token(_OPERATORS[piece])
        elif kind in {"chunk", "quoted", "star"}:
            yield from _of_words(found["quoted"] or "" if kind != "chunk" else piece, kind, found["star"], is_tag)
            is_tag = False
        else:
            yield _Token(kind)


def _balanced(tokens: Iterator[_Token]) -> Iterator[_Token]:
    """Leave out parentheses that close nothing, or are too deep."""
    depth = 0
    for token in tokens:
        depth += (token.kind == "open") - (token.kind == "close")
        if token.kind not in {"open", "close"} or 0 <= depth - (token.kind == "open") < MAX_DEPTH:
            yield token
        depth = max(depth, 0)


class _Reading:
    """Tokens being read, by recursive descent; a part that is missing is left out."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.has_signs = any(token.is_sign for token in tokens)
        self._tokens = tokens
        self._at = 0

    def read(self) -> Node | None:
        return self._joined("OR", self._both, any_of)

    def _both(self) -> Node | None:
        return self._joined("AND", self._without, all_of)

    def _joined(
        self, operator: str, read: Callable[[], Node | None], join: Callable[[Sequence[Node]], Node | None]
    ) -> Node | None:
        parts = [read()]
        while self._take(operator):
            parts.append(read())
        there = [part for part in parts if part is not None]
        self.has_signs |= len(there) > 1
        return join(there)

    def _without(self) -> Node | None:
        parts = [self._beside()]
        while self._take("NOT"):
            parts.append(self._negated(self._beside()))
        return all_of([part for part in parts if part is not None])

    def _beside(self) -> Node | None:
        parts: list[Node | None] = []
        while (token := self._next()) is not None and token.kind in {"words", "minus", "open"}:
            self._at += 1
            parts.append(self._negated(self._one()) if token.kind == "minus" else self._whole(token))
        return all_of([part for part in parts if part is not None])

    def _one(self) -> Node | None:
        token = self._next()
        if token is None or token.kind not in {"words", "open"}:
            return None
        self._at += 1
        return self._whole(token)

    def _whole(self, token: _Token) -> Node | None:
        if token.kind == "words":
            return token.node
        part = self.read()
        self._take("close")
        return part

    def _negated(self, part: Node | None) -> Node | None:
        self.has_signs |= part is not None
        return None if part is None else Not(part)

    def _next(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, kind: str) -> bool:
        token = self._next()
        found = token is not None and token.kind == kind
        self._at += found
        return found


def _of_words(text: str, kind: str, star: str | None, is_tag: bool) -> Iterator[_Token]:
    """Read words that stand together: a word, a compound such as ``dark-mode``, or what was between quotes."""
    if kind == "chunk":
        text = _POSSESSIVE.sub("", text)
    words = spelled_words(text)
    if not words:
        return
    signed = signed_names(text)
    if kind == "chunk" and signed and len(words) == 1:
        yield _Token("words", Term(signed[0]))
        return
    is_open = bool(star) if kind != "chunk" else bool(_STAR.search(text))
    is_first = kind == "chunk" and bool(_FIRST.match(text))
    node: Node = leaf(words, is_open=is_open)
    if is_tag:
        node = _tagged(words, is_open=is_open)
    elif is_first:
        first = Term(FIRST + stem(words[0]))
        node = And((first, node)) if isinstance(node, Phrase) else first
    yield _Token("words", node, kind != "chunk" or is_open or is_first or is_tag)


def _both(near: regex.Match[str]) -> str:
    return f"({' AND '.join(_PARTS.findall(near['parts']))})"


def _tagged(words: Sequence[str], *, is_open: bool) -> Node:
    *whole, last = words
    parts: list[Node] = [Term(TAGGED + stem(word)) for word in whole]
    parts.append(Prefix(TAGGED + stem(last), TAGGED + last) if is_open else Term(TAGGED + stem(last)))
    return And(tuple(parts)) if whole else parts[0]
