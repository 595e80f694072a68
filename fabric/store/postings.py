"""Which rows hold which terms how often: sorted lists per term, cheap to read as arrays and to add to."""

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .coding import Coded, Numbers, joined_tokens, token_counts
from .growing import Growing

SPELLED = "\t"
"""What stands in a token between its term and its spelling."""
MOST = 65_535
"""How often a term is counted in one row at most."""
Slots = NDArray[np.int32]
Counts = NDArray[np.uint16]
NO_POSTINGS: tuple[Slots, Counts] = (np.zeros(0, np.int32), np.zeros(0, np.uint16))


class Postings:
    """The terms of numbered rows (slots). A token is a term, or a term, a tab and how it was spelled in the text."""

    def __init__(self) -> None:
        self.tokens = Numbers()
        self.terms = Numbers()
        self._names: list[str] = []
        self.token_terms = Growing[np.int32](np.int32)
        self.token_counts = Growing[np.int32](np.int32)
        """How often each token stands in the rows there are."""
        self.frequencies = Growing[np.int32](np.int32)
        """In how many of the rows there are each term stands."""
        self._starts = np.zeros(1, np.int64)
        self._slots = NO_POSTINGS[0]
        self._counts = NO_POSTINGS[1]
        self._added: dict[int, tuple[array[int], array[int]]] = {}

    def fill(self, some: Iterable[Sequence[str] | Coded]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Take in the rows of an empty index, some after others, each some as coded tokens or as texts.

        A text is the tokens of a row, separated by spaces. Returns the number of tokens and of different terms per row.
        """
        lengths: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
        pieces: list[_Piece] = []
        first = 0
        for one in some:
            sizes, tokens = (one.sizes, self._known(one)) if isinstance(one, Coded) else self._split(one)
            self._register()
            self.token_counts.view[:] += np.bincount(tokens, minlength=len(self.tokens)).astype(np.int32)
            slots = np.repeat(np.arange(first, first + len(sizes), dtype=np.int32), sizes)
            pieces.append(_sorted(self.token_terms.view[tokens], slots))
            lengths.append(sizes)
            first += len(sizes)
        self._join(pieces)
        return np.concatenate(lengths), np.bincount(self._slots, minlength=first).astype(np.int32)

    def add(self, slot: int, tokens: Sequence[str]) -> int:
        """Take in one row behind all others; return how many different terms it has."""
        counts: dict[int, int] = {}
        numbers = [self.tokens[token] for token in tokens]
        self._register()
        terms, held = self.token_terms.view, self.token_counts.view
        for number in numbers:
            held[number] += 1
            term = int(terms[number])
            counts[term] = counts.get(term, 0) + 1
        for term, count in counts.items():
            self.frequencies.view[term] += 1
            added = self._added.get(term)
            if added is None:
                self._added[term] = added = (array("i"), array("H"))
            added[0].append(slot)
            added[1].append(min(count, MOST))
        return len(counts)

    def remove(self, tokens: Sequence[str]) -> None:
        """Take the tokens of a row that is gone out of the counts; its slot stays in the lists and must be ignored."""
        numbers = [self.tokens[token] for token in tokens]
        self._register()
        np.subtract.at(self.token_counts.view, numbers, 1)
        terms = np.unique(self.token_terms.view[numbers])
        self.frequencies.view[terms] -= 1

    def of(self, term: int) -> tuple[Slots, Counts]:
        """Return the slots that hold the term, ascending, and how often; slots of removed rows among them."""
        held = NO_POSTINGS
        if term + 1 < len(self._starts):
            start, end = self._starts[term], self._starts[term + 1]
            held = self._slots[start:end], self._counts[start:end]
        added = self._added.get(term)
        if added is None:
            return held
        slots, counts = np.array(added[0], np.int32), np.array(added[1], np.uint16)
        return np.concatenate([held[0], slots]), np.concatenate([held[1], counts])

    def lists(self, terms: Sequence[int]) -> list[tuple[int, Slots, Counts]]:
        """Return what `of` does for many terms, each list with the place of its term; a term may have two lists."""
        numbers = np.asarray(terms, np.int64)
        last = len(self._starts) - 1  # terms that came later have no list here, only added rows
        starts = self._starts[np.minimum(numbers, last)].tolist()
        ends = self._starts[np.minimum(numbers + 1, last)].tolist()
        found = [
            (place, self._slots[start:end], self._counts[start:end])
            for place, (start, end) in enumerate(zip(starts, ends, strict=True))
        ]
        for place, term in enumerate(terms):
            if term in self._added:
                slots, counts = self._added[term]
                found.append((place, np.array(slots, np.int32), np.array(counts, np.uint16)))
        return found

    def name(self, term: int) -> str:
        """Return the term of a number."""
        missing = len(self.terms) - len(self._names)
        if missing:
            self._names += _last(self.terms, missing)
        return self._names[term]

    def _register(self) -> None:
        """Give the terms of new tokens their numbers."""
        new = len(self.tokens) - len(self.token_terms)
        if new:
            fresh = _last(self.tokens, new)
            self.token_terms.extend([self.terms[token.partition(SPELLED)[0]] for token in fresh])
            self.token_counts.extend(np.zeros(new, np.int32))
            self.frequencies.extend(np.zeros(len(self.terms) - len(self.frequencies), np.int32))

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
        self.frequencies.view[:] = frequencies
        self._starts = np.concatenate([[0], np.cumsum(frequencies)])
        self._slots = np.empty(self._starts[-1], np.int32)
        self._counts = np.empty(self._starts[-1], np.uint16)
        ends = self._starts[:-1].copy()  # of what is there of each list by now
        for piece in pieces:
            own = np.bincount(piece.terms, minlength=count)
            begins = np.cumsum(own) - own
            places = (ends - begins)[piece.terms] + np.arange(len(piece.terms))
            self._slots[places] = piece.slots
            self._counts[places] = piece.counts
            ends += own


class _Piece(NamedTuple):
    """The postings of some rows, by ascending terms, those of one term by ascending slots."""

    terms: NDArray[np.int32]
    slots: Slots
    counts: Counts


def _sorted(terms: NDArray[np.int32], slots: Slots) -> _Piece:
    """Return the postings of tokens with these terms in these slots, which ascend."""
    # Stable sorts of 16 bits count instead of comparing: twice as fast as one sort of all the bits.
    order = np.argsort(terms.astype(np.uint16), kind="stable")
    if len(terms) and terms.max() > 0xFFFF:
        order = order[np.argsort((terms[order] >> 16).astype(np.uint16), kind="stable")]
    terms, slots = terms[order], slots[order]
    first = np.ones(len(terms), np.bool_)
    first[1:] = (terms[1:] != terms[:-1]) | (slots[1:] != slots[:-1])
    begins = np.flatnonzero(first)
    counts = np.minimum(np.diff(begins, append=len(terms)), MOST).astype(np.uint16)
    return _Piece(terms[begins], slots[begins], counts)


def _last(numbers: dict[str, int], count: int) -> list[str]:
    newest = reversed(numbers)
    return [next(newest) for _ in range(count)][::-1]
