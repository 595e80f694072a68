"""A snapshot: what was committed at one moment, read at leisure beside the transactions that come after it."""

from collections.abc import Callable, Sequence
from threading import Lock
from types import TracebackType
from typing import Any

from fabric.errors import StoreError

from .catalog import Catalog
from .file.opening import translated
from .rows.row_cache import RowCache
from .rows.rows import SqlRows
from .rows.searching import Indexes
from .sql import Connection, Sql


class Snapshot:
    """A read-only transaction on a cursor of its own, as a context manager that gives the rows as of its beginning.

    It is begun on the store's thread, and may be read on any. Its catalog and caches are copies, as those of the store
    follow later commits. DuckDB's errors are raised as `StoreError`.
    """

    def __init__(
        self, connection: Connection, location: str, defined: Catalog, closed: Callable[["Snapshot"], None]
    ) -> None:
        self._sql = _Reading(connection.cursor(), location)
        self._closed = closed
        self._catalog = defined.copied()
        try:
            self._sql.rows("BEGIN TRANSACTION READ ONLY")
            self._sql.rows("SELECT count(*) FROM _meta")  # its moment is that of the first read
            self._catalog.count(self._sql)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the transaction. Closing twice is harmless."""
        self._sql.end()
        self._closed(self)

    def __enter__(self) -> SqlRows:
        return SqlRows(self._sql, self._catalog, Indexes(), RowCache(most=0))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Reading(Sql):
    """Statements that may be run by another thread than the one that ends them."""

    __slots__ = ("_location", "_lock")

    def __init__(self, connection: Connection, location: str) -> None:
        super().__init__(connection)
        self._location = location
        self._lock = Lock()

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        with self._lock, translated(self._location):
            self._check()
            return super().rows(query, parameters)

    def arrays(self, query: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Run a statement and return its columns."""
        with self._lock, translated(self._location):
            self._check()
            return super().arrays(query, parameters)

    def end(self) -> None:
        """Close the connection, once no statement is run."""
        with self._lock, translated(self._location):
            if self._connection is not None:
                self._connection.close()
            super().end()

    def _check(self) -> None:
        if self._connection is None:
            raise StoreError(f"{self._location}: this snapshot is over, or its store was closed: take another one")
