"""How the values of a row become typed cells, and conditions become SQL."""

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from fabric.clock import utc
from fabric.errors import StoreError
from fabric.narrowing import is_sequence, is_set
from fabric.search.base import ColumnType

from ..base import Row, Where

SQL_TYPES: Mapping[ColumnType, str] = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "real": "DOUBLE",
    "boolean": "BOOLEAN",
    "time": "TIMESTAMP",
}
_ESCAPE = "\U0010ffff"  # a code point that no text uses; doubled where one does
_SURROGATES = range(0xD800, 0xE000)
_ESCAPED = 0xE000 - 0xD800  # an escaped surrogate is the escape and a private-use character
_INTEGERS = range(-(2**63), 2**63)
_OPERATORS = frozenset({"<", "<=", ">", ">="})


def storable(text: str) -> str:
    r"""Return ``text`` with lone surrogates escaped, since UTF-8 has no form for them; equal only for equal texts.

    >>> storable("pizza 🍕") == "pizza 🍕"
    True
    >>> storable("cut \ud83d").isprintable(), len(storable("cut \ud83d"))
    (False, 6)
    """
    if text.isascii() or (_ESCAPE not in text and not any("\ud800" <= char <= "\udfff" for char in text)):
        return text
    return "".join(
        _ESCAPE + (chr(ord(char) + _ESCAPED) if ord(char) in _SURROGATES else char)
        if char == _ESCAPE or ord(char) in _SURROGATES
        else char
        for char in text
    )


def original(text: str) -> str:
    r"""Return what `storable` was given.

    >>> original(storable("a\ud83d\U0010ffff")) == "a\ud83d\U0010ffff"
    True
    """
    first, *rest = text.split(_ESCAPE)
    found = [first]
    pieces = iter(rest)
    for piece in pieces:
        if piece:
            found.append(chr(ord(piece[0]) - _ESCAPED) + piece[1:])
        else:
            found.append(_ESCAPE + next(pieces, ""))
    return "".join(found)


def originals(texts: list[Any]) -> list[Any]:
    """Return `original` of each text, None for None; quick where nothing was escaped, as is usual.

    >>> originals(["a", None])
    ['a', None]
    """
    if _ESCAPE not in "".join(filter(None, texts)):
        return texts
    return [text if text is None else original(text) for text in texts]


def to_json(value: Any, what: str) -> str:
    """Return ``value`` as ASCII JSON; raise StoreError naming ``what`` when it is not a JSON value."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"{what} cannot be stored as JSON: {error}") from error


def row_id(row: Row, table: str) -> str:
    """Return the row's id; raise StoreError unless it is a string."""
    found = row.get("id")
    if not isinstance(found, str):
        raise StoreError(f"a row of {table!r} needs a string as its id, got {found!r}")
    return found


def cell(kind: ColumnType, value: Any, what: str) -> Any:
    """Return ``value`` as the database's column of this kind holds it; raise StoreError when it does not fit.

    >>> cell("time", "2026-07-09T12:39:17+02:00", "episodes.at")
    datetime.datetime(2026, 7, 9, 10, 39, 17)
    """
    if value is None:
        return None
    made = _CELLS[kind](value)
    if made is None:
        raise StoreError(f"{what} is {_EXPECTED[kind]}, got {str(value)[:80]!r} ({type(value).__name__})")
    return made


def index_cell(kind: ColumnType, value: Any, what: str) -> Any:
    """Return ``value`` as an index takes it: a time in seconds since 1970; StoreError when it does not fit.

    >>> index_cell("time", "1970-01-01T00:01:00+00:00", "episodes.at")
    60.0
    """
    made = cell(kind, value, what)
    if isinstance(made, datetime):
        return made.replace(tzinfo=UTC).timestamp()
    return value if kind == "text" else made


def condition(column: str, kind: ColumnType, where: Where) -> tuple[str, list[Any]]:
    """Return SQL and parameters of one condition on the quoted column; a missing value differs from every value."""
    what = f"the value of the condition on {where.field!r}"
    if where.op == "null":
        if not isinstance(where.value, bool):
            raise StoreError(f"{what} is True or False for 'null', got {where.value!r}")
        return f"{column} IS {'' if where.value else 'NOT '}NULL", []
    if where.op == "in":
        return _one_of(column, kind, where.value, what)
    value = operand(kind, where.value, what)
    if where.op == "=":
        return (f"{column} = ?", [value]) if value is not None else (f"{column} IS NULL", [])
    if where.op == "!=":
        return f"{column} IS DISTINCT FROM ?", [value]
    if where.op not in _OPERATORS:
        raise StoreError(f"the condition on {where.field!r} has the unknown operator {where.op!r}")
    if value is None:
        raise StoreError(f"{what} must not be None for {where.op!r}")
    return f"{column} {where.op} ?", [value]


def _one_of(column: str, kind: ColumnType, values: Any, what: str) -> tuple[str, list[Any]]:
    if isinstance(values, str | bytes) or not (is_sequence(values) or is_set(values)):
        raise StoreError(f"{what} is a sequence for 'in', got {type(values).__name__}")
    cells = [operand(kind, value, what) for value in values]
    present = [value for value in cells if value is not None]
    parts = [f"{column} IN ({', '.join('?' * len(present))})"] if present else []
    if len(present) < len(cells):
        parts.append(f"{column} IS NULL")
    return f"({' OR '.join(parts) or 'FALSE'})", present


def operand(kind: ColumnType, value: Any, what: str) -> Any:
    """Return the value of a condition as a column of this kind is compared with it; StoreError when it cannot be."""
    return cell("real" if kind == "integer" and isinstance(value, float) else kind, value, what)


def _text(value: Any) -> str | None:
    return storable(value) if isinstance(value, str) else None


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _INTEGERS else None


def _real(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(value)


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _time(value: Any) -> datetime | None:
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return utc(moment).astimezone(UTC).replace(tzinfo=None)
    except (TypeError, ValueError, OverflowError):
        return None


_CELLS: Mapping[ColumnType, Callable[[Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "real": _real,
    "boolean": _boolean,
    "time": _time,
}
_EXPECTED: Mapping[ColumnType, str] = {
    "text": "a string",
    "integer": "an integer of at most 64 bits",
    "real": "a number",
    "boolean": "a boolean",
    "time": "a time in ISO 8601",
}
