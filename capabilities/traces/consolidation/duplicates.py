"""Near-duplicates among many traces: candidates by the rarest terms they share, never all pairs, then an exact look."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fabric.search.base import SearchView

RAREST = 3
"""By how many of its rarest shared terms a trace is compared with others."""
WINDOW = 6
"""With how many of those that share it, the likest first, it is compared."""
SHARE_SLACK = 0.9
"""How alike all terms must be before texts are read, as a share of the threshold: neighbours count as terms too."""
AT_ONCE = 20_000
MOST_PAIRS = 5_000
"""How many pairs one consolidation looks at; it finds the next ones the next time."""
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two positions that may say the same; ``sure`` when their vectors say so, else their texts are looked at."""

    one: int
    other: int
    likeness: float
    sure: bool


@dataclass(frozen=True, slots=True)
class Terms:
    """Which positions hold which terms, those that at least two of them hold: two columns, by position and rarity."""

    positions: Ints
    terms: Ints

    def of(self, positions: Ints) -> dict[int, frozenset[int]]:
        """Return the terms of some positions."""
        starts = np.searchsorted(self.positions, positions)
        ends = np.searchsorted(self.positions, positions, side="right")
        spans = zip(positions.tolist(), starts.tolist(), ends.tolist(), strict=True)
        terms = self.terms.tolist()
        return {position: frozenset(terms[start:end]) for position, start, end in spans}


def same_groups(index: "SearchView", positions: Ints) -> list[list[int]]:
    """Return the groups of positions with the same content, type and persona."""
    keys = np.stack([index.columns[name].values[positions] for name in ("content_hash", "type", "persona")])
    order = np.lexsort((positions, *keys))
    sorted_keys = keys[:, order]
    changes = np.flatnonzero((sorted_keys[:, 1:] != sorted_keys[:, :-1]).any(axis=0)) + 1
    bounds = [0, *changes.tolist(), len(order)] if len(order) else []
    return [positions[order[start:end]].tolist() for start, end in pairwise(bounds) if end - start > 1]


def near_pairs(index: "SearchView", positions: Ints, threshold: float) -> list[Pair]:
    """Return pairs of positions of one type and persona that may say the same, the likest `MOST_PAIRS` first.

    Where both have a vector their cosine is above the threshold; else they share most of their terms. Pairs that share
    none of their rarest terms are not seen.
    """
    terms = _terms(index, positions)
    pairs = _unique(_candidates(terms))
    for name in ("type", "persona"):
        cells = index.columns[name].values
        pairs = pairs[cells[pairs[:, 0]] == cells[pairs[:, 1]]]
    by_vector = _have_vectors(index, pairs)
    found = [*_by_vector(index, pairs[by_vector], threshold), *_by_terms(index, terms, pairs[~by_vector], threshold)]
    return heapq.nlargest(MOST_PAIRS, found, key=lambda pair: pair.likeness)


def _terms(index: "SearchView", positions: Ints) -> Terms:
    wanted = np.zeros(len(index.ids), np.bool_)
    wanted[positions] = True
    frequencies = index.postings.frequencies
    shared = np.flatnonzero(frequencies > 1)
    shared = shared[np.argsort(frequencies[shared], kind="stable")]
    held = [index.postings.of(int(term))[0] for term in shared]
    if not held:
        return Terms(np.zeros(0, np.int64), np.zeros(0, np.int64))
    flat = np.concatenate(held).astype(np.int64)
    ranks = np.repeat(np.arange(len(held), dtype=np.int64), [len(shingles) for shingles in held])
    keep = wanted[flat]
    flat, ranks = flat[keep], ranks[keep]
    order = np.argsort(flat, kind="stable")
    return Terms(flat[order], ranks[order])


