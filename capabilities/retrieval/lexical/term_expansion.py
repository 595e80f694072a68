"""Term expansion by meaning: the terms of an index that lie nearest to a word of the question.

Every term stands for the spellings it has in the rows; its vector is their mean, weighted by how often each occurs.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from fabric.search.base import PostingsView, SearchView
from fabric.search.growing import Growing
from fabric.text.terms import split_term

Floats = NDArray[np.float32]
WordVectors = Callable[[Sequence[str]], Floats]
"""Vectors of single words, one row each, zeros for a word without one."""
NEAREST = 12
"""How many terms of like meaning a word may match."""
MIN_COSINE = 0.3
"""From this cosine on two words are alike enough to count."""
AT_ONCE = 20_000
MARKS = "#@!=^~"
"""What a token begins with that is no word: a tag, a name, a word of another index."""
SMALL_PRODUCT = 200_000
"""How many multiplications a BLAS does on the caller's own thread: waking others costs more than they save here."""


class Vocabulary:
    """The vectors of one index's terms, brought up to date whenever they are asked for, by any thread."""

    def __init__(self, vectors_of: WordVectors) -> None:
        self._lock = Lock()
        self._vectors_of = vectors_of
        self._tokens: Growing[np.float32] | None = None
        self._counts = Growing[np.int32](np.int32)
        self._terms = np.zeros((0, 0), np.float32)

    def nearest(self, words: Floats, postings: PostingsView) -> list[dict[int, float]]:
        """Return for each word's vector the cosines of the nearest terms of the index, by their numbers."""
        with self._lock:
            self._update(postings)
            terms = self._terms[: len(postings.terms)]
        return _best(_products(terms, unit_rows(words))) if len(terms) else [{} for _ in words]

    def _update(self, postings: PostingsView) -> None:
        counts = postings.token_counts
        embedded = len(self._counts)
        if len(counts) < embedded:  # as the index was before it was asked last
            return
        if len(counts) > embedded:
            self._add_tokens(postings.tokens_from(embedded))
        changed = np.flatnonzero(self._counts.view != counts)
        if len(changed):
            self._counts.edit()[changed] = counts[changed]
            self._set_terms(postings, np.unique(postings.token_terms[changed]), len(changed) * 4 > len(counts))

    def _add_tokens(self, tokens: Sequence[str]) -> None:
        for start in range(0, len(tokens), AT_ONCE):
            new = self._vectors_of([_word(token) for token in tokens[start : start + AT_ONCE]])
            if self._tokens is None:
                self._tokens = Growing[np.float32](np.float32, new.shape[1])
            self._tokens.extend(new)
        self._counts.extend(np.zeros(len(tokens), np.int32))

    def _set_terms(self, postings: PostingsView, terms: NDArray[np.int32], most: bool) -> None:
        """Compute the vectors of some terms, or of all when that is hardly more."""
        assert self._tokens is not None  # noqa: S101  there are tokens
        vectors, owners, counts = self._tokens.view, postings.token_terms, self._counts.view
        count, width = len(postings.terms), vectors.shape[1]
        if count > len(self._terms):
            wider = np.zeros((count + count // 4, width), np.float32)
            wider[: len(self._terms)] = self._terms.reshape(-1, width)
            self._terms = wider
        if most:
            order = np.argsort(owners, kind="stable")
            starts = np.flatnonzero(np.diff(owners[order], prepend=-1))
            sums = np.add.reduceat(vectors[order] * counts[order][:, None], starts, axis=0)
            self._terms[owners[order][starts]] = unit_rows(sums)
            return
        mine = np.flatnonzero(np.isin(owners, terms))
        sums = np.zeros((len(terms), width), np.float32)
        np.add.at(sums, np.searchsorted(terms, owners[mine]), vectors[mine] * counts[mine][:, None])
        self._terms[terms] = unit_rows(sums)


def vocabulary_of(index: SearchView, vectors_of: WordVectors) -> Vocabulary:
    """Return the vocabulary of an index, kept as long as the index is."""
    return index.derived(Vocabulary, vectors_of)


def _word(token: str) -> str:
    """Return the word that a token stands for, "" where a sign before it marks it as something else."""
    return split_term(token)[1] if token[0] not in MARKS else ""


def unit_rows(vectors: Floats) -> Floats:
    """Return the rows with length 1; zeros stay zeros.

    >>> unit_rows(np.array([[3, 4], [0, 0]], np.float32)).round(2).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0), np.float32)


def _products(terms: Floats, words: Floats) -> Floats:
    """Return shape (terms, words): the product of each pair."""
    found = np.empty((len(terms), len(words)), np.float32)
    columns = np.ascontiguousarray(words.T)
    step = max(1, SMALL_PRODUCT // max(1, columns.size))
    for start in range(0, len(terms), step):
        np.matmul(terms[start : start + step], columns, out=found[start : start + step])
    return found


def _best(cosines: Floats) -> list[dict[int, float]]:
    """Return for each column the greatest cosines by row."""
    count: int = cosines.shape[1]
    places = np.flatnonzero(cosines >= MIN_COSINE)
    terms, words = np.divmod(places, count)
    values = cosines.ravel()[places]
    order = np.argsort(words, kind="stable")
    begins = np.searchsorted(words[order], np.arange(count + 1)).tolist()
    best = [_greatest(values, order[start:end]) for start, end in pairwise(begins)]
    return [dict(zip(terms[cells].tolist(), values[cells].tolist(), strict=True)) for cells in best]


def _greatest(values: Floats, among: NDArray[np.int64]) -> NDArray[np.int64]:
    excess = len(among) - NEAREST
    return among if excess <= 0 else among[np.argpartition(values[among], excess)[excess:]]
