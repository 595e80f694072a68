"""The candidates of a search: turns, facts, episodes and entries, one tier behind another in one numbering."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabric.search.base import SearchView

from .lexical.bm25 import idf, idf_unseen, idfs
from .lexical.term_expansion import Vocabulary, WordVectors, vocabulary_of

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class CandidateGroup:
    """The rows of one tier. ``allowed`` says by position which may be found; ``start`` is the number of its first."""

    tier: str
    index: SearchView
    allowed: Mask
    start: int
    vocabulary: Vocabulary | None = None
    is_open: bool = False
    """Whether all of its positions may be found."""

    @property
    def end(self) -> int:
        """The number behind its last position."""
        return self.start + self.index.size


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """The rows of all tiers that are searched; row counts, document frequencies and idf are taken over all of them."""

    groups: tuple[CandidateGroup, ...]

    def __iter__(self) -> Iterator[CandidateGroup]:
        return iter(self.groups)

    @property
    def size(self) -> int:
        """How many positions there are."""
        return self.groups[-1].end if self.groups else 0

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(len(group.index) for group in self.groups)

    @property
    def words(self) -> int:
        """How many words the rows have together."""
        return sum(group.index.total_length for group in self.groups)

    def document_frequency(self, term: str) -> int:
        """Return how many rows contain the term."""
        count = 0
        for group in self.groups:
            number = group.index.postings.terms.get(term)
            if number is not None:
                count += int(group.index.postings.frequencies[number])
        return count

    def idf(self, term: str) -> float:
        """Return the inverse document frequency of a term, the greatest there is when no row contains it."""
        count = self.document_frequency(term)
        return idf(self.rows, count) if count else idf_unseen(self.rows)

    def idfs_in(self, group: CandidateGroup, terms: Sequence[int]) -> NDArray[np.float64]:
        """Return the inverse document frequencies of terms, by their numbers in the index of a group."""
        own = group.index.postings
        counts = own.frequencies[np.asarray(terms, np.int64)]
        names = [own.name(term) for term in terms] if len(self.groups) > 1 else []
        for other in self.groups:
            if other is not group:
                numbers, frequencies = other.index.postings.terms, other.index.postings.frequencies
                counts += [frequencies[numbers[name]] if name in numbers else 0 for name in names]
        return idfs(self.rows, counts)

    def allowed(self) -> Mask:
        """Return by number which rows may be found."""
        if len(self.groups) == 1:
            return self.groups[0].allowed
        return np.concatenate([group.allowed for group in self.groups]) if self.groups else np.zeros(0, np.bool_)

    @property
    def are_open(self) -> bool:
        """Whether all rows may be found."""
        return all(group.is_open for group in self.groups)

    @property
    def are_exact(self) -> bool:
        """Whether all cosines are exact that are taken quickly."""
        return all(group.index.vectors is None or group.index.vectors.is_exact for group in self.groups)

    def group_of(self, number: int) -> CandidateGroup:
        """Return the group that the row of a number is in."""
        return next(group for group in self.groups if number < group.end)

    def nearest_passage(self, number: int, vector: NDArray[np.float32] | None) -> int:
        """Return which passage of a row comes nearest to a unit vector, -1 where it has none."""
        group = self.group_of(number)
        vectors = group.index.vectors
        if vector is None or vectors is None or vectors.dimension != len(vector):
            return -1
        cosines = vectors.passage_cosines(number - group.start, vector)
        return int(cosines.argmax()) if len(cosines) else -1

    def row_id(self, number: int) -> str:
        """Return the id of the row of a number."""
        group = self.group_of(number)
        return group.index.ids[number - group.start]


def make_candidates(tiers: Sequence[tuple[str, SearchView, Mask]], words: WordVectors | None = None) -> Candidates:
    """Return the rows of these indexes as they are now, numbered one tier behind another.

    To be called inside a transaction. They may be searched on another thread then, whatever is written. ``words`` gives
    vectors of words, where words of like meaning are looked for.
    """
    groups: list[CandidateGroup] = []
    start = 0
    for tier, index, allowed in tiers:
        vocabulary = None if words is None else vocabulary_of(index, words)
        groups.append(CandidateGroup(tier, index.frozen(), allowed, start, vocabulary, bool(allowed.all())))
        start = groups[-1].end
    return Candidates(tuple(groups))
