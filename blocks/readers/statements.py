"""Statements in other languages: whether one is the speaker's own and plain; what it claims is read elsewhere."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from capabilities.claims.attributes import ATTRIBUTES
from capabilities.claims.read import fields, read
from capabilities.claims.record import USER, Claim
from capabilities.vocabulary import Observation
from fabric.language import STOP_WORDS, guess_language
from fabric.text import words

from .patterns import listed, written
from .sentences import HIDDEN, MAX_CLAUSE

_QUESTION = ("?", "？", "؟")
_CLOSING = " \t\n.!…。！،,;"
_UNSURE = frozenset({"other", "amount"})
"""Attributes that tell nothing sure of somebody."""
_DEEDS = frozenset({"consumes", "plays", "uses"})
"""Attributes of what one may do for once, or as a habit."""
_ENGLISH_WORDS = 2
"""With this many stop words of English, and more than of any other language, a sentence is English."""


@cache
def _forms() -> tuple[Mapping[str, re.Pattern[str]], ...]:
    """Return how statements look in each language of ``statements.json``.

    Each has ``begins``, where a statement of the speaker's own begins: at the start, behind a comma or an "and";
    ``refused``, what makes a sentence a question, a condition, hearsay, doubt or play; ``request``, work on the text
    that follows; ``idle``, values that tell nothing of anybody; and ``passing``, what makes a deed one of the moment.
    """
    rows = listed("statements").values()
    return tuple(_compiled(**{name: written(form) for name, form in row.items()}) for row in rows)


def _compiled(own: str, joint: str, **forms: str) -> Mapping[str, re.Pattern[str]]:
    forms["begins"] = rf"(?:^|[,;،，、]\s*|(?<!\w){joint}\s*)(?:{joint}\s*)?(?={own})"
    return {name: re.compile(form, re.IGNORECASE) for name, form in forms.items()}


def statements(sentence: str) -> Iterator[Observation]:
    """Yield what a sentence in another language than English says of the speaker: its words as said, with their claim.

    >>> [(seen.content, seen.attribute, seen.value) for seen in statements("Ich wohne in Berlin.")]
    [('Ich wohne in Berlin', 'home', 'Berlin')]
    >>> list(statements("Wohne ich in Berlin?")), list(statements("Wenn ich in Berlin wohne, lache ich."))
    ([], [])
    """
    spoken = _spoken(sentence)
    pieces = max((form["begins"].split(sentence)[1:] for form in spoken), key=len, default=[])
    for piece in pieces:
        claim = read(piece.strip(_CLOSING), USER)
        if claim is not None and claim.attribute not in _UNSURE and claim.subject.endswith(USER):
            said_little = any(form["idle"].search(claim.value) for form in spoken)
            of_the_moment = claim.attribute in _DEEDS and any(form["passing"].search(piece) for form in spoken)
            if not said_little and not of_the_moment:
                yield _observed(piece.strip(_CLOSING), claim)


def asks_for_work(sentence: str) -> bool:
    """Return whether ``sentence`` asks to translate or to rewrite what follows it, which is then nobody's statement.

    >>> asks_for_work("Übersetze ins Englische:"), asks_for_work("Ich übersetze Romane.")
    (True, False)
    """
    return any(form["request"].match(sentence) for form in _forms())


def _spoken(sentence: str) -> list[Mapping[str, re.Pattern[str]]]:
    """Return the forms of the languages in which ``sentence`` may be an own statement, none where it is none."""
    if HIDDEN in sentence or len(sentence) > MAX_CLAUSE or any(mark in sentence for mark in _QUESTION):
        return []
    spoken = [] if _is_english(sentence) else [form for form in _forms() if form["begins"].search(sentence)]
    return [] if any(form["refused"].search(sentence) for form in spoken) else spoken


def _is_english(sentence: str) -> bool:
    said = words(sentence)
    known = sum(word in STOP_WORDS["english"] for word in said)
    return known >= _ENGLISH_WORDS and guess_language(said) == "english"


def _observed(piece: str, claim: Claim) -> Observation:
    attribute = ATTRIBUTES[claim.attribute]
    category = attribute.category if claim.subject == USER else "relationship"
    worth = {"importance": attribute.importance, "durability": attribute.durability, "category": category}
    content = piece[:1].upper() + piece[1:]
    return Observation.model_validate({"content": content, **worth, **fields(claim, USER)})
