"""BM25 over the indexes in memory, with the numbers of SQLite FTS5: one corpus of one or several indexes."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..words import NEXT, SPELLED, indexed, other_stem, trace_words
from .accents import accented
from .prefixes import beginning
from .query import And, Leaf, Node, Not, Or, Phrase, Prefix, Term

if TYPE_CHECKING:
    from fabric.search.base import SearchView

K1 = 1.2
"""How soon more of the same word stops to count."""
B = 0.75
"""How much the length of a text counts."""
LEAST_IDF = 1e-6
"""The weight of a word that half of the rows or more hold."""
_POOL = 40
"""The bit at which the number of the index stands above the place of a row in it."""

Mask = NDArray[np.bool_]
Held = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The rows that hold something, ascending, and how often they do."""
NONE: Held = (np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True)
class Pool:
    """The rows of one index that a search counts (``visible``) and may return (``wanted``), by position.

    ``lengths`` is the number of words of each row; ``texts`` reads the texts of rows with these ids.
    """

    index: "SearchView"
    visible: Mask
    wanted: Mask
    lengths: NDArray[Any]
    texts: Callable[[Sequence[str]], Iterable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that was found: in which pool, its id there, and its score; higher is better."""

    pool: int
    row_id: str
    score: float


def idf(rows: int, holding: int) -> float:
    """Return the weight of a phrase: ``ln((N - n + 0.5) / (n + 0.5))``, at least `LEAST_IDF`.

    Robertson and Zaragoza (2009), the probabilistic relevance framework, eq. 3.3, bounded as SQLite FTS5 does it.

    >>> round(idf(60, 1), 4), idf(10, 8)
    (3.6805, 1e-06)
    """
    weight = math.log((rows - holding + 0.5) / (holding + 0.5))
    return weight if weight > 0 else LEAST_IDF


class Corpus:
    """The rows of all pools, numbered through: what is common among them, and which of them match best."""

    def __init__(self, pools: Sequence[Pool]) -> None:
        self._pools = pools
        self._starts = np.cumsum([0, *(len(pool.visible) for pool in pools)])
        self._visible = _joined([pool.visible for pool in pools], np.bool_)
        self._wanted = _joined([pool.wanted & pool.visible for pool in pools], np.bool_)
        self._places = _joined([pool.index.places + (at << _POOL) for at, pool in enumerate(pools)], np.int64)
        self._size = len(self._visible)
        self._rows = int(np.count_nonzero(self._visible))
        lengths = _joined([pool.lengths for pool in pools], np.float64)
        mean = lengths[self._visible].mean() if self._rows else 1.0
        self._dampings = K1 * (1 - B + B * lengths / max(mean, LEAST_IDF))
        self._known: dict[tuple[Leaf, bool], Held] = {}

    def best(
        self, node: Node, limit: int, weights: NDArray[np.float64] | None = None, *, any_form: bool = True
    ) -> list[Hit]:
        """Return the rows that match, best first, ties by insertion; ``weights`` multiply the score of each row.

        Rows with the very stems come first, as in FTS5. With ``any_form``, where there is room, those follow that have
        another form of a word that Porter's stems tell apart (deploy, deployment), the word with or without accents, or
        a word whose stem is shorter than a prefix.
        """
        exact = self._matching(node, wide=False) & self._wanted
        found = self._order(node, exact, limit, weights, wide=False)
        if any_form and len(found) < limit:
            others = self._matching(node, wide=True) & self._wanted & ~exact
            found += self._order(node, others, limit - len(found), weights, wide=True)
        return found

    def _order(
        self, node: Node, matching: Mask, limit: int, weights: NDArray[np.float64] | None, *, wide: bool
    ) -> list[Hit]:
        rows = np.flatnonzero(matching)
        if not len(rows):
            return []
        scores = self._scores(node, wide=wide)[rows]
        if weights is not None:
            scores = scores * weights[rows]
        if len(rows) > limit:
            least = np.partition(scores, len(rows) - limit)[len(rows) - limit]
            rows, scores = rows[scores >= least], scores[scores >= least]
        order = np.lexsort((self._places[rows], -scores))[:limit]
        return [self._hit(int(rows[at]), float(scores[at])) for at in order.tolist()]

    def _hit(self, row: int, score: float) -> Hit:
        pool = int(np.searchsorted(self._starts, row, "right")) - 1
        return Hit(pool, self._pools[pool].index.ids[row - int(self._starts[pool])], score)

    def _matching(self, node: Node, *, wide: bool) -> Mask:
        match node:
            case And(parts):
                return self._folded(np.logical_and, parts, wide=wide)
            case Or(parts):
                return self._folded(np.logical_or, parts, wide=wide)
            case Not(part):
                return self._visible & ~self._matching(part, wide=True)
            case _:
                mask = np.zeros(self._size, np.bool_)
                mask[self._rows_holding(node, wide=wide)[0]] = True
                return mask

    def _folded(self, join: Callable[..., Any], parts: Sequence[Node], *, wide: bool) -> Mask:
        mask = self._matching(parts[0], wide=wide)
        for part in parts[1:]:
            join(mask, self._matching(part, wide=wide), out=mask)
        return mask

    def _scores(self, node: Node, *, wide: bool) -> NDArray[np.float64]:
        scores = np.zeros(self._size)
        for leaf in _sought(node):
            rows, counts = self._rows_holding(leaf, wide=wide)
            scores[rows] += idf(self._rows, len(rows)) * counts * (K1 + 1) / (counts + self._dampings[rows])
        return scores

    def _rows_holding(self, leaf: Leaf, *, wide: bool) -> Held:
        found = self._known.get((leaf, wide))
        if found is None:
            found = self._known[leaf, wide] = self._find(leaf, wide=wide)
        return found

    def _find(self, leaf: Leaf, *, wide: bool) -> Held:
        match leaf:
            case Term(term):
                return self._sum(lambda index: [term, other_stem(term), *accented(index, term)] if wide else [term])
            case Prefix(stem, spelled):
                found = self._sum(lambda index: beginning(index, stem))
                return self._larger(found, self._spelled(spelled)) if wide else found
            case Phrase(stems, is_open):
                return self._phrase(stems, is_open=is_open)

    def _spelled(self, prefix: str) -> Held:
        return self._sum(lambda index: [*beginning(index, prefix), *beginning(index, SPELLED + prefix)])

    def _phrase(self, stems: tuple[str, ...], *, is_open: bool) -> Held:
        pairs = [self._sum(lambda _, pair=pair: [NEXT.join(pair)]) for pair in pairwise(stems)]  # type: ignore[misc]
        if is_open:
            last, opened = stems[-2:]
            pairs[-1] = self._sum(lambda index: [last + NEXT + word for word in beginning(index, opened)])
        if len(pairs) == 1:
            return pairs[0]
        least = np.minimum.reduce([self._dense(pair) for pair in pairs])
        inner = np.maximum.reduce([self._dense(self._rows_holding(Term(stem), wide=False)) for stem in stems[1:-1]])
        # Where each inner word stands once, its two pairs are about the same one; elsewhere only the text can tell.
        counts = np.where(inner > 1, 0, least)
        unsure = np.flatnonzero((least > 0) & (inner > 1))
        counts[unsure] = self._read(unsure, stems, is_open=is_open)
        rows = np.flatnonzero(counts)
        return rows, counts[rows]

    def _read(self, rows: NDArray[np.int64], stems: tuple[str, ...], *, is_open: bool) -> list[int]:
        counts: list[int] = []
        for number, pool in enumerate(self._pools):
            start, end = self._starts[number], self._starts[number + 1]
            ids = [pool.index.ids[position] for position in (rows[(rows >= start) & (rows < end)] - start).tolist()]
            if ids:
                counts += [sum(_occurrences(text, stems, is_open=is_open) for text in of) for of in pool.texts(ids)]
        return counts

    def _sum(self, terms_of: "Callable[[SearchView], Sequence[str]]") -> Held:
        """Return the visible rows that hold any of the terms, and how often they hold them all together."""
        pieces: list[Held] = []
        for start, pool in zip(self._starts.tolist(), self._pools, strict=False):
            postings = pool.index.postings
            numbers = {
                number for term in terms_of(pool.index) if (number := postings.terms.get(indexed(term))) is not None
            }
            for number in numbers:
                positions, counts = postings.of(number)
                pieces.append((positions.astype(np.int64) + start, counts.astype(np.float64)))
        rows, held = _added(pieces)
        seen = self._visible[rows]
        return rows[seen], held[seen]

    def _larger(self, one: Held, other: Held) -> Held:
        dense = np.maximum(self._dense(one), self._dense(other))
        rows = np.flatnonzero(dense)
        return rows, dense[rows]

    def _dense(self, held: Held) -> NDArray[np.float64]:
        dense = np.zeros(self._size)
        dense[held[0]] = held[1]
        return dense


def _sought(node: Node) -> Iterator[Leaf]:
    """Return every leaf that a row is found by, not those that it must not have."""
    match node:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _sought(part)
        case Not():
            return
        case _:
            yield node


def _added(pieces: Sequence[Held]) -> Held:
    """Return how often the rows hold something that each piece says a part of."""
    if len(pieces) < 2:
        return pieces[0] if pieces else NONE
    held = np.concatenate([counts for _, counts in pieces])
    sums: NDArray[Any] = np.bincount(np.concatenate([rows for rows, _ in pieces]), held)
    rows = np.flatnonzero(sums)
    return rows, sums[rows]


def _occurrences(text: str, stems: tuple[str, ...], *, is_open: bool) -> int:
    words = trace_words(text)
    *closed, last = stems
    return sum(
        words[at : at + len(closed)] == closed
        and (words[at + len(closed)].startswith(last) if is_open else words[at + len(closed)] == last)
        for at in range(len(words) - len(closed))
    )


def _joined(arrays: Sequence[NDArray[Any]], dtype: type[Any]) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype), *arrays]) if len(arrays) != 1 else arrays[0]
