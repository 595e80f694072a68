"""What a file holds, as a check reads it: every collection and every row, whoever owns it; nothing is written."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from fabric.embedding.base import same_model
from fabric.narrowing import is_dict
from fabric.scope import Scope
from fabric.store.base import Row

from ..catalog import Catalog, StoredCollection
from ..migrations import MIGRATIONS, file_format
from ..rows.searching import WITHOUT_PASSAGES
from ..sql import Sql

AT_ONCE = 10_000
"""How many rows are read at once."""


class Owned(NamedTuple):
    """A row, and the number of the scope that owns it."""

    owner: int
    row: Row


class FileScan:
    """A file that is open to be read: see `fabric.store.duckdb.file.opening.reading`."""

    def __init__(self, sql: Sql) -> None:
        self.sql = sql
        self.format = file_format(sql)
        catalog = Catalog()
        catalog.load(sql)
        self.tables: dict[str, StoredCollection] = {collection.name: collection for collection in catalog.tables()}
        self.scopes: dict[int, Scope] = catalog.scopes()

    @property
    def is_current(self) -> bool:
        """Whether the file has the form that this version writes."""
        return self.format == len(MIGRATIONS)

    def count(self, table: str) -> int:
        """Return how many rows a collection has; 0 for one that the file has not."""
        if table not in self.tables:
            return 0
        return int(self.sql.rows(f"SELECT count(*) FROM {self.tables[table].sql}")[0][0])

    def rows(self, table: str) -> Iterator[Owned]:
        """Yield the rows of a collection that the file may have, oldest first; unreadable ones are left out."""
        if table not in self.tables:
            return
        for owner, text in self._read(self.tables[table].sql, "_scope, _row"):
            row = parsed(text)
            if row is not None:
                yield Owned(owner, row)

    def spaces(self, table: str) -> dict[str, int]:
        """Return how many rows have a vector in each space; "" for those without one."""
        if table not in self.tables or not self.is_current:
            return {}
        found = self.sql.rows(
            f"SELECT coalesce(name, ''), count(*) FROM {self.tables[table].sql} LEFT JOIN _spaces ON _space = number "
            "GROUP BY ALL ORDER BY ALL"
        )
        return {name: int(count) for name, count in found}

    def without_passages(self, table: str, space: str) -> int:
        """Return how many rows have a vector in this space, and may need others for the passages of their texts."""
        if table not in self.tables or not self.is_current:
            return 0
        numbers = [
            number for number, name in self.sql.rows("SELECT number, name FROM _spaces") if same_model(name, space)
        ]
        query = f"SELECT count(*) FROM {self.tables[table].sql} WHERE _space = ? AND {WITHOUT_PASSAGES}"
        return sum(int(self.sql.rows(query, [number])[0][0]) for number in numbers)

    def _read(self, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
        last = -1
        while found := self.sql.rows(
            f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT {AT_ONCE}", [last]
        ):
            yield from (cells[1:] for cells in found)
            last = found[-1][0]


def parsed(text: str) -> Row | None:
    """Return the row that was stored as this text, or None when it is not one, with an id.

    >>> parsed('{"id":"f1"}'), parsed('{"id":'), parsed("[]"), parsed("{}")
    ({'id': 'f1'}, None, None, None)
    """
    try:
        row = json.loads(text)
    except ValueError:
        return None
    return row if is_dict(row) and isinstance(row.get("id"), str) else None
