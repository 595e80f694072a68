"""An index as it was at one moment, to be searched on any thread while rows are written to the index itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np

from .cells import Column
from .growing import Growing
from .posting_lists import PostingLists
from .vectors import Vectors

if TYPE_CHECKING:
    from .index import TextIndex


class _First(Sequence[str]):
    """The first so many of a list to which others are added."""

    __slots__ = ("_held", "_size")

    def __init__(self, held: Sequence[str], size: int) -> None:
        self._held = held
        self._size = size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self._held[: self._size][place] if isinstance(place, slice) or place < 0 else self._held[place]


@dataclass(frozen=True, eq=False, slots=True)
class FrozenIndex:
    """What is found in a `TextIndex`, as far as its first ``size`` slots: arrays that are copied before they change.

    Only `slot_of` sees the index as it is.
    """

    source: "TextIndex" = field(repr=False)
    changes: int
    """How often the index had changed by then."""
    thread: str
    columns: Mapping[str, Column]
    size: int
    """How many slots there are, dead ones among them."""
    rows: int
    total_length: int
    postings: PostingLists
    alive: Growing[np.bool_]
    lengths: Growing[np.int32]
    before: Growing[np.int32]
    after: Growing[np.int32]
    vectors: Vectors | None

    def __len__(self) -> int:
        return self.rows

    @property
    def ids(self) -> Sequence[str]:
        """The ids by slot."""
        return _First(self.source.ids, self.size)

    def slot_of(self, row_id: str) -> int:
        """Return the slot of a row, -1 when it is not there, or was changed since then."""
        slot = self.source.slots.get(row_id, -1)
        return slot if slot < self.size else -1

    @property
    def is_same(self) -> bool:
        """Whether nothing changed in the index since then; to be asked inside a transaction."""
        return self.source.changes == self.changes
