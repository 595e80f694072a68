"""The little that the store's files need from a database connection, so that only one of them imports the driver."""

import re
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from fabric.errors import StoreError

T = TypeVar("T")
MARKED = 200
"""Up to how many keys are looked up one by one in the index; for more the keys of all rows are read."""
_READS = ("SELECT", "WITH")
"""How queries begin that change nothing."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


class Connection(Protocol):
    """A database connection with parameters as ``?``."""

    def execute(self, query: str, parameters: Any = None) -> Any:
        """Run one statement."""
        ...

    def create(self, statements: Sequence[str]) -> None:
        """Run statements that create tables and their indexes."""
        ...

    def fetchall(self) -> list[Any]:
        """Return the rows of the last statement."""
        ...

    def fetchnumpy(self) -> Any:
        """Return the columns of the last statement by name, as arrays; masked where a value is missing."""
        ...

    def cursor(self) -> "Connection":
        """Return another connection to the same database, with transactions of its own."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


class Sql:
    """Statements on one connection, for as long as their transaction lasts.

    With ``atomic`` they are one transaction, begun by the first that writes: nobody else writes meanwhile, so that what
    is read before it stays true, and one that only reads costs no more than its queries.
    """

    __slots__ = ("_connection", "_waits")

    def __init__(self, connection: Connection, *, atomic: bool = False) -> None:
        self._connection: Connection | None = connection
        self._waits = atomic

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        found: list[tuple[Any, ...]] = self._run(query, parameters).fetchall()
        return found

    def arrays(self, query: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Run a statement whose columns have different names, and return each as an array, many times as fast.

        Texts and bytes are objects; an array with missing values is masked.
        """
        return list(self._run(query, parameters).fetchnumpy().values())

    def _run(self, query: str, parameters: Sequence[Any]) -> Connection:
        connection = self._begun(writes=not query.startswith(_READS))
        connection.execute(query, list(parameters))
        return connection

    def _begun(self, *, writes: bool) -> Connection:
        if self._connection is None:
            raise StoreError("this transaction is over: use the rows inside the function given to transact")
        if self._waits and writes:
            self._connection.execute("BEGIN TRANSACTION")
            self._waits = False
        return self._connection

    def create(self, statements: Sequence[str]) -> None:
        """Run statements that create tables and their indexes."""
        self._begun(writes=True).create(statements)

    def run(self, query: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement that writes and return how many rows it changed."""
        found = self.rows(query, parameters)
        return int(found[0][0]) if found else 0

    @property
    def is_begun(self) -> bool:
        """Whether a transaction was begun that has something to commit."""
        return not self._waits and self._connection is not None

    def commit(self) -> None:
        """Make the statements of an atomic one last, if there were any."""
        if self._connection is not None and self.is_begun:
            self._connection.execute("COMMIT")

    def end(self) -> None:
        """Refuse every later statement."""
        self._connection = None


def identifier(name: str, what: str) -> str:
    """Return ``name`` quoted for SQL; raise StoreError unless it is a plain lower-case name."""
    if not _NAME.fullmatch(name):
        raise StoreError(
            f"{what} {name!r} cannot be stored: expected at most 63 lower-case letters, digits and underscores, "
            "the first a letter"
        )
    return f'"{name}"'


def marks(values: Sequence[object]) -> str:
    """Return one ``?`` per value, separated by commas."""
    return ", ".join("?" * len(values))


def among(keys: Sequence[int]) -> tuple[str, list[Any]]:
    """Return what follows ``IN`` for row keys, and its parameters; a list is planned faster than many ``?``.

    >>> among([7])
    ('(?)', [7])
    """
    if len(keys) <= MARKED:
        return f"({marks(keys)})", list(keys)
    return "(SELECT unnest(?::HUGEINT[]))", [list(keys)]
