"""Slices: long work in pieces, between which other threads go on."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import regex

S = TypeVar("S", bound=Sequence[Any])

SLICE = 8_192
"""How many characters, or elements, are worked on at once: a few milliseconds."""
PAUSE = 0.001
"""Seconds between two slices. A pause of nothing would not do: whoever waits for the interpreter gets it too late."""
_GAP = regex.compile(r"[\s。！？、，；：]")
"""A character that no word has in it."""


def slices(work: S) -> Iterator[S]:
    """Yield the work in order, in pieces of about `SLICE`, pausing between them; a text is cut between words only.

    >>> list(slices("two words"))
    ['two words']
    """
    begin = 0
    while len(work) - begin > SLICE:
        end = _end(work, begin + SLICE)
        yield work[begin:end]  # type: ignore[misc]  # a slice is of the same type
        begin = end
        time.sleep(PAUSE)
    yield work[begin:]  # type: ignore[misc]


def _end(work: Sequence[Any], wanted: int) -> int:
    """Return where a slice ends: at the next gap between words, or at the end where there is none."""
    if not isinstance(work, str):
        return wanted
    gap = _GAP.search(work, wanted)
    return len(work) if gap is None else gap.end()
