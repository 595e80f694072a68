"""Shapes: secrets by where they stand, as in a command, a header, a file of logins or an address."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from .finding import Finding
from .signs import data
from .value import is_chosen, is_placeholder, is_random

_NO_LOGIN = re.compile(r"(?:password|passwd|pass|secret|pw|pwd|token|senha|passwort)", re.IGNORECASE)
LEAST_RANDOM = 8
_FLAGS = {"": re.MULTILINE, "i": re.MULTILINE | re.IGNORECASE, "s": re.MULTILINE | re.DOTALL}

JUDGES: Mapping[str, Callable[[str], bool]] = {
    "any": lambda value: True,  # noqa: ARG005  where such a thing stands there, it is one
    "login": lambda value: _NO_LOGIN.fullmatch(value) is None,
    "chosen": is_chosen,
    "random": lambda value: is_random(value, LEAST_RANDOM) or (value.isdigit() and len(value) >= LEAST_RANDOM),
}


@dataclass(frozen=True, slots=True)
class _Shape:
    kind: str
    signs: frozenset[str]
    form: str
    flags: int
    judge: Callable[[str], bool]


@cache
def _compiled(form: str, flags: int) -> "re.Pattern[str]":
    """Return a form as a pattern, made when its signs are first met."""
    return re.compile(form, flags)


@cache
def _shapes() -> list[_Shape]:
    return [
        _Shape(
            row["kind"],
            frozenset(row["signs"]),
            row["form"],
            _FLAGS[row.get("flags", "")],
            JUDGES[row["value"]],
        )
        for row in data("shapes.json")["shapes"]
    ]


def signs() -> frozenset[str]:
    """Return the signs of all shapes, in lower case: a text without any of them has none."""
    return frozenset(sign for shape in _shapes() for sign in shape.signs)


def shaped(text: str, signs: Collection[str]) -> Iterator[Finding]:
    """Yield the secrets of a text that stand where such things stand, for the signs that are in it."""
    for shape in _shapes():
        if not shape.signs.isdisjoint(signs):
            for found in _compiled(shape.form, shape.flags).finditer(text):
                start, end = found.span("secret")
                end -= len(found["secret"]) - len(found["secret"].rstrip())
                if shape.judge(text[start:end]) and not is_placeholder(text[start:end]):
                    yield Finding(start, end, shape.kind)
