"""The vectors of the passages of long texts in memory: a row comes as near to a question as the nearest of them."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .growing import Growing

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
GONE = -1


class PassageVectors:
    """The vectors of passages: full ones as float16, quick ones, and the position that each passage belongs to.

    The passages of one position follow one another, in the order of the text.
    """

    def __init__(self, dimension: int, width: int) -> None:
        self.full = Growing[np.float16](np.float16, dimension)
        self.quick = Growing[np.float32](np.float32, width)
        self._positions = Growing[np.int64](np.int64)
        self._spans: dict[int, tuple[int, int]] = {}
        self._gone = 0

    def __len__(self) -> int:
        return len(self._positions)

    def window(self) -> "PassageVectors":
        """Return the passages there are now, for another thread, as `Vectors.window` does."""
        window = PassageVectors(0, 0)
        window.full, window.quick, window._positions = self.full.window(), self.quick.window(), self._positions.window()
        window._spans = self._spans
        return window

    def add(self, position: int, full: NDArray[np.float16], quick: Floats) -> None:
        """Give a position the vectors of its passages, in place of those it had."""
        self.drop(position)
        self._spans[position] = (len(self), len(self) + len(full))
        self.full.extend(full)
        self.quick.extend(quick)
        self._positions.extend(np.full(len(full), position))

    def drop(self, position: int) -> None:
        """Take away the passages of a position, if it has any."""
        begin, end = self._spans.pop(position, (0, 0))
        if end:
            self._positions.edit()[begin:end] = GONE
            self.full.edit()[begin:end] = 0
            self.quick.edit()[begin:end] = 0
            self._gone += end - begin
            self._tidy()

    def of(self, position: int) -> NDArray[np.float16]:
        """Return the full vectors of a position's passages, none where its text is short."""
        begin, end = self._spans.get(position, (0, 0))
        return self.full.view[begin:end]

    def raise_all(self, cosines: Floats, of_passages: Floats) -> None:
        """Raise the cosines of positions to those of their nearest passages; ``of_passages`` are those of all."""
        positions = self._positions.view
        if not len(positions):
            return
        starts = np.flatnonzero(np.diff(positions, prepend=GONE - 1))
        best, owners = np.maximum.reduceat(of_passages, starts), positions[starts]
        there = owners != GONE
        owners = owners[there]
        cosines[owners] = np.maximum(cosines[owners], best[there])

    def among(self, positions: Numbers, count: int) -> tuple[Numbers, Numbers]:
        """Return the numbers of the passages of some of ``count`` positions, and to which of them each belongs."""
        places = np.full(count + 1, -1, np.int64)  # the last one is that of passages that are gone
        places[positions] = np.arange(len(positions))
        own = places[self._positions.view]
        passages = np.flatnonzero(own >= 0)
        return passages, own[passages]

    def _tidy(self) -> None:
        if self._gone * 2 <= len(self):
            return
        left = np.flatnonzero(self._positions.view != GONE)
        for vectors in (self.full, self.quick, self._positions):
            vectors.keep(left)
        starts = np.flatnonzero(np.diff(self._positions.view, prepend=GONE))
        spans = pairwise([*starts.tolist(), len(left)])
        self._spans = dict(zip(self._positions.view[starts].tolist(), spans, strict=True))
        self._gone = 0
