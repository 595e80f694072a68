"""Tokens: secrets by their form alone, or by their form beside the name of their service; also wrapped in base64."""

import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import regex

from .finding import Finding
from .signs import data, pattern_of
from .value import is_placeholder

RUN = re.compile(r"[A-Za-z0-9_\-./+~:%@|=]{16,}+")
"""Where a token can stand: so many characters without a break. Prose has next to none of them."""
LONGEST = 16_384
"""How many characters of a run are looked at: what is longer is an encoded file."""
NEAR = 60
"""How many characters before a token the name of its service may stand."""
_ASSIGNED = r"""[ \t\w.-]{0,20}[\s'"]{0,3}(?::=|=>|=|:|>|,|\|\|)[\x60'"\s=]{0,5}"""
_TAIL = re.compile(r"[A-Za-z0-9_-]*+={0,2}+")

LEAST_WRAPPED = 24
"""How many characters a token has at least in base64: the shortest token has sixteen."""
SEEN_FIRST = 16
"""So many characters are unwrapped first: what is no text there is a picture, a hash, an identifier or a path."""
WIDE = 40
"""From so many characters on, a line of base64 may go on in the next one."""
_PIECE = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{LEAST_WRAPPED},}}={{0,2}}")
_PLAIN = re.compile(rb"[\t\n\r -~]+")
_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    form: str
    by_name: bool
    """Whether the token counts only behind the name of its service."""


class _Rules:
    """All rules, found by the signs that a text must have for them."""

    def __init__(self) -> None:
        by_sign: dict[str, list[int]] = defaultdict(list)
        self.rules: list[_Rule] = []
        self.always: list[int] = []
        for row in [*data("forms.json")["forms"], *data("gitleaks.json")["forms"]]:
            for sign in row["signs"]:
                by_sign[sign].append(len(self.rules))
            if not row["signs"]:
                self.always.append(len(self.rules))
            self.rules.append(_Rule(row["kind"], row["form"], by_name=False))
        for row in data("gitleaks.json")["near"]:
            for name in row["names"].split("|"):
                by_sign[_literal(name)].append(len(self.rules))
            form = rf"(?i:{row['names']}){_ASSIGNED}{row['value']}(?![A-Za-z0-9_-])"
            self.rules.append(_Rule(row["kind"], form, by_name=True))
        self.by_sign = dict(by_sign)
        # Signs may begin at each place: a lookahead finds those that overlap.
        self.signs = re.compile(f"(?=({pattern_of(by_sign)}))")

    def for_signs_in(self, window: str) -> list[_Rule]:
        """Return the rules one of whose signs stands in a text in lower case, in their order."""
        wanted = set(self.always)
        for sign in set(self.signs.findall(window)):
            wanted.update(number for end in range(1, len(sign) + 1) for number in self.by_sign.get(sign[:end], ()))
        return [self.rules[number] for number in sorted(wanted)]


def _literal(name: str) -> str:
    found = re.match(r"[a-z0-9_]+", name)
    assert found is not None  # noqa: S101  the rules are tested
    return found[0]


@cache
def _rules() -> _Rules:
    return _Rules()


@cache
def _compiled(form: str) -> "regex.Pattern[str]":
    """Return a form as a pattern, made when its signs are first met: nobody meets all of them."""
    return regex.compile(form)


def tokens(text: str) -> Iterator[Finding]:
    """Yield the tokens in a text."""
    for run in RUN.finditer(text):
        start, end = run.start(), min(run.end(), run.start() + LONGEST)
        yield from _in_run(text, start, end)
        if end - start >= LEAST_WRAPPED:
            yield from _wrapped(text, start, end)


def _in_plain(text: str) -> Iterator[Finding]:
    """Yield the tokens that stand unwrapped in a text."""
    for run in RUN.finditer(text):
        yield from _in_run(text, run.start(), min(run.end(), run.start() + LONGEST))


def _in_run(text: str, start: int, end: int) -> Iterator[Finding]:
    begin = max(0, start - NEAR)
    for rule in _rules().for_signs_in(text[begin:end].lower()):
        at = begin if rule.by_name else start
        form = _compiled(rule.form)
        while (found := form.search(text, at, end)) is not None:
            from_, to = found.span(1) if form.groups and found.group(1) else found.span()
            at = found.end()
            if rule.by_name and not any(letter.isdigit() for letter in text[from_:to]):
                continue
            at = to = max(to, _end_of(text, to, end))
            if not is_placeholder(text[from_:to]):
                yield Finding(from_, to, rule.kind)


def _end_of(text: str, end: int, run_end: int) -> int:
    """Return where a token ends that goes on behind the form of its rule."""
    tail = _TAIL.match(text, end, run_end)
    return tail.end() if tail is not None and text[end - 1 : end].isalnum() else end


def _wrapped(text: str, start: int, end: int) -> Iterator[Finding]:
    """Yield the pieces of a run of characters that are base64 of a text with a private key or a token.

    A key that is wrapped in several lines of one width is one piece.
    """
    for piece in _PIECE.finditer(text, start, end):
        inside = _unwrapped(piece[0])
        if not inside:
            continue
        if _KEY.search(inside) is not None:
            yield Finding(piece.start(), _end_of_lines(text, piece.start(), piece.end()), "private_key")
        else:
            yield from (Finding(piece.start(), piece.end(), found.kind) for found in list(_in_plain(inside))[:1])


def _unwrapped(piece: str) -> str:
    """Return what a piece says as base64, "" where that is no plain text.

    >>> _unwrapped("aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxk"), _unwrapped("internationalization-of-names")
    ('hello world, hello world', '')
    """
    if not _PLAIN.fullmatch(_decoded(piece[:SEEN_FIRST])):
        return ""
    whole = _decoded(piece.rstrip("="))
    return whole.decode("ascii") if _PLAIN.fullmatch(whole) else ""


def _decoded(piece: str) -> bytes:
    decode = urlsafe_b64decode if "-" in piece or "_" in piece else b64decode
    try:
        return decode(piece[: len(piece) - (len(piece) % 4 == 1)] + "=" * (-len(piece) % 4))
    except Error:
        return b""


def _end_of_lines(text: str, start: int, end: int) -> int:
    """Return where the lines of one width end, of which a piece is the first."""
    width = end - start
    if width < WIDE or text[end - 1] == "=":
        return end
    lines = (
        rf"(?:\r?\n[ \t]*[A-Za-z0-9+/]{{{width}}}(?=\s))*(?:\r?\n[ \t]*[A-Za-z0-9+/]{{1,{width}}}={{0,2}}(?![^\s\"']))?"
    )
    more = re.compile(lines).match(text, end)
    return more.end() if more is not None else end
