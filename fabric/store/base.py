"""The seam to a database: what a back end must do. A back end is one class that passes ``tests/contract``.

Rows are JSON objects, owned by a scope. All verbs of `Rows` run on the store's own thread, inside one transaction:
the callable given to `Store.transact` sees a consistent state, and either all of its writes happen or none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from ..scope import Scope
from ..search.base import ColumnType, Match, SearchView

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

T = TypeVar("T")
SYSTEM = Scope("org", '["system"]')
"""The owner of the engine's own rows; no session can be opened with it."""

Row = dict[str, Any]
"""A row as it was put: JSON values only. It always has ``id``, a string unique in its collection and scope."""


@dataclass(frozen=True, slots=True)
class Table:
    """One collection as the store sees it.

    ``columns`` are the fields that ``find`` may filter and order by; they are also kept as typed columns.
    ``text`` names the field that is searched, or is "" when the collection is not. ``terms`` returns what a row is
    found by, tokens without white space; None for the words of the text. A token may be a term, a tab, and how the term
    was spelled. ``kept`` are the columns that its index keeps in memory, and ``thread`` is the one of them whose rows
    follow one another. ``packed`` are those of them that need no typed column, since they are asked for through the
    index alone: a row with fewer columns is written faster.
    """

    name: str
    columns: Mapping[str, ColumnType]
    text: str = ""
    terms: Callable[[Row], Sequence[str]] | None = None
    kept: tuple[str, ...] = ()
    thread: str = ""
    packed: tuple[str, ...] = ()


class RowVectors(NamedTuple):
    """Unit vectors of rows by their ids, all of one space: what one model makes of texts.

    That of a row has shape (dimension,); where its text has passages, (1 + passages, dimension), the whole text first.
    """

    space: str
    by_id: "Mapping[str, NDArray[float32]]"


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made: where it stands, its size in bytes, and how many rows each table has."""

    path: Path
    size: int
    rows: dict[str, int]


class Where(NamedTuple):
    """One condition of `Rows.find`: ``field op value``. ``value`` of ``in`` is a sequence; of ``null``, a bool.

    A missing field equals None, differs from every other value, and is neither less nor greater than any. A value
    that the column cannot hold raises StoreError. Times are compared as moments, however spelled; a naive one is UTC.
    """

    field: str
    op: Literal["=", "!=", "<", "<=", ">", ">=", "in", "null"]
    value: Any


class Rows(Protocol):
    """The verbs inside one transaction. Every one of them names the scope that owns the rows."""

    def get(self, table: Table, scope: Scope, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, in the order of ``ids``, missing ones left out."""
        ...

    def find(
        self,
        table: Table,
        scope: Scope,
        where: Sequence[Where] = (),
        order: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Row]:
        """Return the rows that meet all conditions, in order of first insertion.

        ``order`` names a column to order by instead, descending with a leading ``-``; ties by insertion, and rows
        without a value last. A negative ``limit`` or ``offset`` raises StoreError.
        """
        ...

    def count(self, table: Table, scope: Scope, where: Sequence[Where] = ()) -> int:
        """Return how many rows meet all conditions."""
        ...

    def put(
        self, table: Table, scope: Scope, rows: Iterable[Row], vectors: RowVectors | None = None, *, new: bool = False
    ) -> None:
        """Insert the rows, or replace those of the same id, keeping their place in insertion order.

        A replaced row without a new vector keeps the one it has as long as its terms are the same. ``new`` promises
        that the scope has no row of these ids, which need not be looked for then.
        """
        ...

    def delete(self, table: Table, scope: Scope, ids: Sequence[str]) -> int:
        """Delete the rows with these ids; return how many there were."""
        ...

    def clear(self, table: Table, scope: Scope) -> int:
        """Delete every row of the scope; return how many there were."""
        ...

    def owners(self) -> list[Scope]:
        """Return every scope that ever wrote a row or a document and was not purged since."""
        ...

    def purge(self, scope: Scope) -> dict[str, int]:
        """Delete every row and document that the scope owns, in every table the file has, known now or not.

        Returns the number deleted per table (and ``documents``), zeros left out.
        """
        ...

    def tables(self) -> list[str]:
        """Return the name of every table that the file has, known now or not, then ``documents``."""
        ...

    def scan(self, scope: Scope, table: str) -> Iterator[Row]:
        """Yield the rows that the scope owns in one of these tables, page by page, in order of first insertion.

        In all tables together that is what `purge` deletes. A document is its key as ``id``, and its ``value``; they
        come by key.
        """
        ...

    def containing(self, scopes: Sequence[Scope], table: str, texts: Sequence[str]) -> Iterator[tuple[Scope, Row]]:
        """Yield the rows, as `scan` gives them, of these scopes in one of these tables that hold one of the texts.

        A row holds a text that stands in one of its strings, or in JSON that one of them holds; case counts. One that
        has it as a key may come too.
        """
        ...

    def newest(self, table: Table, limit: int) -> list[Row]:
        """Return the rows that were inserted last, whoever owns them, in that order: at most so many, or a few less."""
        ...

    def match(self, table: Table, scope: Scope, words: Sequence[str], limit: int) -> list[Match]:
        """Return the rows whose text shares most words with ``words``, best first, ties by insertion.

        ``words`` are terms as ``table.terms`` returns them, by default tokens of `fabric.text.words`.
        """
        ...

    def index(self, table: Table, scope: Scope, space: str = "") -> SearchView | None:
        """Return the terms, kept columns and, of ``space``, vectors of the scope's rows; None when it owns nothing.

        It is the store's own and sees what this transaction writes: read it inside the transaction only.
        """
        ...

    def set_vectors(self, table: Table, scope: Scope, vectors: RowVectors) -> int:
        """Give rows that are there their vectors, in place of those they had; return how many rows there were."""
        ...

    def outside_space(self, table: Table, scope: Scope, space: str, limit: int) -> list[Row]:
        """Return the first rows that have no vector in this space, or are `without_passages`."""
        ...

    def without_passages(self, table: Table, scope: Scope, space: str) -> int:
        """Return how many rows may be long and have one vector in this space, none for the passages of their texts."""
        ...

    def spaces(self, table: Table, scope: Scope) -> dict[str, int]:
        """Return how many rows have a vector in each space; "" stands for those that have none."""
        ...

    def read(self, key: str, scope: Scope) -> Any:
        """Return the document's JSON value, or None when it was never written."""
        ...

    def write(self, key: str, scope: Scope, value: Any) -> None:
        """Write the document's JSON value; None removes the document."""
        ...

    def afterwards(self, call: Callable[[], object]) -> None:
        """Call a function once the transaction is committed and before the next begins; never if it is rolled back.

        It brings what is held in memory in line with the file: it must be quick, and must not raise.
        """
        ...


