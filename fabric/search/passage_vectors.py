"""The vectors of the passages of long texts in memory: a row comes as near to a question as the nearest of them."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .growing import Growing

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
GONE = -1


class PassageVectors:
    """The vectors of passages: full ones as float16, quick ones, and the slot that each passage belongs to.

    The passages of one slot follow one another, in the order of the text.
    """

    def __init__(self, dimension: int, width: int) -> None:
        self.full = Growing[np.float16](np.float16, dimension)
        self.quick = Growing[np.float32](np.float32, width)
        self._slots = Growing[np.int64](np.int64)
        self._spans: dict[int, tuple[int, int]] = {}
        self._gone = 0

    def __len__(self) -> int:
        return len(self._slots)

    def window(self) -> "PassageVectors":
        """Return the passages there are now, for another thread, as `Vectors.window` does."""
        window = PassageVectors(0, 0)
        window.full, window.quick, window._slots = self.full.window(), self.quick.window(), self._slots.window()
        window._spans = self._spans
        return window

    def add(self, slot: int, full: NDArray[np.float16], quick: Floats) -> None:
        """Give a slot the vectors of its passages, in place of those it had."""
        self.drop(slot)
        self._spans[slot] = (len(self), len(self) + len(full))
        self.full.extend(full)
        self.quick.extend(quick)
        self._slots.extend(np.full(len(full), slot))

    def drop(self, slot: int) -> None:
        """Take away the passages of a slot, if it has any."""
        begin, end = self._spans.pop(slot, (0, 0))
        if end:
            self._slots.view[begin:end] = GONE
            self.full.view[begin:end] = 0
            self.quick.view[begin:end] = 0
            self._gone += end - begin
            self._tidy()

    def of(self, slot: int) -> NDArray[np.float16]:
        """Return the full vectors of a slot's passages, none where its text is short."""
        begin, end = self._spans.get(slot, (0, 0))
        return self.full.view[begin:end]

    def raise_all(self, cosines: Floats, of_passages: Floats) -> None:
        """Raise the cosines of slots to that of their nearest passage; ``of_passages`` are those of all passages."""
        slots = self._slots.view
        if not len(slots):
            return
        starts = np.flatnonzero(np.diff(slots, prepend=GONE - 1))
        best, owners = np.maximum.reduceat(of_passages, starts), slots[starts]
        there = owners != GONE
        owners = owners[there]
        cosines[owners] = np.maximum(cosines[owners], best[there])

    def among(self, slots: Numbers, count: int) -> tuple[Numbers, Numbers]:
        """Return the numbers of the passages of some of ``count`` slots, and where the slot of each is in ``slots``."""
        places = np.full(count + 1, -1, np.int64)  # the last one is that of passages that are gone
        places[slots] = np.arange(len(slots))
        own = places[self._slots.view]
        passages = np.flatnonzero(own >= 0)
        return passages, own[passages]

    def _tidy(self) -> None:
        if self._gone * 2 <= len(self):
            return
        left = np.flatnonzero(self._slots.view != GONE)
        for vectors in (self.full, self.quick, self._slots):
            vectors.keep(left)
        starts = np.flatnonzero(np.diff(self._slots.view, prepend=GONE))
        spans = pairwise([*starts.tolist(), len(left)])
        self._spans = dict(zip(self._slots.view[starts].tolist(), spans, strict=True))
        self._gone = 0
