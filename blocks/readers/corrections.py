"""Taking back what a speaker corrects right behind it: what was not meant must not become a fact."""

import re
from collections.abc import Iterable

from .clauses import takes_back
from .patterns import Patterns
from .sentences import HIDDEN

_FORM = Patterns("corrections")


def drop_corrected(sentences: Iterable[str]) -> list[str]:
    """Return what the speaker stands by: without each statement that is corrected or denied right behind it.

    One word that takes the place of the last one, of its kind, is put there; otherwise the statement is held back.

    >>> drop_corrected(["I'm allergic to peanuts.", "Sorry, I meant walnuts."])
    ["I'm allergic to walnuts"]
    >>> drop_corrected(["I'm a nurse.", "I like tea, no wait, I like coffee."])
    ["I'm a nurse.", 'I like coffee.']
    """
    kept: list[str] = []
    for sentence in sentences:
        if kept and takes_back(sentence):
            kept[-1] = HIDDEN
            continue
        rest: str = sentence
        while rest:
            correction = _FORM["correction"].match(rest)
            begin = correction.end() if correction else 0
            inner = _FORM["within"].search(rest, begin)
            said = rest[begin : inner.start() if inner else None]
            if correction and kept:
                kept[-1] = _put_right(kept[-1], said) or said or HIDDEN
            else:
                kept.append(rest[: inner.start() if inner else None])
            rest = rest[inner.end() :] if inner else ""
    return kept


def _put_right(said: str, meant: str) -> str:
    """Return what was said with its last word as it was meant, "" when that is not sure."""
    word, last = meant.strip(" .!()…"), _FORM["last"].match(said)
    if last is None or not re.fullmatch(r"[\w'-]+", word) or _kind(word) != _kind(last["x"]) or not _kind(word):
        return ""
    return "" if len(_FORM["named"].findall(last["head"][1:])) else f"{last['head']}{word}"


def _kind(word: str) -> str:
    """Return what sort of word it is, "" for one that may be anything."""
    if word.isdigit():
        return "number"
    if word[:1].isupper():
        return "name"
    return "things" if word.islower() and re.search(r"[^su]s$", word) else ""