class Store(Protocol):
    """A database: opened by its constructor's arguments, used by any number of threads and event loops."""

    @property
    def location(self) -> str:
        """The path of the file, or ``:memory:``."""
        ...

    def open(self) -> None:
        """Open and migrate; raise StoreLockedError, NotOurFileError, NewerFileError or StoreError."""
        ...

    def close(self) -> None:
        """Finish what was begun and close; further calls raise StoreError. Closing twice is harmless."""
        ...

    def define(self, *tables: Table) -> None:
        """Make the tables known, creating or widening them, all or none; the same definition twice is harmless.

        Raises ResourceConflictError when a name is known with other types of columns.
        """
        ...

    async def transact(self, work: Callable[[Rows], T]) -> T:
        """Run ``work`` in one transaction on the store's thread and return its result.

        An exception of ``work`` rolls everything back and is raised here.
        """
        ...

    def transact_sync(self, work: Callable[[Rows], T]) -> T:
        """Do the same from a thread that has no event loop."""
        ...

    def snapshot(self) -> AbstractContextManager[Rows]:
        """Give the rows as they are committed now, to be read by one thread at a time, whatever is written meanwhile.

        They are not kept in memory, and what would write raises StoreError. Closing the store closes them.
        """
        ...

    def scopes(self, table: Table) -> list[Scope]:
        """Return every scope that owns a row of the table."""
        ...

    def backup(self, to: str | PathLike[str]) -> Backup:
        """Copy what is committed now to a new file, while others write; what is there opens like any other.

        StoreError, and nothing is left behind, where ``to`` exists, or there is no file to copy, as of ``:memory:``.
        """
        ...
