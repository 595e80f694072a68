"""What is due when: whether a value says when, and one wording for what is due."""

from collections.abc import Iterable

from fabric.text.language import STOP_WORDS

from ..attributes import form, words_of
from .same_value import day_names, is_when, tokens


def is_dated(value: str, language: str) -> bool:
    """Return whether a value says when: a date, a day, a time."""
    named = day_names() | words_of("days") if language != "english" else frozenset[str]()
    return any(is_when(token) or token in named for token in tokens(value)) or form("time").search(value) is not None


def thing_due(of: str, language: str) -> str:
    """Return what is due in one wording: "cita con el fisio" and "cita del fisio" are one, as is a German compound.

    >>> thing_due("zahnarzttermin", "german") == thing_due("termin beim zahnarzt", "german")
    True
    """
    if language in ("chinese", "japanese") or language == "english":
        return of
    parts = words_of("parts")
    said = [piece for word in of.split() for piece in _parted(word, parts)]
    small = words_of("between") | STOP_WORDS.get(language, frozenset())
    told = [word for word in said if word not in small]
    return " ".join(sorted(told) if told else said)


def _parted(word: str, parts: Iterable[str]) -> tuple[str, ...]:
    end = next((part for part in parts if word.endswith(part) and len(word) > len(part) + 2), "")
    return (word.removesuffix(end), end) if end else (word,)
