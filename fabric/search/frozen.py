"""An index as it was at one moment, to be searched on any thread while rows are written to the index itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .cells import Column
from .derived import Derived
from .posting_lists import PostingLists
from .vectors import Vectors

T = TypeVar("T")


class _First(Sequence[str]):
    """The first so many of a list to which others are added."""

    __slots__ = ("_all", "_size")

    def __init__(self, every: Sequence[str], size: int) -> None:
        self._all = every
        self._size = size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self._all[: self._size][place] if isinstance(place, slice) or place < 0 else self._all[place]


@dataclass(frozen=True, eq=False, slots=True)
class FrozenIndex:
    """What is found in a `TextIndex`, as far as its first ``size`` positions: arrays, copied before they change.

    Only `position_of` sees the index as it is.
    """

    numbering: object
    changes: int
    """How often the index had changed by then."""
    all_derived: Derived = field(repr=False)
    all_ids: Sequence[str] = field(repr=False)
    all_positions: Mapping[str, int] = field(repr=False)
    """The positions by id, of the rows that there are now."""
    thread: str
    columns: Mapping[str, Column]
    size: int
    """How many positions there are, dead ones among them."""
    rows: int
    total_length: int
    postings: PostingLists
    alive: NDArray[np.bool_]
    places: NDArray[np.int64]
    lengths: NDArray[np.int32]
    different: NDArray[np.int32]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    vectors: Vectors | None

    def __len__(self) -> int:
        return self.rows

    @property
    def ids(self) -> Sequence[str]:
        """The ids by position."""
        return _First(self.all_ids, self.size)

    def position_of(self, row_id: str) -> int:
        """Return the position of a row, -1 when it is not there, or was changed since then."""
        position = self.all_positions.get(row_id, -1)
        return position if position < self.size else -1

    def derived(self, kind: type[T], *arguments: Any) -> T:
        """Return what was made of the rows of the index."""
        return self.all_derived.get(kind, arguments)

    def frozen(self) -> "FrozenIndex":
        """Return this itself."""
        return self
