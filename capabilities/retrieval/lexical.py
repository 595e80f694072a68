"""Which rows hold the words of a question, or words of like meaning, and how much that says."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bm25 import saturation
from .pool import Pool, Pools
from .question import Question

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Hits:
    """Where one word was found: the rows' numbers, what it is worth in each, and the most it is worth by its idf."""

    rows: Numbers
    values: Floats
    weight: float


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the words of the question give: the sum per row, and where each word was found."""

    sums: Floats
    hits: tuple[Hits, ...]

    def matched(self, rows: NDArray[np.int64], size: int) -> Floats:
        """Return shape (words, rows): how far each word is found in each of some rows (ascending), from 0 to 1."""
        found = np.zeros((len(self.hits), len(rows)), np.float32)
        wanted = np.zeros(size, np.bool_)
        wanted[rows] = True
        for one, hit in zip(found, self.hits, strict=True):
            if hit.weight > 0:
                mine = np.flatnonzero(wanted[hit.rows])
                places = np.searchsorted(rows, hit.rows[mine])
                one[places] = np.minimum(hit.values[mine] / np.float32(hit.weight), 1)
        return found

    @property
    def weights(self) -> Floats:
        """What each word is worth at most."""
        return np.array([hit.weight for hit in self.hits], np.float32)


def look_up(question: Question, pools: Pools) -> Lexical:
    """Return what the words of the question give to the rows of all pools.

    A word counts in a row as its best matching term: its own with cosine 1, one of like meaning with its cosine
    squared, times the lower idf of the two.
    """
    sums, best = np.zeros(pools.size, np.float32), np.zeros(pools.size, np.float32)
    near = {pool.tier: _nearest(question, pool) for pool in pools}
    hits: list[Hits] = []
    for place, (word, weight) in enumerate(zip(question.cue.words, question.weights, strict=True)):
        held = [term for term in word.terms if pools.holding(term)]
        own_idf = pools.idf(held[0] if held else word.terms[0])
        rows = [_hit(pool, best, held, near[pool.tier][place], own_idf, pools) for pool in pools]
        numbers = np.concatenate(rows) if rows else np.zeros(0, np.int32)
        values = best[numbers] * np.float32(weight)
        sums[numbers] += values  # a number that is there twice is counted once, since it is not accumulated
        best[numbers] = 0
        hits.append(Hits(numbers, values, own_idf * weight))
    return Lexical(sums, tuple(hits))


def exact_rows(question: Question, pools: Pools) -> Floats:
    """Return by number which share of the question's exact tokens each row holds; common tokens stand for nothing."""
    found = np.zeros(pools.size, np.float32)
    exact = [token for token in question.cue.exact if 0 < pools.holding(token) <= max(3, pools.rows // 20)]
    for token in exact:
        for pool in pools:
            number = pool.index.postings.terms.get(token)
            if number is not None:
                found[pool.index.postings.of(number)[0] + pool.start] += np.float32(1 / len(exact))
    return found


def _nearest(question: Question, pool: Pool) -> list[tuple[NDArray[np.int64], Floats]]:
    if question.word_vectors is None or pool.vocabulary is None:
        return [(np.zeros(0, np.int64), np.zeros(0, np.float32))] * len(question.cue.words)
    return pool.vocabulary.nearest(question.word_vectors)


def _hit(
    pool: Pool, best: Floats, held: list[str], near: tuple[NDArray[np.int64], Floats], own_idf: float, pools: Pools
) -> Numbers:
    """Raise ``best`` to what the word is worth in each row of the pool; return the numbers of the rows, some twice."""
    postings, index = pool.index.postings, pool.index
    terms = dict(zip(near[0].tolist(), (near[1] ** 2).tolist(), strict=True))
    terms |= {postings.terms[term]: 1.0 for term in held if term in postings.terms}
    mean = index.total_length / max(1, len(index))
    found = [postings.of(term) for term in terms]
    if not found:
        return np.zeros(0, np.int32)
    idfs = np.minimum(own_idf, pools.idfs_in(pool, list(terms)))
    factors = np.asarray(np.fromiter(terms.values(), np.float64, len(terms)) * idfs, np.float32)
    slots = np.concatenate([slots for slots, _ in found])
    counts = np.concatenate([counts for _, counts in found])
    values = np.repeat(factors, [len(slots) for slots, _ in found])
    values *= saturation(counts, index.lengths.view[slots], mean)
    if not pool.is_open:
        values *= pool.allowed[slots]
    numbers = slots + np.int32(pool.start) if pool.start else slots
    np.maximum.at(best, numbers, values)
    return numbers
