"""Slices: long work in pieces, between which other threads go on."""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import regex

S = TypeVar("S", bound=Sequence[Any])
T = TypeVar("T")

SLICE = 2_048
"""How many characters, or elements, are worked on at once: a millisecond or two."""
WORK = 0.002
"""Seconds of work after which there is a pause, when the piece at hand is done."""
PAUSE = 0.001
"""Seconds of a pause. One of nothing would not do: whoever waits for the interpreter gets it too late."""
LONGEST_WORD = 8_192
"""How far a gap is looked for: what is longer without one is no word, and is cut anywhere."""
_GAP = regex.compile(r"[\s。！？、，；：]")
"""A character that no word has in it."""


def slices(work: S) -> Iterator[S]:
    """Yield the work in order, in pieces of about `SLICE`, with pauses; a text is cut between words only.

    >>> list(slices("two words"))
    ['two words']
    """
    return paced(_pieces(work))


def paced(pieces: Iterable[T]) -> Iterator[T]:
    """Yield pieces of work, with a pause in front of the next one whenever `WORK` went by since the last pause.

    >>> list(paced(range(3)))
    [0, 1, 2]
    """
    since = time.perf_counter()
    for piece in pieces:
        if time.perf_counter() - since > WORK:
            time.sleep(PAUSE)
            since = time.perf_counter()
        yield piece


def gap_after(text: str, wanted: int) -> int:
    """Return where a text can be cut from ``wanted`` on: behind the next gap between words, or there if there is none.

    >>> gap_after("two words", 1), gap_after("two words", 5)
    (4, 9)
    """
    gap = _GAP.search(text, wanted, wanted + LONGEST_WORD)
    if gap is not None:
        return gap.end()
    return min(len(text), wanted + LONGEST_WORD)


def _pieces(work: S) -> Iterator[S]:
    begin = 0
    while len(work) - begin > SLICE:
        end = gap_after(work, begin + SLICE) if isinstance(work, str) else begin + SLICE
        yield work[begin:end]  # type: ignore[misc]  # a slice is of the same type
        begin = end
    yield work[begin:]  # type: ignore[misc]


def chunks(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the values in lists of at most ``size``."""
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk
