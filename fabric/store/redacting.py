"""A store that takes secrets out of whatever is written: the one door to all that is at rest."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from ..scope import Scope
from .base import Row, Rows, RowVectors, Store, Table

T = TypeVar("T")
Clean = Callable[[Any], Any]


def redacting(store: Store, clean: Clean) -> Store:
    """Return a store that does what ``store`` does, with ``clean`` applied to all rows and documents that it writes.

    What was cleaned before is the same again, so that blocks may do it early, to work with what will be stored.
    """
    return cast("Store", _Store(store, clean))


class _Store:
    """The store's own verbs; what a transaction is handed writes through ``clean``."""

    __slots__ = ("_clean", "_store")

    def __init__(self, store: Store, clean: Clean) -> None:
        self._store = store
        self._clean = clean

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def transact(self, work: Callable[[Rows], T]) -> T:
        return await self._store.transact(self._through(work))

    def transact_sync(self, work: Callable[[Rows], T]) -> T:
        return self._store.transact_sync(self._through(work))

    def _through(self, work: Callable[[Rows], T]) -> Callable[[Rows], T]:
        return lambda rows: work(cast("Rows", _CleanRows(rows, self._clean)))


class _CleanRows:
    """The rows of one transaction; what is written to them is cleaned first."""

    __slots__ = ("_clean", "_rows")

    def __init__(self, rows: Rows, clean: Clean) -> None:
        self._rows = rows
        self._clean = clean

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def put(
        self, table: Table, scope: Scope, rows: Iterable[Row], vectors: RowVectors | None = None, *, new: bool = False
    ) -> None:
        self._rows.put(table, scope, [self._clean(row) for row in rows], vectors, new=new)

    def write(self, key: str, scope: Scope, value: Any) -> None:
        self._rows.write(key, scope, self._clean(value))
