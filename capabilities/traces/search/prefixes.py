"""Which terms of an index begin with what: its words in order, brought up to date when they are asked for."""

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from ..words import NEXT, SPELLED, TAGGED, WORD

if TYPE_CHECKING:
    from fabric.search.base import PostingsView, SearchView

_SOUGHT = (WORD, SPELLED, TAGGED)
_LAST = "\U0010ffff"
_FEW = 500
"""Up to so many new terms are put in their places one by one; more are sorted in."""


def beginning(index: "SearchView", prefix: str) -> list[str]:
    """Return the terms of the index that begin with ``prefix``, pairs of neighbours and first words left out."""
    return index.derived(_Words).beginning(index.postings, prefix)


class _Words:
    """The sorted words of one index; terms are never taken out of an index, so only new ones are looked at."""

    def __init__(self) -> None:
        self._seen = 0
        self._sorted: list[str] = []

    def beginning(self, postings: "PostingsView", prefix: str) -> list[str]:
        terms = [term for term in postings.terms_from(self._seen) if NEXT not in term]
        new = [term.removeprefix(WORD) for term in terms if term[0] in _SOUGHT]
        self._seen = len(postings.terms)
        if len(new) > _FEW:
            self._sorted.extend(new)
            self._sorted.sort()
        else:
            for term in new:
                insort(self._sorted, term)
        return self._sorted[bisect_left(self._sorted, prefix) : bisect_left(self._sorted, prefix + _LAST)]
