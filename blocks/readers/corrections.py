"""Taking back what a speaker corrects right behind it: what was not meant must not become a fact."""

import re
from collections.abc import Iterable
from functools import cache

from .clauses import takes_back
from .patterns import Patterns, listed, written
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
            correction = _correction(rest)
            begin = correction.end() if correction else 0
            inner = _FORM["within"].search(rest, begin)
            text = rest[begin : inner.start() if inner else None]
            if correction and kept:
                kept[-1] = _put_right(kept[-1], text) or text or HIDDEN
            else:
                kept.append(rest[: inner.start() if inner else None])
            rest = rest[inner.end() :] if inner else ""
    return kept


def corrects(text: str) -> bool:
    """Return whether a message opens by taking back what was said before it, beyond a mere "no" to a question.

    >>> corrects("Sorry, I meant Milan."), corrects("War nur ein Scherz!"), corrects("No, Milan.")
    (True, True, False)
    """
    correction = _correction(text.strip())
    if correction is None:
        return takes_back(text)
    return _FORM["bare"].fullmatch(correction[0]) is None or correction[0].startswith("*")


def behind_correction(text: str) -> str:
    """Return what a message says behind the words by which it takes back what was said before it, "" for nothing.

    >>> behind_correction("Just kidding, I don't have a dog."), behind_correction("War nur Spaß!")
    ("I don't have a dog.", '')
    """
    correction = _correction(text.strip())
    return text.strip()[correction.end() :] if correction else ""


def _correction(text: str) -> re.Match[str] | None:
    """Return what takes back the sentence before ``text`` where it opens so, in any language that has words for it."""
    found = (form.match(text) for form in (_FORM["correction"], *_foreign()))
    return next(filter(None, found), None)


@cache
def _foreign() -> tuple[re.Pattern[str], ...]:
    rows = (row["taken_back"] for row in listed("statements").values() if "taken_back" in row)
    return tuple(re.compile(written(form), re.IGNORECASE) for form in rows)


def _put_right(text: str, meant: str) -> str:
    """Return what was said with its last word as it was meant, "" when that is not sure."""
    word, last = _FORM["besides"].sub("", meant.strip(" .!()…")), _FORM["last"].match(text)
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
