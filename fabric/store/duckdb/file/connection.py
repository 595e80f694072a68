"""A connection to a DuckDB database, as the store uses it: its settings, and statements that are parsed once."""

import ctypes
import os
from functools import lru_cache
from typing import Any
from weakref import WeakSet

from ..sql import Connection

SETTINGS: dict[str, Any] = {
    "threads": 1,
    "memory_limit": "1GB",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "enable_external_access": False,
    "python_enable_replacements": False,
}
PARSED = 256
"""How many statements with parameters are kept parsed."""
_CONNECTIONS: "WeakSet[Parsing]" = WeakSet()


class Parsing:
    """A connection that parses a statement with parameters once; each run plans it anew, for the tables as they are.

    With ``database``, its statements are about that one of several databases.
    """

    def __init__(self, connection: Any, database: str = "") -> None:
        self._connection = connection
        self._database = database
        if database:
            connection.execute(f"USE {database}")
        self._parsed = lru_cache(PARSED)(self._parse)
        _CONNECTIONS.add(self)

    def execute(self, query: str, parameters: Any = None) -> Any:
        """Run one statement."""
        return self._connection.execute(self._parsed(query) if parameters else query, parameters)

    def fetchall(self) -> list[Any]:
        """Return the rows of the last statement."""
        found: list[Any] = self._connection.fetchall()
        return found

    def fetchnumpy(self) -> Any:
        """Return the columns of the last statement by name, as arrays."""
        return self._connection.fetchnumpy()

    def cursor(self) -> Connection:
        """Return another connection to the same database, with transactions of its own."""
        return self.to(self._database)

    def to(self, database: str) -> "Parsing":
        """Return a connection to another database of the same instance."""
        return Parsing(self._connection.cursor(), database)

    def close(self) -> None:
        """Close it."""
        self._parsed.cache_clear()
        self._connection.close()

    def leave(self) -> None:
        """Let the connection never be closed here: its end would write to the file of the process that opened it."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))

    def _parse(self, query: str) -> Any:
        (statement,) = self._connection.extract_statements(query)
        return statement


def _after_fork() -> None:
    """Leave the parent's databases alone, in a child that was forked from it."""
    for connection in list(_CONNECTIONS):
        connection.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
