"""Which rows hold which terms how often: sorted lists per term, cheap to read as arrays and to add to."""

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .coding import Coded, Numbers, joined_tokens, token_counts
from .growing import read_only
from .posting_lists import Counts, Positions, PostingLists

SPELLED = "\t"
"""What stands in a token between its term and its spelling."""
MOST = 65_535
"""How often a term is counted in one row at most."""


class Postings(PostingLists):
    """The terms of numbered rows (positions). A token is a term, or a term, a tab and how it was spelled."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = self._token_numbers = Numbers()
        self.terms = self._term_numbers = Numbers()

    def fill(self, some: Iterable[Sequence[str] | Coded]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Take in the rows of an empty index, some after others, each some as coded tokens or as texts.

        A text is the tokens of a row, separated by spaces. Returns the number of tokens and of different terms per row.
        """
        lengths: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
        pieces: list[_Piece] = []
        first = 0
        for rows in some:
            sizes, tokens = (rows.sizes, self._known(rows)) if isinstance(rows, Coded) else self._split(rows)
            self._register()
            self._token_counts.edit()[:] += np.bincount(tokens, minlength=len(self.tokens)).astype(np.int32)
            positions = np.repeat(np.arange(first, first + len(sizes), dtype=np.int32), sizes)
            pieces.append(_sorted(self.token_terms[tokens], positions))
            lengths.append(sizes)
            first += len(sizes)
        self._join(pieces)
        return np.concatenate(lengths), np.bincount(self._positions, minlength=first).astype(np.int32)

    def add(self, position: int, tokens: Sequence[str]) -> int:
        """Take in one row behind all others; return how many different terms it has."""
        counts: dict[int, int] = {}
        numbers = [self.tokens[token] for token in tokens]
        self._register()
        terms, held, frequencies = self.token_terms, self._token_counts.edit(), self._frequencies.edit()
        for number in numbers:
            held[number] += 1
            term = int(terms[number])
            counts[term] = counts.get(term, 0) + 1
        for term, count in counts.items():
            frequencies[term] += 1
            added = self._added.get(term)
            if added is None:
                self._added[term] = added = (array("i"), array("H"))
            added[0].append(position)
            added[1].append(min(count, MOST))
        return len(counts)

    def remove(self, tokens: Sequence[str]) -> None:
        """Take the tokens of a row that is gone out of the counts; its position stays in the lists, to be ignored."""
        numbers = [self.tokens[token] for token in tokens]
        self._register()
        np.subtract.at(self._token_counts.edit(), numbers, 1)
        terms = np.unique(self.token_terms[numbers])
        self._frequencies.edit()[terms] -= 1

    def _register(self) -> None:
        """Give the terms of new tokens their numbers."""
        new = len(self.tokens) - len(self._token_terms)
        if new:
            fresh = _last(self._token_numbers, new)
            self._token_terms.extend([self.terms[token.partition(SPELLED)[0]] for token in fresh])
            self._token_counts.extend(np.zeros(new, np.int32))
            terms = len(self.terms) - len(self._frequencies)
            self._frequencies.extend(np.zeros(terms, np.int32))
            self._names += _last(self._term_numbers, terms)

    def _known(self, some: Coded) -> NDArray[np.int32]:
        """Return the numbers that the tokens of some rows have here."""
        different = some.different
        return np.fromiter(map(self.tokens.__getitem__, different), np.int32, len(different))[some.numbers]

    def _split(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return how many tokens each text has, and their numbers."""
        tokens = joined_tokens(texts)
        return token_counts(texts), np.fromiter(map(self.tokens.__getitem__, tokens), np.int32, len(tokens))

    def _join(self, pieces: Sequence["_Piece"]) -> None:
        """Make the lists of all pieces, whose rows follow one another."""
        count = len(self.terms)
        frequencies = np.zeros(count, np.int64)
        for piece in pieces:
            frequencies += np.bincount(piece.terms, minlength=count)
        self._frequencies.edit()[:] = frequencies
        self._starts = np.concatenate([[0], np.cumsum(frequencies)])
        self._positions = np.empty(self._starts[-1], np.int32)
        self._counts = np.empty(self._starts[-1], np.uint16)
        ends = self._starts[:-1].copy()  # of what is there of each list by now
        for piece in pieces:
            own = np.bincount(piece.terms, minlength=count)
            begins = np.cumsum(own) - own
            places = (ends - begins)[piece.terms] + np.arange(len(piece.terms))
            self._positions[places] = piece.positions
            self._counts[places] = piece.counts
            ends += own
        read_only(self._positions)
        read_only(self._counts)


class _Piece(NamedTuple):
    """The postings of some rows, by ascending terms, those of one term by ascending positions."""

    terms: NDArray[np.int32]
    positions: Positions
    counts: Counts


def _sorted(terms: NDArray[np.int32], positions: Positions) -> _Piece:
    """Return the postings of tokens with these terms in these positions, which ascend."""
    # Stable sorts of 16 bits count instead of comparing: twice as fast as one sort of all the bits.
    order = np.argsort(terms.astype(np.uint16), kind="stable")
    if len(terms) and terms.max() > 0xFFFF:
        order = order[np.argsort((terms[order] >> 16).astype(np.uint16), kind="stable")]
    terms, positions = terms[order], positions[order]
    first = np.ones(len(terms), np.bool_)
    first[1:] = (terms[1:] != terms[:-1]) | (positions[1:] != positions[:-1])
    begins = np.flatnonzero(first)
    counts = np.minimum(np.diff(begins, append=len(terms)), MOST).astype(np.uint16)
    return _Piece(terms[begins], positions[begins], counts)


def _last(numbers: dict[str, int], count: int) -> list[str]:
    newest = reversed(numbers)
    return [next(newest) for _ in range(count)][::-1]
