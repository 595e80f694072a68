"""Conditions and orders answered by the index in memory, where its columns hold all that is asked for."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabric.search.cells import Column
from fabric.search.index import TextIndex
from fabric.store.base import Where

from ..catalog import StoredCollection
from ..columns import operand

EXACT = 2.0**53
"""Up to this integer, a number of an index is exact."""
EXACT_SECONDS = EXACT / 1e6
"""Up to these seconds, a time of an index is exact to the microsecond."""
Mask = NDArray[np.bool_]
_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def meeting(index: TextIndex, collection: StoredCollection, where: Sequence[Where]) -> NDArray[np.int64] | None:
    """Return the positions of the rows that meet all conditions, or None when the index does not hold what they ask."""
    met: Mask = index.alive
    for term in where:
        if term.field not in index.columns or not _is_exact(index, collection, term.field):
            return None
        mask = _meets(index.columns[term.field], collection, term)
        if mask is None:
            return None
        met = met & mask
    return np.flatnonzero(met)


def ordered(
    index: TextIndex,
    collection: StoredCollection,
    positions: NDArray[np.int64],
    order: str,
    limit: int | None,
    offset: int,
) -> list[str] | None:
    """Return the ids of the positions' rows in this order, cut to the window; None when the index cannot tell.

    ``order`` is that of `Rows.find`: rows without a value come last, ties by insertion.
    """
    places = index.places
    end = None if limit is None else offset + limit
    if not order:
        positions = positions[np.argsort(places[positions], kind="stable")]
    else:
        field = order.removeprefix("-")
        if field not in index.columns or index.columns[field].is_text or not _is_exact(index, collection, field):
            return None
        values = index.columns[field].values * (-1.0 if order.startswith("-") else 1.0)
        positions = _first(positions, values[positions], end)
        positions = positions[np.lexsort((places[positions], values[positions]))]
    return [index.ids[position] for position in positions[offset:end].tolist()]


def _first(positions: NDArray[np.int64], values: NDArray[np.float64], end: int | None) -> NDArray[np.int64]:
    """Leave out what cannot be among the first ``end``, so that few are sorted."""
    if not end or len(positions) <= end:
        return positions
    last = np.partition(values, end - 1)[end - 1]
    return positions if np.isnan(last) else positions[values <= last]


def _is_exact(index: TextIndex, collection: StoredCollection, field: str) -> bool:
    kind, column = collection.kinds[field], index.columns[field]
    if kind not in ("integer", "time"):
        return True
    most = EXACT if kind == "integer" else EXACT_SECONDS
    return not bool(np.any(np.abs(column.values) >= most))


def _meets(column: Column, collection: StoredCollection, where: Where) -> Mask | None:
    cells = column.values
    missing = cells < 0 if column.is_text else np.isnan(cells)
    if where.op == "null":
        return missing if where.value else ~missing
    many = where.op == "in"
    if column.is_text and not many and where.op not in ("=", "!="):
        return None
    values = where.value if many else [where.value]
    operands = [operand(collection.kinds[where.field], value, where.field) for value in values]
    wanted = [_number(column, converted, value) for converted, value in zip(operands, values, strict=True)]
    if many:
        met = np.isin(cells, [number for number in wanted if number is not None])
        return met | missing if None in wanted else met
    if wanted[0] is None:
        return missing if where.op == "=" else ~missing
    mask: Mask = _COMPARE[where.op](cells, wanted[0])
    return mask


def _number(column: Column, value: Any, raw: Any) -> float | None:
    """Return a value as the column keeps it; a text that no row has is kept as a number that no row has."""
    if value is None:
        return None
    if column.is_text:
        return column.names.get(raw, -2)
    return float(value.replace(tzinfo=UTC).timestamp() if hasattr(value, "timestamp") else value)
