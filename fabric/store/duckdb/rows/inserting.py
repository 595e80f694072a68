"""New rows on their way into the file: their keys, their cells, and the one statement that inserts them."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from fabric.store.base import Row

from ..catalog import PACKED, StoredCollection
from ..columns import SQL_TYPES, cell, storable
from ..sql import Sql
from .packing import packed

SINGLE = 3
"""Up to how many rows are inserted one by one: planning a whole list costs more than it saves."""


SEARCHED = {"_terms": "VARCHAR", "_space": "INTEGER", "_vector": "BLOB", "_parts": "BLOB"}
"""The columns by which rows are searched, and their types; a collection that is not searched leaves them empty."""


class Search(NamedTuple):
    """A row's place, and what it is searched by."""

    place: int = 0
    tokens: str | None = None
    space: int | None = None
    vector: bytes | None = None
    parts: bytes | None = None


class New(NamedTuple):
    """A row about to be inserted."""

    key: int
    owner: int
    search: Search


class Cells(NamedTuple):
    """What rows hold in their id, their JSON and the declared columns: names, SQL types, and values by column."""

    names: list[str]
    kinds: list[str]
    values: list[list[Any]]


def insert(sql: Sql, collection: StoredCollection, new: Sequence[New], own: Cells) -> None:
    """Insert the rows, none of which may be there; a column is named only where one of them has a value for it."""
    searches = SEARCHED if collection.text else {}
    names = ["_key", "_scope", "_seq", *own.names, *searches]
    kinds = ["HUGEINT", "BIGINT", "BIGINT", *own.kinds, *searches.values()]
    fixed: list[list[Any]] = [[row.key for row in new], [row.owner for row in new], [row.search.place for row in new]]
    searched: list[list[Any]] = [list(column) for column in zip(*(row.search[1:] for row in new), strict=True)]
    every = [*fixed, *own.values, *(searched if searches else ())]
    held = [place for place, column in enumerate(every) if any(cell is not None for cell in column)]
    names, kinds = [names[place] for place in held], [kinds[place] for place in held]
    cells = [every[place] for place in held]
    columns = ", ".join(names)
    if len(new) <= SINGLE:
        values = [value for row in zip(*cells, strict=True) for value in row]
        row = f"({', '.join('?' * len(names))})"
        sql.run(f"INSERT INTO {collection.sql} ({columns}) VALUES {', '.join([row] * len(new))}", values)
        return
    unnested = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    sql.run(f"INSERT INTO {collection.sql} ({columns}) SELECT {unnested}", cells)


def row_key(owner: int, name: str) -> int:
    """Return the 127-bit key under which a row or document is stored, one for each scope and id."""
    digest = blake2b(f"{owner}:{name}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest, "big") >> 1


def cells_of(collection: StoredCollection, rows: Sequence[Row], texts: Sequence[str]) -> Cells:
    """Return the cells of rows with this JSON; StoreError when a value does not fit its column."""
    names, kinds = ["id", "_row"], ["VARCHAR", "VARCHAR"]
    cells: list[list[Any]] = [[storable(row["id"]) for row in rows], list(texts)]
    for field, kind in collection.columns.items():
        names.append(collection.column(field)[0])
        kinds.append(SQL_TYPES[kind])
        cells.append([cell(kind, row.get(field), f"{collection.name}.{field}") for row in rows])
    if collection.packed:
        names.append(PACKED)
        kinds.append("VARCHAR")
        cells.append([packed(collection, row) for row in rows])
    return Cells(names, kinds, cells)
