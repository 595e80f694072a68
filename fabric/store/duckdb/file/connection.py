"""A connection to a DuckDB database, as the store uses it: its settings, and statements that are parsed once."""

import ctypes
import os
from collections.abc import Sequence
from threading import Lock
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
"""How many statements are kept parsed."""
_parsed: dict[str, Any] = {}
"""Statements by their text, those parsed first at the beginning: they belong to no database."""
_lock = Lock()
_CONNECTIONS: "WeakSet[Parsing]" = WeakSet()


class Parsing:
    """A connection whose statements a process parses once; each run plans them anew, for the tables as they are.

    With ``database``, its statements are about that one of several databases.
    """

    def __init__(self, connection: Any, database: str = "") -> None:
        self._connection = connection
        self._database = database
        if database:
            self.once(f"USE {database}")
        _CONNECTIONS.add(self)

    def execute(self, query: str, parameters: Any = None) -> Any:
        """Run one statement."""
        return self._connection.execute(_parsed.get(query) or self._parse(query), parameters)

    def once(self, query: str) -> None:
        """Run a statement that does not come again as it stands."""
        self._connection.execute(query)

    def create(self, statements: Sequence[str]) -> None:
        """Run statements that create tables and their indexes."""
        for statement in statements:
            self.execute(statement)

    def fetchall(self) -> list[Any]:
        """Return the rows of the last statement."""
        found: list[Any] = self._connection.fetchall()
        return found

    def fetchnumpy(self) -> Any:
        """Return the columns of the last statement by name, as arrays."""
        return self._connection.fetchnumpy()

    def cursor(self) -> Connection:
        """Return another connection to the same database, with transactions of its own."""
        return Parsing(self.another(), self._database)

    def another(self) -> Any:
        """Return a connection of the driver to the same instance."""
        return self._connection.cursor()

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def leave(self) -> None:
        """Let the connection never be closed here: its end would write to the file of the process that opened it."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))

    def _parse(self, query: str) -> Any:
        (statement,) = self._connection.extract_statements(query)
        with _lock:
            while len(_parsed) >= PARSED:
                del _parsed[next(iter(_parsed))]
            _parsed[query] = statement
        return statement


def _after_fork() -> None:
    """Leave the parent's databases alone, in a child that was forked from it."""
    global _lock  # noqa: PLW0603  another thread of the parent may have held it
    _lock = Lock()
    for connection in list(_CONNECTIONS):
        connection.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
