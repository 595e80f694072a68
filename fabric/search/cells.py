"""The cells of one column of an index: numbers, or texts as numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import ColumnType
from .growing import Growing

Cells = Sequence[Any] | NDArray[np.float64]
"""The cells of a column: any values, or numbers as they are kept."""


class Column:
    """One column by position: of a text its number in ``names`` (-1 for none), else a number (NaN for none)."""

    def __init__(self, kind: ColumnType) -> None:
        self.is_text = kind == "text"
        self.names: dict[str, int] = {}
        self.cells: Growing[Any] = Growing(np.int32 if kind == "text" else np.float64)

    def extend(self, values: Cells) -> None:
        """Add the cells of new positions; a time is given in seconds."""
        if isinstance(values, np.ndarray):
            self.cells.extend(values)
            return
        if self.is_text:
            numbers = {value: int(self.cell(value)) for value in dict.fromkeys(values)}
            self.cells.extend(np.fromiter(map(numbers.__getitem__, values), np.int32, len(values)))
        else:
            self.cells.extend([self.cell(value) for value in values])

    def append(self, value: Any) -> None:
        """Add the cell of one new position."""
        self.cells.append(self.cell(value))

    def cell(self, value: Any) -> float:
        """Return a value as it is kept."""
        if self.is_text:
            return -1 if value is None else self.names.setdefault(value, len(self.names))
        return np.nan if value is None else float(value)

    def frozen(self) -> "Column":
        """Return the cells there are now, as they stay; names that are added later stand in none of them."""
        column = Column("text" if self.is_text else "real")
        column.names, column.cells = self.names, self.cells.frozen()
        return column

    @property
    def values(self) -> NDArray[Any]:
        """The cells of all positions."""
        return self.cells.view
