"""Which rows hold which terms how often, to be read: of an index as it is, or as it was at one moment."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .growing import Growing, read_only

Positions = NDArray[np.int32]
Counts = NDArray[np.uint16]
NO_POSTINGS: tuple[Positions, Counts] = (
    read_only(np.zeros(0, np.int32)),
    read_only(np.zeros(0, np.uint16)),
)


class FirstNumbers(Mapping[str, int]):
    """The first numbers of strings that are numbered in the order in which they come; later ones are not seen.

    >>> numbers = {"dog": 0, "cat": 1}
    >>> first = FirstNumbers(numbers, 1)
    >>> list(first), "cat" in first, first.get("dog")
    (['dog'], False, 0)
    >>> FirstNumbers(numbers, 2).after(1)
    ['cat']
    """

    __slots__ = ("_count", "_numbers")

    def __init__(self, numbers: Mapping[str, int], count: int) -> None:
        self._numbers = numbers
        self._count = count

    def __getitem__(self, name: str) -> int:
        number = self._numbers.get(name, self._count)
        if number >= self._count:
            raise KeyError(name)
        return number

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._numbers.get(name, self._count) < self._count

    def get(self, name: str, default: Any = None) -> Any:
        """Return the number of a string, or ``default``; nothing is raised and caught on the way."""
        number = self._numbers.get(name, self._count)
        return number if number < self._count else default

    def __iter__(self) -> Iterator[str]:
        return iter(list(islice(self._numbers, self._count)))  # at once: others may be added meanwhile

    def after(self, number: int) -> list[str]:
        """Return those with this number or a higher one, in order."""
        while self._count > number:
            try:
                newest = reversed(cast("dict[str, int]", self._numbers))
                return list(islice(newest, len(self._numbers) - number))[::-1][: self._count - number]
            except RuntimeError:  # one was added between two of these steps
                continue
        return []

    def __len__(self) -> int:
        return self._count


def _after(names: Mapping[str, int], number: int) -> list[str]:
    return names.after(number) if isinstance(names, FirstNumbers) else FirstNumbers(names, len(names)).after(number)


class PostingLists:
    """An inverted index, to be read: the terms of rows, and the posting list of each, of positions and counts."""

    def __init__(self) -> None:
        self.tokens: Mapping[str, int] = {}
        self.terms: Mapping[str, int] = {}
        self._token_terms = Growing[np.int32](np.int32)
        self._token_counts = Growing[np.int32](np.int32)
        self._frequencies = Growing[np.int32](np.int32)
        self._names: list[str] = []
        self._starts = np.zeros(1, np.int64)
        self._positions = NO_POSTINGS[0]
        self._counts = NO_POSTINGS[1]
        self._added: dict[int, tuple[array[int], array[int]]] = {}
        self._end: int | None = None
        """Before which position the lists end; None where they have all there are."""

    @property
    def token_terms(self) -> NDArray[np.int32]:
        """The number of each token's term."""
        return self._token_terms.view

    @property
    def token_counts(self) -> NDArray[np.int32]:
        """How often each token stands in the rows there are."""
        return self._token_counts.view

    @property
    def frequencies(self) -> NDArray[np.int32]:
        """In how many of the rows there are each term stands."""
        return self._frequencies.view

    def frozen(self, positions: int) -> "PostingLists":
        """Return what the first ``positions`` rows hold, to be read by another thread whatever changes here."""
        lists = PostingLists()
        lists.tokens = FirstNumbers(self.tokens, len(self._token_terms))
        lists.terms = FirstNumbers(self.terms, len(self._frequencies))
        lists._token_terms, lists._token_counts = self._token_terms.frozen(), self._token_counts.frozen()
        lists._frequencies = self._frequencies.frozen()
        lists._names, lists._starts, lists._positions, lists._counts = (
            self._names,
            self._starts,
            self._positions,
            self._counts,
        )
        lists._added, lists._end = self._added, positions
        return lists

    def of(self, term: int) -> tuple[Positions, Counts]:
        """Return the positions that hold the term, ascending, and how often; positions of removed rows among them."""
        filled = NO_POSTINGS
        if term + 1 < len(self._starts):
            start, end = self._starts[term], self._starts[term + 1]
            filled = self._positions[start:end], self._counts[start:end]
        if term not in self._added:
            return filled
        positions, counts = self._later(term)
        return read_only(np.concatenate([filled[0], positions])), read_only(np.concatenate([filled[1], counts]))

    def lists(self, terms: Sequence[int]) -> list[tuple[int, Positions, Counts]]:
        """Return what `of` does for many terms, each list with the place of its term; a term may have two lists."""
        numbers = np.asarray(terms, np.int64)
        last = len(self._starts) - 1  # terms that came later have no list here, only added rows
        starts = self._starts[np.minimum(numbers, last)].tolist()
        ends = self._starts[np.minimum(numbers + 1, last)].tolist()
        filled = [
            (place, self._positions[start:end], self._counts[start:end])
            for place, (start, end) in enumerate(zip(starts, ends, strict=True))
        ]
        return filled + [(place, *self._later(term)) for place, term in enumerate(terms) if term in self._added]

    def tokens_from(self, number: int) -> list[str]:
        """Return the tokens with this number or a higher one, in order."""
        return _after(self.tokens, number)

    def terms_from(self, number: int) -> list[str]:
        """Return the terms with this number or a higher one, in order."""
        return _after(self.terms, number)

    def name(self, term: int) -> str:
        """Return the term of a number."""
        return self._names[term]

    def _later(self, term: int) -> tuple[Positions, Counts]:
        """Return the rows of a term that were added one by one."""
        added = self._added[term]
        # As bytes, which takes one step: a view would keep the thread that writes from adding rows.
        positions = np.frombuffer(added[0].tobytes(), np.int32)
        counts = np.frombuffer(added[1].tobytes(), np.uint16)
        size = min(len(positions), len(counts))
        if self._end is not None and size and positions[size - 1] >= self._end:
            size = int(np.searchsorted(positions[:size], self._end))
        return positions[:size], counts[:size]
