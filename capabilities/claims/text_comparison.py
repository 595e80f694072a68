"""Comparing two texts of which no attribute was read: the part of the judge that goes by words."""

from collections import Counter
from collections.abc import Sequence

from fabric.text.language import STOP_WORDS, guess_language, language_of, stem
from fabric.text.words import words

from .attributes import OTHER, grammar, words_of
from .record import Claim, Verdict
from .values.same_value import (
    CLAUSE_SIGNS,
    denials,
    distinctive,
    holds_all,
    is_number,
    is_symbol,
    is_when,
    stems,
    tokens,
)

ALIKE = 0.6
"""From this share of common words on, two texts that are about one thing differ by the words that are left."""
SHORTEST_WITH_OPPOSITE = 4
SURE_WORDS = 2
"""Of how many words that only build sentences a text has at least whose language is sure."""
PARAPHRASED = 4
"""Of how many words two texts are at least that may say one thing with hardly a word in common."""

_UNTOLD = frozenset({"1"})
"""The number that may be a pronoun: "one more"."""


def compare_texts(known: Claim, new: Claim, *, alike: bool = False) -> Verdict:
    """Compare two texts of which no attribute was read, or which count the same."""
    one, other = _told(known), _told(new)
    a, b = tokens(one), tokens(other)
    if (known.polarity == "holds") != (new.polarity == "holds"):
        if not a or (a != b and (not _core(one) or _core(one) != _core(other) or _symbols(a) != _symbols(b))):
            return "unrelated"
        return "ends" if new.polarity != "holds" else "replaces"
    if a == b:
        return "same"
    shorter, longer = sorted((one, other), key=lambda text: len(tokens(text)))
    if _only_adds(shorter, longer):
        return "refines"
    return _likened(a, b, one, other) if alike else "unrelated"


def _told(claim: Claim) -> str:
    return claim.value if claim.attribute == OTHER else claim.text


def _only_adds(shorter: str, longer: str) -> bool:
    """Return whether the longer text holds all of the shorter, and adds no sign and nothing that may deny it."""
    less, more = tokens(shorter), tokens(longer)
    if len(less) < 2 or not holds_all(more, less):
        return False
    said = words(longer[:200])
    language = guess_language(said)
    known = denials(language)
    listed = STOP_WORDS.get(language, frozenset()) | (words_of("verbs") if language == "english" else frozenset[str]())
    if known is None or (listed.isdisjoint(words(shorter[:200])) and len(listed.intersection(said)) < SURE_WORDS):
        return False
    added = (Counter(more) - Counter(less)).keys()
    return (
        all(token in CLAUSE_SIGNS for token in added if is_symbol(token))
        and words_of("denials").isdisjoint(added)
        and known.isdisjoint(added)
    )


def _likened(a: tuple[str, ...], b: tuple[str, ...], one: str, other: str) -> Verdict:
    """Compare two texts that are known to be about one thing.

    Where most words are shared, a word that stands on each side alone is the difference; where few are, both may say
    one thing in other words, unless they name different things or are too short to tell.
    """
    has_signs = bool(_symbols(a) or _symbols(b))
    first, second = (list(a), list(b)) if has_signs else (_weighed(a), _weighed(b))
    only, lacking = set(first) - set(second), set(second) - set(first)
    shared = len(set(first) & set(second)) >= ALIKE * min(len(set(first)), len(set(second)))
    if _opposed(set(a) - set(b), set(b) - set(a)):
        return "replaces" if shared else "unrelated"
    if _symbols(a) != _symbols(b) or _numbers(a) != _numbers(b) or _order(first, second) != _order(second, first):
        return "unrelated"
    ours, theirs = distinctive(one), distinctive(other)
    if not words_of("denials").isdisjoint(only | lacking) or (ours - theirs and theirs - ours):
        return "unrelated"
    if only and lacking:
        return "unrelated" if shared or min(len(first), len(second)) < PARAPHRASED else "same"
    return "refines" if only or lacking else "same"


def _weighed(found: tuple[str, ...]) -> list[str]:
    """Return the tokens that make a difference, English ones by their stems: not "a", "is" or "really"."""
    return [
        stem(token, "english") if token.isascii() else token for token in found if token not in words_of("weightless")
    ]


def _order(a: Sequence[str], b: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(token for token in a if token in b))


def _opposed(ours: set[str], theirs: set[str]) -> bool:
    """Return whether a word of the one stands in the other as its opposite: safe and unsafe, enable and disable."""
    return any(
        f"{before}{word}" == opposite or (word[:2] == "en" and f"dis{word[2:]}" == opposite)
        for one, other in ((ours, theirs), (theirs, ours))
        for word in one
        if len(word) >= SHORTEST_WITH_OPPOSITE
        for opposite in other
        for before in ("un", "in", "im", "ir", "il", "dis", "non")
    )


def _core(text: str) -> list[str]:
    """Return the stems of what a sentence says, without small words and those that only say "now"."""
    known = grammar(language_of(text[:200]))
    return [stem for stem in stems(known.filler.sub(" ", text)) if stem not in words_of("light")]


def _symbols(found: tuple[str, ...]) -> list[str]:
    return [token for token in found if is_symbol(token)]


def _numbers(found: tuple[str, ...]) -> list[str]:
    return [token for token in found if (is_number(token) and token not in _UNTOLD) or is_when(token)]
