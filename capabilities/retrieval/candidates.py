"""The rows that are ranked together: turns, facts, episodes and entries, one behind another in one numbering."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabric.search.base import SearchView

from .lexical.bm25 import idf, idf_unseen, idfs
from .lexical.term_expansion import Vocabulary

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class Pool:
    """One collection's rows. ``allowed`` says by slot which may be found; ``start`` is the number of its slot 0."""

    tier: str
    index: SearchView
    allowed: Mask
    start: int
    vocabulary: Vocabulary | None = None
    is_open: bool = False
    """Whether all of its slots may be found."""

    @property
    def end(self) -> int:
        """The number behind its last slot."""
        return self.start + self.index.size


@dataclass(frozen=True, eq=False, slots=True)
class Pools:
    """All pools. Numbers of rows, of those that hold a term, and what a term weighs, are counted over all of them."""

    pools: tuple[Pool, ...]

    def __iter__(self) -> Iterator[Pool]:
        return iter(self.pools)

    @property
    def size(self) -> int:
        """How many slots there are."""
        return self.pools[-1].end if self.pools else 0

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(len(pool.index) for pool in self.pools)

    @property
    def words(self) -> int:
        """How many words the rows have together."""
        return sum(pool.index.total_length for pool in self.pools)

    def holding(self, term: str) -> int:
        """Return how many rows hold the term."""
        held = 0
        for pool in self.pools:
            number = pool.index.postings.terms.get(term)
            if number is not None:
                held += int(pool.index.postings.frequencies[number])
        return held

    def idf(self, term: str) -> float:
        """Return the weight of a term, the most there is when no row holds it."""
        held = self.holding(term)
        return idf(self.rows, held) if held else idf_unseen(self.rows)

    def idfs_in(self, pool: Pool, terms: Sequence[int]) -> NDArray[np.float64]:
        """Return the weights of terms by their numbers in a pool's index."""
        own = pool.index.postings
        held = own.frequencies[np.asarray(terms, np.int64)]
        names = [own.name(term) for term in terms] if len(self.pools) > 1 else []
        for other in self.pools:
            if other is not pool:
                known, counts = other.index.postings.terms, other.index.postings.frequencies
                held += [counts[known[name]] if name in known else 0 for name in names]
        return idfs(self.rows, held)

    def allowed(self) -> Mask:
        """Return by number which rows may be found."""
        if len(self.pools) == 1:
            return self.pools[0].allowed
        return np.concatenate([pool.allowed for pool in self.pools]) if self.pools else np.zeros(0, np.bool_)

    @property
    def are_open(self) -> bool:
        """Whether all rows may be found."""
        return all(pool.is_open for pool in self.pools)

    @property
    def are_exact(self) -> bool:
        """Whether all cosines are exact that are taken quickly."""
        return all(pool.index.vectors is None or pool.index.vectors.is_exact for pool in self.pools)

    def of(self, number: int) -> Pool:
        """Return the pool of a row's number."""
        return next(pool for pool in self.pools if number < pool.end)

    def nearest(self, number: int, asked: NDArray[np.float32] | None) -> int:
        """Return which passage of a row comes nearest to a unit vector, -1 where it has none."""
        pool = self.of(number)
        vectors = pool.index.vectors
        if asked is None or vectors is None or vectors.dimension != len(asked):
            return -1
        cosines = vectors.passage_cosines(number - pool.start, asked)
        return int(cosines.argmax()) if len(cosines) else -1

    def row_id(self, number: int) -> str:
        """Return the id of the row of a number."""
        pool = self.of(number)
        return pool.index.ids[number - pool.start]


def make_pools(parts: Sequence[tuple[str, SearchView, Mask, Vocabulary | None]]) -> Pools:
    """Return the pools of these indexes as they are now, numbered one behind another.

    To be called inside a transaction. They may be searched on another thread then, whatever is written.
    """
    pools: list[Pool] = []
    start = 0
    for tier, index, allowed, vocabulary in parts:
        pools.append(Pool(tier, index.frozen(), allowed, start, vocabulary, bool(allowed.all())))
        start = pools[-1].end
    return Pools(tuple(pools))
