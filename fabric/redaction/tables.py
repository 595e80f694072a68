"""Tables: values in a column whose heading is a word for a secret, in Markdown, CSV or lines with tabs."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from .finding import Finding
from .json_form import named_secret
from .labels import stems
from .signs import lowered, pattern_of
from .value import is_placeholder

MOST_ROWS = 1_000
"""How many rows below a heading are looked at."""
MOST_WORDS = 3
"""How many words a heading has at most: more are a sentence with commas."""
LONGEST = 500
"""How many characters a line of headings has at most."""
_CELLS = {sign: re.compile(rf"[^{re.escape(sign)}]*") for sign in "|\t,;"}
_RULE = re.compile(r"[\s|:+-]*")
_DRESS = " \t\r\"'`*_"
_TRIED = ("Xq7Rd2" * 3, "4711")
"""Values that are secrets under every word for one: whether a heading is such a word."""


def tabled(text: str) -> Iterator[Finding]:
    r"""Yield the secrets in columns that are headed by a word for one.

    >>> [str(one) for one in tabled("site | password\n-----|-----\nbank | hunter2x")]
    ['password at 35-43']
    """
    lines = text.split("\n")
    start, heading, sign = 0, [""], ""
    rows = 0
    for number, line in enumerate(lines):
        if sign and line.count(sign) == len(heading) - 1 and rows < MOST_ROWS:
            rows += 1
            if _RULE.fullmatch(line) is None:
                yield from _in_row(line, start, heading, sign)
        else:
            sign = _sign_of(line) if number + 1 < len(lines) else ""
            heading, rows = [cell.strip(_DRESS) for cell in line.split(sign)] if sign else [], 0
        start += len(line) + 1


def _sign_of(line: str) -> str:
    """Return what parts the cells of a line that may be the heading of a column of secrets, "" where it is none."""
    sign = next((separator for separator in _CELLS if separator in line), "")
    if not sign or len(line) > LONGEST or _stems().search(lowered(line)) is None:
        return ""
    names = (cell.strip(_DRESS) for cell in line.split(sign))
    return sign if any(_is_heading(name) for name in names) else ""


def _is_heading(name: str) -> bool:
    if name.count(" ") >= MOST_WORDS or _stems().search(lowered(name)) is None:
        return False
    return any(named_secret(name, value) for value in _TRIED)


@cache
def _stems() -> "re.Pattern[str]":
    return re.compile(pattern_of(stems()))


def _in_row(row: str, start: int, heading: Sequence[str], sign: str) -> Iterator[Finding]:
    at = 0
    for name in heading:
        cell = _CELLS[sign].match(row, at)
        assert cell is not None  # noqa: S101  nothing is a cell, too
        at = cell.end() + 1
        value = cell[0].strip(_DRESS)
        kind = named_secret(name, value) if value and name.count(" ") < MOST_WORDS else ""
        if kind and not is_placeholder(value):
            begin = start + cell.start() + cell[0].index(value)
            yield Finding(begin, begin + len(value), kind)
