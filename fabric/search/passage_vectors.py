"""The vectors of the passages of long texts in memory: a row comes as near to a question as the nearest of them."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .growing import Growing

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
GONE = -1


class Parts:
    """What the slots with a long text have, by part: full vectors as float16, quick ones, and the slot of each part.

    The parts of one slot follow one another, in the order of the text.
    """

    def __init__(self, dimension: int, width: int) -> None:
        self.full = Growing[np.float16](np.float16, dimension)
        self.quick = Growing[np.float32](np.float32, width)
        self._slots = Growing[np.int64](np.int64)
        self._spans: dict[int, tuple[int, int]] = {}
        self._gone = 0

    def __len__(self) -> int:
        return len(self._slots)

    def window(self) -> "Parts":
        """Return the parts there are now, for another thread, as `Vectors.window` does."""
        held = Parts(0, 0)
        held.full, held.quick, held._slots = self.full.window(), self.quick.window(), self._slots.window()
        held._spans = self._spans
        return held

    def add(self, slot: int, full: NDArray[np.float16], quick: Floats) -> None:
        """Give a slot its parts, in place of those it had."""
        self.drop(slot)
        self._spans[slot] = (len(self), len(self) + len(full))
        self.full.extend(full)
        self.quick.extend(quick)
        self._slots.extend(np.full(len(full), slot))

    def drop(self, slot: int) -> None:
        """Take away the parts of a slot, if it has any."""
        begin, end = self._spans.pop(slot, (0, 0))
        if end:
            self._slots.view[begin:end] = GONE
            self.full.view[begin:end] = 0
            self.quick.view[begin:end] = 0
            self._gone += end - begin
            self._tidy()

    def of(self, slot: int) -> NDArray[np.float16]:
        """Return the full vectors of a slot's parts, none where its text is short."""
        begin, end = self._spans.get(slot, (0, 0))
        return self.full.view[begin:end]

    def raise_all(self, cosines: Floats, found: Floats) -> None:
        """Raise the cosines of slots to those of their best parts; ``found`` are those of all parts."""
        slots = self._slots.view
        if not len(slots):
            return
        starts = np.flatnonzero(np.diff(slots, prepend=GONE - 1))
        best, owners = np.maximum.reduceat(found, starts), slots[starts]
        there = owners != GONE
        owners = owners[there]
        cosines[owners] = np.maximum(cosines[owners], best[there])

    def among(self, slots: Numbers, count: int) -> tuple[Numbers, Numbers]:
        """Return the numbers of the parts of some slots, of ``count``, and at which place in ``slots`` each belongs."""
        places = np.full(count + 1, -1, np.int64)  # the last one is that of the parts that are gone
        places[slots] = np.arange(len(slots))
        own = places[self._slots.view]
        parts = np.flatnonzero(own >= 0)
        return parts, own[parts]

    def _tidy(self) -> None:
        if self._gone * 2 <= len(self):
            return
        kept = np.flatnonzero(self._slots.view != GONE)
        for held in (self.full, self.quick, self._slots):
            held.keep(kept)
        starts = np.flatnonzero(np.diff(self._slots.view, prepend=GONE))
        spans = pairwise([*starts.tolist(), len(kept)])
        self._spans = dict(zip(self._slots.view[starts].tolist(), spans, strict=True))
        self._gone = 0
