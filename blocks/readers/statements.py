"""Statements in other languages: whether one is the speaker's own and plain; what it claims is read elsewhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import cast

from capabilities.claims.attributes import ATTRIBUTES
from capabilities.claims.read import read
from capabilities.claims.record import USER, Claim
from capabilities.vocabulary import Category, Durability, Observation
from fabric.language import STOP_WORDS, guess_language
from fabric.text import words

from .patterns import listed, written
from .sentences import HIDDEN, MAX_CLAUSE

_OF_USER = " of user"
_QUESTION = ("?", "？", "؟")
_CLOSING = " \t\n.!…。！،,;"
_NOT_ASKED = frozenset({"other", "amount"})
"""Attributes that tell nothing sure of somebody."""
_ENGLISH_WORDS = 2
"""With this many stop words of English, and more than of any other language, a sentence is English."""


@dataclass(frozen=True, slots=True)
class _Forms:
    """How statements look in one language, as ``statements.json`` has it."""

    begins: re.Pattern[str]
    """Where a statement of the speaker's own begins: at the start, behind a comma or an "and"."""
    refused: re.Pattern[str]
    """What makes a sentence a question, a condition, hearsay, doubt or play."""
    request: re.Pattern[str]
    """Work asked for on the text that follows."""


@cache
def _forms() -> tuple[_Forms, ...]:
    return tuple(_compiled(*map(written, listed_of.values())) for listed_of in listed("statements").values())


def _compiled(own: str, joint: str, refused: str, request: str) -> _Forms:
    begins = rf"(?:^|[,;،，、]\s*|(?<!\w){joint}\s*)(?:{joint}\s*)?(?={own})"
    return _Forms(*(re.compile(pattern, re.IGNORECASE) for pattern in (begins, refused, request)))


def statements(sentence: str) -> Iterator[Observation]:
    """Yield what a sentence in another language than English says of the speaker: its words as said, with their claim.

    >>> [(seen.content, seen.attribute, seen.value) for seen in statements("Ich wohne in Berlin.")]
    [('Ich wohne in Berlin', 'home', 'Berlin')]
    >>> list(statements("Wohne ich in Berlin?")), list(statements("Wenn ich in Berlin wohne, lache ich."))
    ([], [])
    """
    for piece in _own_pieces(sentence):
        claim = read(piece, USER)
        if claim is not None and claim.attribute not in _NOT_ASKED and _is_own(claim):
            yield _observed(piece, claim)


def asks_for_work(sentence: str) -> bool:
    """Return whether ``sentence`` asks to translate or to rewrite what follows it, which is then nobody's statement.

    >>> asks_for_work("Übersetze ins Englische:"), asks_for_work("Ich übersetze Romane.")
    (True, False)
    """
    return any(form.request.match(sentence) for form in _forms())


def _own_pieces(sentence: str) -> list[str]:
    """Return the parts of a sentence that the speaker says of themselves, none where one cannot be sure of it."""
    if HIDDEN in sentence or len(sentence) > MAX_CLAUSE or any(mark in sentence for mark in _QUESTION):
        return []
    spoken = [] if _is_english(sentence) else [form for form in _forms() if form.begins.search(sentence)]
    if not spoken or any(form.refused.search(sentence) for form in spoken):
        return []
    starts: dict[int, int] = {}
    for found in (found for form in spoken for found in form.begins.finditer(sentence)):
        starts[found.end()] = min(found.start(), starts.get(found.end(), found.start()))
    begins = sorted(starts)
    ends = [*(starts[begin] for begin in begins[1:]), len(sentence)]
    return [_said(sentence[begin:end]) for begin, end in zip(begins, ends, strict=True)]


def _said(piece: str) -> str:
    piece = piece.strip(_CLOSING)
    return piece[:1].upper() + piece[1:]


def _is_english(sentence: str) -> bool:
    said = words(sentence)
    known = sum(word in STOP_WORDS["english"] for word in said)
    return known >= _ENGLISH_WORDS and guess_language(said) == "english"


def _is_own(claim: Claim) -> bool:
    return claim.subject == USER or claim.subject.endswith(_OF_USER)


def _observed(piece: str, claim: Claim) -> Observation:
    attribute = ATTRIBUTES[claim.attribute]
    kin = "" if claim.subject == USER else claim.subject.removesuffix(_OF_USER)
    return Observation(
        content=piece,
        importance=attribute.importance,
        durability=cast("Durability", attribute.durability),
        category=cast("Category", "relationship" if kin else attribute.category),
        attribute=claim.attribute,
        value=claim.value,
        polarity=claim.polarity,
        of=claim.of or kin,
        former=claim.former,
    )
