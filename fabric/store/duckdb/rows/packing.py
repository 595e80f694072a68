"""Cells that a row keeps together in one column of the file: each further column makes writing a row dearer."""

import json
import operator
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fabric.lazy import lazy
from fabric.search.base import ColumnType
from fabric.store.base import Row, Where

from ..catalog import StoredCollection
from ..columns import cell, condition, index_cell, operand

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fabric.search.cells import Cells
else:
    np = lazy("numpy")

_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def packed(collection: StoredCollection, row: Row) -> str:
    """Return the packed cells of a row as JSON, behind a number that tells which cells they are.

    StoreError when a value does not fit its column.
    """
    cells = [index_cell(kind, row.get(name), f"{collection.name}.{name}") for name, kind in collection.packed.items()]
    return json.dumps([_mark(collection.packed), *cells], separators=(",", ":"))


def unpacked(packed_kinds: Mapping[str, ColumnType], texts: Sequence[str | None]) -> "dict[str, Cells] | None":
    """Return the cells of many rows by column, as the index takes them; None when a row has others packed."""
    begin = f"[{_mark(packed_kinds)},"
    if not all(text is not None and text.startswith(begin) for text in texts):
        return None
    cells: list[Any] = json.loads(f"[{','.join(text[len(begin) : -1] for text in texts if text)}]")  # of all in a row
    width = len(packed_kinds)
    columns = {name: cells[place::width] for place, name in enumerate(packed_kinds)}
    return {name: columns[name] if kind == "text" else _numbers(columns[name]) for name, kind in packed_kinds.items()}


def is_current(collection: StoredCollection, text: str) -> bool:
    """Return whether a row's packed cells are those that are packed today."""
    return text.startswith(f"[{_mark(collection.packed)},")


def check(collection: StoredCollection, where: Sequence[Where], order: str) -> None:
    """Raise StoreError for a condition or an order that no row can be asked for."""
    for term in where:
        condition("", _kind(collection, term.field), term)
    if order:
        _kind(collection, order.removeprefix("-"))


def chosen(collection: StoredCollection, rows: Iterable[Row], where: Sequence[Where], order: str) -> list[Row]:
    """Return the rows that meet all conditions, in an order: what no index tells, from the rows themselves."""
    met = [row for row in rows if all(_meets(_kind(collection, term.field), row, term) for term in where)]
    field = order.removeprefix("-")
    if not field:
        return met
    kind = _kind(collection, field)
    held = [row for row in met if row.get(field) is not None]
    held.sort(key=lambda row: cell(kind, row[field], field), reverse=order.startswith("-"))
    return [*held, *(row for row in met if row.get(field) is None)]


def _kind(collection: StoredCollection, field: str) -> ColumnType:
    return collection.packed[field] if field in collection.packed else collection.column(field)[1]


def _meets(kind: ColumnType, row: Row, where: Where) -> bool:
    held = cell(kind, row.get(where.field), where.field)
    if where.op == "null":
        return bool((held is None) == where.value)
    if where.op == "in":
        return held in [operand(kind, value, where.field) for value in where.value]
    asked = operand(kind, where.value, where.field)
    if where.op in ("=", "!="):
        return bool((held == asked) == (where.op == "="))
    return held is not None and bool(_COMPARE[where.op](held, asked))


def _numbers(column: Sequence[Any]) -> "NDArray[np.float64]":
    return np.array(column, np.float64)


def _mark(kinds: Mapping[str, ColumnType]) -> int:
    return zlib.crc32(" ".join(kinds).encode())
