"""The vectors of one scope's rows in memory: exact cosines for some rows, quick ones for all."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .growing import Growing
from .passage_vectors import PassageVectors

EXACT_ROWS = 12_000
"""Up to how many rows and passages every cosine is exact; above, it is taken from the first numbers of a vector."""
HEAD = 64
"""How many numbers of a vector stand for all of it then."""
FEW = 500
"""How many vectors are widened at once, so that what it takes stays near the processor."""
AT_ONCE = 30_000
"""How many vectors are shortened at once."""
HAS_VECDOT = hasattr(np, "vecdot")
"""Whether numpy, from 2.0 on, has what takes half the time of `einsum`."""
Floats = NDArray[np.float32]
_NO_PASSAGES: Floats = np.zeros(0, np.float32)
_WIDE: Floats = np.arange(0x10000, dtype=np.uint16).view(np.float16).astype(np.float32)
"""Each float16 by its bits, as float32: looked up four times as fast as converted."""


class Vectors:
    """Unit vectors of one model, by position, kept as float16; a position without one has zeros."""

    def __init__(self, space: int, dimension: int, positions: int) -> None:
        self.space = space
        self.dimension = dimension
        self._full = Growing[np.float16](np.float16, dimension)
        self._quick = Growing[np.float32](np.float32, dimension)
        self._present = Growing[np.bool_](np.bool_)
        self.passages: PassageVectors | None = None
        """The vectors of passages, once a position has some."""
        self.grow(positions)

    def __len__(self) -> int:
        return len(self._present)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which positions have a vector."""
        return self._present.view

    def window(self) -> "Vectors":
        """Return the vectors of the positions there are now, for another thread.

        Positions that are added later are not seen. A vector that is replaced meanwhile may be half old and half new,
        which costs its row a wrong score once; a copy of all vectors would cost the writer far more.
        """
        window = Vectors(self.space, self.dimension, 0)
        window._full, window._quick = self._full.window(), self._quick.window()
        window._present = self._present.frozen()
        window.passages = None if self.passages is None else self.passages.window()
        return window

    def grow(self, positions: int) -> None:
        """Make room so that there are so many positions."""
        more = positions - len(self._present)
        if more > 0:
            self._present.grow(more)
            self._narrow()
            self._full.grow(more)
            self._quick.grow(positions - len(self._quick))

    def put(self, positions: Sequence[int] | NDArray[np.int64], vectors: NDArray[np.float16]) -> None:
        """Set the vectors of these positions, which have no passages then."""
        places = _span(np.asarray(positions, np.int64))
        head = _headed(vectors, self._quick.view.shape[1])
        present: NDArray[np.bool_] = np.any(head, axis=1)
        doubtful = np.flatnonzero(~present)
        present[doubtful] = np.any(vectors[doubtful], axis=1)
        self._full.edit()[places] = vectors
        self._quick.edit()[places] = head
        self._present.edit()[places] = present
        self.drop_passages(positions)

    def drop_passages(self, positions: Sequence[int] | NDArray[np.int64]) -> None:
        """Take away the vectors of the passages of positions."""
        if self.passages is not None:
            for position in np.asarray(positions).tolist():
                self.passages.drop(position)

    def put_passages(self, position: int, vectors: NDArray[np.float16]) -> None:
        """Set the vectors of the passages of a position that has a vector."""
        if self.passages is None:
            self.passages = PassageVectors(self.dimension, self._quick.view.shape[1])
        self.passages.add(position, vectors, _headed(vectors, self._quick.view.shape[1]))
        self._narrow()

    def drop(self, position: int) -> None:
        """Take away the vector of a position."""
        self.put([position], np.zeros((1, self.dimension), np.float16))

    def at(self, position: int) -> Floats:
        """Return the vector of one position, zeros where it has none."""
        vector: Floats = self._full.view[position].astype(np.float32)
        return vector

    def quick(self, query: Floats) -> Floats:
        """Return the cosine of each position with a unit vector; from the first numbers only where there are many.

        That of a position with passages is that of the nearest of them, or of the whole where that is nearer.
        """
        head = _headed(query[None, :].astype(np.float32), self._quick.view.shape[1])[0]
        cosines = _dots(self._quick.view, head)
        if self.passages is not None:
            self.passages.raise_all(cosines, _dots(self.passages.quick.view, head))
        return cosines

    @property
    def is_exact(self) -> bool:
        """Whether `quick` is exact."""
        return bool(self._quick.view.shape[1] == self.dimension)

    def exact(self, query: Floats, positions: NDArray[np.int64]) -> Floats:
        """Return the exact cosines of some positions with a unit vector."""
        wide = query.astype(np.float32)
        cosines = _dots(_wide(self._full.view[positions]), wide)
        if self.passages is not None:
            passages, places = self.passages.among(positions, len(self))
            np.maximum.at(cosines, places, _dots(_wide(self.passages.full.view[passages]), wide))
        return cosines

    def passage_cosines(self, position: int, query: Floats) -> Floats:
        """Return the exact cosine of each passage of a position with a unit vector, none where its text is short."""
        if self.passages is None or not len(passages := self.passages.of(position)):
            return _NO_PASSAGES
        return _dots(_wide(passages), query)

    def _narrow(self) -> None:
        if self._quick.view.shape[1] <= HEAD or len(self) + len(self.passages or ()) <= EXACT_ROWS:
            return
        self._quick = _narrowed(self._full)
        if self.passages is not None:
            self.passages.quick = _narrowed(self.passages.full)


def _headed(vectors: NDArray[np.float16] | Floats, width: int) -> Floats:
    """Return the first numbers of unit vectors, scaled to length 1 again where some are left out."""
    head = _wide(vectors[:, :width]) if vectors.dtype == np.float16 else vectors[:, :width].astype(np.float32)
    if width < vectors.shape[1]:
        head /= np.maximum(np.sqrt(np.einsum("ij,ij->i", head, head)), 1e-9)[:, None]
    return head


def _narrowed(full: Growing[np.float16]) -> Growing[np.float32]:
    narrow = Growing[np.float32](np.float32, HEAD)
    for start in range(0, len(full), AT_ONCE):
        narrow.extend(_headed(full.view[start : start + AT_ONCE], HEAD))
    return narrow


def _wide(vectors: NDArray[Any]) -> Floats:
    bits = vectors.view(np.uint16)
    wide = np.empty(vectors.shape, np.float32)
    for start in range(0, len(bits), FEW):
        np.take(_WIDE, bits[start : start + FEW], out=wide[start : start + FEW], mode="clip")
    return wide


def _dots(rows: Floats, query: Floats) -> Floats:
    """Return the product of each row with a vector, on this thread: waking the others of a BLAS costs more."""
    products: Floats = np.vecdot(rows, query) if HAS_VECDOT else np.einsum("ij,j->i", rows, query)
    return products


def _span(places: NDArray[np.int64]) -> NDArray[np.int64] | slice:
    """Return the places as a slice where they follow one another, which is written many times as fast."""
    count = len(places)
    if count and places[-1] - places[0] == count - 1 and (places[1:] > places[:-1]).all():
        return slice(int(places[0]), int(places[0]) + count)
    return places
