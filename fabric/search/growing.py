"""Arrays that grow at their end, so that adding one row does not copy all the others."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

S = TypeVar("S", bound=np.generic)


def read_only(array: NDArray[S]) -> NDArray[S]:
    """Return this array, which cannot be written into from now on; other views of its memory stay as they are.

    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    array.setflags(write=False)
    return array


class Growing(Generic[S]):
    """An array of rows of one width; ``view`` is what it holds, valid until the next change.

    ``frozen`` gives what it holds to another thread: adding rows leaves that alone, and `edit` copies before it changes
    rows that somebody else may be reading.

    >>> rows = Growing(np.int32)
    >>> rows.extend([1, 2])
    >>> rows.append(3)
    >>> rows.view.tolist(), len(rows)
    ([1, 2, 3], 3)
    >>> then = rows.frozen()
    >>> rows.edit()[0] = 7
    >>> then.view.tolist(), rows.view.tolist()
    ([1, 2, 3], [7, 2, 3])
    """

    __slots__ = ("_data", "_is_shared", "_size")

    def __init__(self, dtype: DTypeLike, width: int = 0) -> None:
        self._data: NDArray[Any] = np.zeros((16, width) if width else 16, dtype)
        self._size = 0
        self._is_shared = False

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> NDArray[S]:
        """The rows there are, without a copy, to be read: numpy raises ValueError where they are written into."""
        return read_only(self._data[: self._size])

    def edit(self) -> NDArray[S]:
        """Return the rows there are, to be written into; those that were given away by `frozen` stay as they were."""
        if self._is_shared:
            self._data = self._data.copy()
            self._is_shared = False
        return self._data[: self._size]

    def frozen(self) -> "Growing[S]":
        """Return what is held now, as it stays whatever happens here; nothing is copied before `edit` needs to."""
        self._is_shared = True
        return self.window()

    def window(self) -> "Growing[S]":
        """Return the rows there are now, in the same memory: rows added later are not seen, others as they become."""
        window = object.__new__(type(self))  # made often, and needs no array of its own
        window._data, window._size, window._is_shared = self.view, self._size, True
        return window

    def append(self, value: Any) -> None:
        """Add one row."""
        self._reserve(1)
        self._data[self._size] = value
        self._size += 1

    def extend(self, values: Any) -> None:
        """Add rows."""
        added = np.asarray(values, self._data.dtype)
        self._reserve(len(added))
        self._data[self._size : self._size + len(added)] = added
        self._size += len(added)

    def grow(self, rows: int) -> None:
        """Add so many rows of zeros."""
        self._reserve(rows)
        self._size += rows

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Drop all rows but these."""
        self._data = self._data[rows]
        self._size = len(rows)

    def _reserve(self, more: int) -> None:
        needed = self._size + more
        if needed > len(self._data):
            capacity = max(needed, len(self._data) * 3 // 2)
            wider = np.zeros((capacity, *self._data.shape[1:]), self._data.dtype)
            if self._size:
                wider[: self._size] = self._data[: self._size]
            self._data = wider
