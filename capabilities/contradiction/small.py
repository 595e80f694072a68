"""Small things in which two texts of the same words say different things: prepositions, single letters, addresses."""

from collections.abc import Sequence

import regex

from fabric.text import FUNCTION_WORDS, word_set, words

from .owners import NO_OWNERS, USER, own

_LETTER = regex.compile(r"(?<![\p{L}\p{N}.'’-])(?!I\b)\p{Lu}(?![\p{L}\p{N}.'’-])")
_ADDRESS = regex.compile(r"[^\s,;<>()]+@[^\s,;<>()]*[\p{L}\p{N}]")
_TELLING = word_set("with from without near against before after as")
"""Prepositions of which another one makes another claim: who works with Tom does not work for Tom."""
_PREPOSITIONS = _TELLING | word_set("to for in at on by of into under over behind beside between")
_NOBODY = (NO_OWNERS | FUNCTION_WORDS) - word_set(
    "everyone everybody someone somebody anyone anybody nobody he she they you it everything something nothing one"
)
"""Words in front of a verb that tell how or when, and not who."""
_SAID_PLAINLY = regex.compile(r"(?:is|are)\s", regex.IGNORECASE)
_SAID_OF_THING = regex.compile(r"(?!(?:is|are)\s)(?:[\p{L}'’-]+\s){1,3}(?:is|are)\s", regex.IGNORECASE)


def says_otherwise(a: str, b: str, subject: str = USER) -> bool:
    """Return whether two texts about ``subject`` differ in a letter, an address, a preposition, or in what is so.

    >>> says_otherwise("Is in group A", "Is in group B"), says_otherwise("Moved to Oslo", "Moved from Oslo")
    (True, True)
    >>> says_otherwise("Is German", "Preferred language is German"), says_otherwise("Works at Acme", "Works for Acme")
    (True, False)
    """
    return (
        _differ(_letters(a, b), _letters(b, a))
        or _differ(_ADDRESS.findall(a.lower()), _ADDRESS.findall(b.lower()))
        or _turns_round(a, b)
        or _is_of_thing(own(a, subject), own(b, subject))
        or _is_of_another(words(own(a, subject)), words(own(b, subject)))
    )


def _turns_round(a: str, b: str) -> bool:
    """Return whether two texts of the same words have other prepositions: "works with Tom", "works for Tom"."""
    first, second = words(a), words(b)
    small = FUNCTION_WORDS | _PREPOSITIONS
    return set(first) - small == set(second) - small and turned(a, b)


def turned(a: str, b: str) -> bool:
    """Return whether two texts have each a preposition that the other lacks, and one that changes what is meant."""
    said, other = _PREPOSITIONS.intersection(words(a)), _PREPOSITIONS.intersection(words(b))
    return bool(said - other) and bool(other - said) and not _TELLING.isdisjoint(said ^ other)


def _letters(text: str, other: str) -> list[str]:
    """Return the capital letters that stand alone; "A" in front is one only where the other text has one there too."""
    found = _LETTER.findall(text)
    opens = text[:2] == "A " and _LETTER.match(other) is None
    return found[1:] if opens else found


def _differ(a: Sequence[str], b: Sequence[str]) -> bool:
    return bool(set(a) - set(b)) and bool(set(b) - set(a))


def _is_of_another(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether one has somebody in front of the verb that the other begins with: "snores", "husband snores"."""
    return _has_in_front(a, b) or _has_in_front(b, a)


def _has_in_front(short: Sequence[str], full: Sequence[str]) -> bool:
    begins = list(short[:2])
    if not begins or not begins[0].endswith(("s", "ed")):
        return False
    at = next((at for at in range(1, len(full)) if list(full[at : at + len(begins)]) == begins), 0)
    return any(word not in _NOBODY for word in full[:at])


def _is_of_thing(a: str, b: str) -> bool:
    """Return whether one says of a thing what the other says of its owner: "car is red", "is red"."""
    pairs = ((a, b), (b, a))
    return any(_SAID_PLAINLY.match(one) is not None and _SAID_OF_THING.match(other) is not None for one, other in pairs)
