"""What readers ask of a view again and again: which rows hold a text, the texts of a column, the ids at positions."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..lazy import lazy
from .base import ColumnView, SearchView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


def holds(view: SearchView, name: str, texts: Iterable[str]) -> "NDArray[np.bool_]":
    """Return by position which rows hold one of a few texts in a kept column; none where there is no such column.

    >>> from .unstored import unstored
    >>> holds(unstored(["a", "b"], ["", ""], {"subject": ["user", None]}), "subject", ["user", "anna"]).tolist()
    [True, False]
    """
    column = view.columns.get(name)
    if column is None:
        return np.zeros(view.size, np.bool_)
    found = np.zeros(len(column.values), np.bool_)
    for text in texts:
        if text in column.names:
            found |= column.values == column.names[text]
    return found


def ids_at(view: SearchView, positions: "NDArray[np.int64]") -> list[str]:
    """Return the ids of the rows at some positions, in their order."""
    return [view.ids[position] for position in positions.tolist()]


def texts_of(view: SearchView, name: str) -> Sequence[str]:
    """Return the texts of a kept column by their numbers; they are looked up once for all who ask."""
    return view.derived(_Texts).of(name, view.columns[name])


class _Texts:
    """The texts of columns, brought up to date when they are asked for; each column has its own."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}

    def of(self, name: str, column: ColumnView) -> Sequence[str]:
        texts = self._texts.setdefault(name, [])
        if len(texts) < len(column.names):
            texts = self._texts[name] = list(column.names)
        return texts
