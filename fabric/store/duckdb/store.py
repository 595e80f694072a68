"""The store over DuckDB: one file, one connection, one thread that runs every transaction in turn."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from inspect import iscoroutine
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.errors import StoreError
from fabric.lazy import lazy
from fabric.scope import Scope
from fabric.telemetry.tracing import Span, span
from fabric.threads import processes
from fabric.threads.portal import undivided

from ..base import Backup, Rows, Table
from ..lanes import Lanes
from ..worker import Worker
from .catalog import Catalog, StoredCollection
from .check.index_check import Rules
from .check.mending import mend_rows, remake_indexes
from .file.opening import MEMORY, connect, opened_path, translated
from .file.place import Place
from .migrations import migrate
from .rows.row_cache import RowCache
from .rows.rows import SqlRows
from .rows.searching import Indexes, Searching
from .snapshot import Snapshot
from .sql import Connection, Sql

if TYPE_CHECKING:
    from . import backup as backups
    from .file import rescue
else:
    backups = lazy(".backup", __package__)
    rescue = lazy(".file.rescue", __package__)

T = TypeVar("T")


class DuckDBStore:
    """`Store` in the DuckDB file at ``path``, or in memory only with ``":memory:"``.

    >>> from fabric.scope import Scope
    >>> store = DuckDBStore(":memory:")
    >>> store.open()
    >>> notes, jake = Table("notes", {}), Scope("user", '["user",null,"jake"]')
    >>> store.define(notes)
    >>> store.transact_sync(lambda rows: rows.put(notes, jake, [{"id": "n1", "text": "joined Stripe"}]))
    >>> store.transact_sync(lambda rows: rows.find(notes, jake))
    [{'id': 'n1', 'text': 'joined Stripe'}]
    >>> store.close()
    """

    def __init__(self, path: str | Path) -> None:
        self._location = MEMORY if str(path) == MEMORY else str(Path(path).expanduser())
        self._process = processes.current()
        self._worker: Worker | None = None
        self._lanes = Lanes()
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._place: Place | None = None
        self._release: Callable[[], object] = lambda: None
        self._catalog = Catalog()
        self._indexes = Indexes()
        self._row_cache = RowCache()
        self._identity = ""
        self._snapshots: set[Snapshot] = set()

    @property
    def location(self) -> str:
        """The path of the file, or ``:memory:``."""
        return self._location

    @property
    def identity(self) -> str:
        """The random id that the file got when it was made, whatever it is called now; "" before it is open."""
        return self._identity

    def open(self) -> None:
        """Open and migrate; raise StoreLockedError, NotOurFileError, NewerFileError or StoreError."""
        with self._lock:
            if self._worker is not None:
                raise StoreError(f"{self._location} is open already")
            worker = Worker("fabric-store")
            try:
                worker.submit(self._open).result()
            except BaseException:
                worker.shutdown()
                raise
            self._worker = worker

    def close(self) -> None:
        """Finish what was begun and close; further calls raise StoreError. Closing twice is harmless."""
        self._check_thread()
        with self._lock:
            worker, self._worker = self._worker, None
            if worker is not None:
                closed = worker.submit(self._close)
                worker.shutdown()
                closed.result()

    def define(self, *tables: Table) -> None:
        """Make the tables known, creating or widening them, all or none; the same definition twice is harmless.

        Raises ResourceConflictError when a name is known with other types of columns.
        """
        self._submit(self._define, tables).result()

    async def transact(self, work: Callable[[Rows], T]) -> T:
        """Run ``work`` in one transaction on the store's thread and return its result.

        A cancelled call that has not begun does nothing; one that has begun finishes as a whole before its caller is
        told, so that nothing of it comes later.
        """
        with _span() as traced:
            begun: Future[T] = self._submit(self._transact, work, traced, time.perf_counter())
            return await undivided(begun)

    def transact_sync(self, work: Callable[[Rows], T]) -> T:
        """Do the same from a thread that has no event loop."""
        with _span() as traced:
            begun: Future[T] = self._submit(self._transact, work, traced, time.perf_counter())
            return begun.result()

    def snapshot(self) -> Snapshot:
        """Give the rows as they are committed now, to be read by one thread at a time, whatever is written meanwhile.

        They are not kept in memory, and what would write raises StoreError. Closing the store closes them.
        """
        return self._submit(self._snapshot).result()

    def backup(self, to: str | PathLike[str]) -> Backup:
        """Copy the file to ``to`` as it is committed now, and read the copy through."""
        return backups.back_up(self.location, fspath(to))

    def scopes(self, table: Table) -> list[Scope]:
        """Return every scope that owns a row of the table, in the order in which they first wrote to the file."""
        return self._submit(self._scopes, table).result()

    def rebuild(self, tables: Sequence[Table], moved: Callable[[int], object] = lambda _: None) -> dict[str, int]:
        """Make anew, from the rows of the file, what they are found by; return how many of each collection were wrong.

        ``tables`` tell the terms of their rows; those of other collections stay. A vector that cannot be used is
        dropped: `reembed` gives its row another.
        """
        return self._submit(self._rebuild, tables, moved).result()

    def _submit(self, function: Callable[..., T], *arguments: Any) -> "Future[T]":
        self._check_thread()
        if self._process != processes.current():
            raise StoreError(f"{self._location}: {processes.FORKED}")
        with self._lock:
            if self._worker is None:
                raise StoreError(f"{self._location} is not open: open the store first, and do not use it once closed")
            return self._lanes.submit(self._worker, function, *arguments)

    def _check_thread(self) -> None:
        worker = self._worker
        if worker is not None and worker.is_here:
            raise StoreError("a transaction cannot be begun inside a transaction: use the rows that it was given")

    def _open(self) -> None:
        connection, release, new = connect(self._location)
        try:
            with translated(self._location):
                sql = Sql(connection, atomic=True)
                self._whole(connection, sql, lambda: migrate(sql, self._location, new=new))
                self._identity = str(sql.rows("SELECT value FROM _meta WHERE name = 'identity'")[0][0])
                self._catalog, self._indexes, self._row_cache = Catalog(), Indexes(), RowCache()
                if new:
                    self._indexes.spaces, self._indexes.runs = {}, {}
                else:
                    self._catalog.load(sql)
        except BaseException:
            connection.close()
            release()
            raise
        self._connection, self._release = connection, release
        if self._location != MEMORY:
            self._place = Place(opened_path(self._location), lambda: self._submit(self._merge).result())

    def _merge(self) -> None:
        with translated(self._location):
            self._connected().execute("CHECKPOINT")

    def _snapshot(self) -> Snapshot:
        found = Snapshot(self._connected(), self._location, self._catalog, self._snapshots.discard)
        self._snapshots.add(found)
        return found

    def _close(self) -> None:
        for snapshot in list(self._snapshots):
            snapshot.close()
        connection, place = self._connection, self._place
        lost = ""
        try:
            if connection is not None:
                if place is not None:
                    self._keep_runs(connection)
                    with suppress(StoreError):
                        self._merge()  # a log is merged also where nothing was written since
                    lost = "" if place.is_here else _saved(place)
                with translated(self._location):
                    connection.close()
        finally:
            self._connection = self._place = None
            self._release()
            if place is not None:
                place.close()
        if lost:
            raise StoreError(lost)

    def _keep_runs(self, connection: Connection) -> None:
        """Keep tokens as runs, so that indexes are made faster next time; nothing is lost where that fails.

        Not before: between the writes of an import they would keep the file from shrinking.
        """
        tables = {collection.name: collection for collection in self._catalog.tables()}
        with suppress(StoreError), translated(self._location):
            for table, owner in {*self._indexes, *self._indexes.grown}:
                sql = Sql(connection, atomic=True)
                keep = partial(Searching(sql, self._indexes).keep_runs, tables[table], owner)
                self._whole(connection, sql, keep)

    def _connected(self) -> Connection:
        if self._connection is None:
            raise StoreError(f"{self._location} is closed")
        return self._connection

    def _transact(self, work: Callable[[Rows], T], traced: Span, asked: float) -> T:
        traced.note({"fabric.store.wait_seconds": time.perf_counter() - asked})
        connection = self._connected()
        sql = Sql(connection, atomic=True)
        rows = SqlRows(sql, self._catalog, self._indexes, self._row_cache)
        try:
            with traced.current(), translated(self._location):
                result = self._whole(connection, sql, partial(_plain, work, rows))
        except BaseException:
            self._forget(connection, rows)
            raise
        else:
            rows.committed()
            traced.note({"fabric.store.written": sorted({table for table, _ in rows.touched})})
            return result
        finally:
            sql.end()
            self._catalog.touched = False

    def _whole(self, connection: Connection, sql: Sql, step: Callable[[], T]) -> T:
        try:
            result: T = step()
            if self._place is not None and sql.is_begun:
                self._place.check()
            sql.commit()
        except BaseException:
            self._roll_back(connection)
            raise
        return result

    def _roll_back(self, connection: Connection) -> None:
        with translated(self._location, ignore=True):
            connection.execute("ROLLBACK")  # refused where nothing was begun, or the database rolled back by itself

    def _forget(self, connection: Connection, rows: SqlRows) -> None:
        """Make what is kept in memory true again after a rollback."""
        for table, scope in rows.touched:
            self._indexes.drop(table, scope)
        self._indexes.spaces = self._indexes.runs = None
        for collection in self._catalog.tables():
            collection.forget_sizes()
        if self._catalog.touched:
            with translated(self._location, ignore=True):
                self._catalog.reload_scopes(Sql(connection))

    def _define(self, tables: Sequence[Table]) -> None:
        wanted = self._catalog.missing(tables)
        if wanted:
            self._install(wanted)
            self._row_cache = RowCache()  # what their rows are searched by is filled in later
        for table in tables:
            if self._catalog.learn(table):
                self._indexes.drop_table(table.name)

    def _install(self, wanted: Sequence[StoredCollection]) -> None:
        sql = Sql(self._connected(), atomic=True)

        def install() -> None:
            for grown in self._catalog.install(sql, wanted):
                SqlRows(sql, self._catalog, self._indexes, self._row_cache).fill(grown)

        with translated(self._location):
            self._whole(self._connected(), sql, install)
        self._catalog.register(wanted)

    def _rebuild(self, tables: Sequence[Table], moved: Callable[[int], object]) -> dict[str, int]:
        connection = self._connected()
        sql = Sql(connection, atomic=True)
        every = self._catalog.tables()

        def rows() -> dict[str, int]:
            rules = Rules(sql, self._catalog.scopes().keys(), tables)
            sql.run("DELETE FROM _token_runs")
            return {collection.name: mend_rows(sql, collection, rules, moved) for collection in every}

        with translated(self._location):
            mended = self._whole(connection, sql, rows)
            connection.execute("CHECKPOINT")  # an index is not made over changes that wait to be merged
            again = Sql(connection, atomic=True)
            self._whole(connection, again, lambda: remake_indexes(again, every))
        self._indexes, self._row_cache = Indexes(), RowCache()
        for collection in every:
            collection.forget_sizes()
        return {name: count for name, count in mended.items() if count}

    def _scopes(self, table: Table) -> list[Scope]:
        with translated(self._location):
            collection = self._catalog.table(table)
            found = Sql(self._connected()).rows(f"SELECT DISTINCT _scope FROM {collection.sql} ORDER BY _scope")
        scopes = self._catalog.scopes()
        return [scopes[number] for (number,) in found]


def _saved(place: Place) -> str:

    return rescue.saved(place)


def _span() -> Span:
    names = {"db.system.name": "duckdb", "db.operation.name": "transaction"}
    return span("transaction", names, kind="client")


def _plain(work: Callable[[Rows], T], rows: SqlRows) -> T:
    result = work(rows)
    if iscoroutine(result):
        result.close()
        raise StoreError("the work of a transaction is a plain function, got an async one: do the waiting outside")
    rows.flush()
    return result