def _candidates(terms: Terms) -> Iterator[Ints]:
    """Yield pairs of positions that share one of their rarest terms, where many do those that share the others too."""
    positions, first = np.unique(terms.positions, return_index=True)
    counts = np.diff(first, append=len(terms.positions))
    rarest = np.full((RAREST, len(positions)), -1, np.int64)
    for place in range(RAREST):
        rarest[place, counts > place] = terms.terms[(first + place)[counts > place]]
    shared = rarest.ravel()
    # Each position stands here once for each of its rarest terms: sorted by that term, and among those that hold it by
    # their other rare terms, so that what shares several stands side by side and a window of a few rows sees it.
    others = [np.delete(rarest, place, axis=0) for place in range(RAREST)]
    order = np.lexsort((*np.concatenate(others, axis=1)[::-1], shared))
    shared, held = shared[order], np.tile(positions, RAREST)[order]
    for apart in range(1, WINDOW + 1):
        near = (shared[apart:] == shared[:-apart]) & (shared[apart:] >= 0)
        yield np.stack([held[:-apart][near], held[apart:][near]], axis=1)


def _unique(found: Iterator[Ints]) -> Ints:
    pairs = np.sort(np.concatenate(list(found)), axis=1)
    keys = np.sort(pairs[:, 0] << 32 | pairs[:, 1])  # both positions in one number: a pair is sorted by one comparison
    keys = keys[np.diff(keys, prepend=-1) > 0]
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def _have_vectors(index: "SearchView", pairs: Ints) -> Bools:
    if index.vectors is None:
        return np.zeros(len(pairs), np.bool_)
    present = index.vectors.present
    return np.asarray(present[pairs[:, 0]] & present[pairs[:, 1]], np.bool_)


def _cosines(index: "SearchView", pairs: Ints) -> NDArray[np.float32]:
    if index.vectors is None:
        return np.zeros(0, np.float32)
    positions, places = np.unique(pairs, return_inverse=True)
    if not len(positions):
        return np.zeros(0, np.float32)
    rows = np.stack([index.vectors.at(position) for position in positions.tolist()])
    places = places.reshape(pairs.shape)
    starts = range(0, len(pairs), AT_ONCE)
    some = (places[start : start + AT_ONCE] for start in starts)
    return np.concatenate([np.einsum("ij,ij->i", rows[part[:, 0]], rows[part[:, 1]]) for part in some])


def _by_vector(index: "SearchView", pairs: Ints, threshold: float) -> Iterator[Pair]:
    cosines = _cosines(index, pairs)
    for place in np.flatnonzero(cosines > threshold).tolist():
        yield Pair(int(pairs[place, 0]), int(pairs[place, 1]), float(cosines[place]), sure=True)


def _by_terms(index: "SearchView", terms: Terms, pairs: Ints, threshold: float) -> Iterator[Pair]:
    """Yield the pairs whose sets of all terms are so alike that those of their words may be above the threshold."""
    sizes = np.sqrt(index.different)
    least = threshold * SHARE_SLACK * sizes[pairs[:, 0]] * sizes[pairs[:, 1]]
    fits = np.square(sizes[pairs].min(axis=1)) >= least
    pairs, least = pairs[fits], least[fits]
    sets = terms.of(np.unique(pairs))
    for one, other, enough in zip(pairs[:, 0].tolist(), pairs[:, 1].tolist(), least.tolist(), strict=True):
        shared = len(sets[one] & sets[other])
        if shared >= enough:
            yield Pair(one, other, shared / enough, sure=False)


def survivors(pairs: Sequence[tuple[int, int]], rank: Callable[[int], tuple[float, ...]]) -> dict[int, int]:
    """Return for each position that melts into another which one: the first by ``rank`` that is directly alike.

    >>> survivors([(1, 2), (2, 3)], lambda position: (position,))
    {2: 1}
    """
    near: dict[int, list[int]] = {}
    for one, other in pairs:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    into: dict[int, int] = {}
    kept: set[int] = set()
    for position in sorted(near, key=rank):
        if position in into:
            continue
        kept.add(position)
        for other in sorted(near[position], key=rank):
            if other not in into and other not in kept:
                into[other] = position
    return into
