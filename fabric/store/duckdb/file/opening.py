"""Opening a DuckDB file without harming one that is not ours, and its errors in our words."""

import os
import re
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from fabric.errors import NotOurFileError, StoreError, StoreLockedError
from fabric.lazy import lazy

from ..migrations import APPLICATION, SYSTEM_TABLES, check_format, file_format
from ..sql import Connection, Sql
from .advice import advice
from .connection import SETTINGS, Parsing
from .log import HEADER_BYTES, check_log, log_of
from .memory import in_memory

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = lazy("duckdb")

MEMORY = ":memory:"
RETRIES = 5
RETRY_SECONDS = 0.1
_MAGIC = b"DUCK"
_MAGIC_OFFSET = 8
_PID = re.compile(r"PID (\d+)")
_PROGRAM = re.compile(r"held in (.+?) \(PID")
_LOCKED = re.compile(r"could not set lock|conflicting lock|being used by another process", re.IGNORECASE)
_open_files: dict[str, int] = {}
"""The files that are open, and the process that opened them: this one, or the one it was forked from."""
_open_lock = Lock()


@contextmanager
def translated(location: str, *, ignore: bool = False) -> Generator[None]:
    """Turn every error of the driver into a StoreError of one line; with ``ignore``, into nothing."""
    try:
        yield
    except duckdb.Error as error:
        if not ignore:
            raise StoreError(f"{location}: {_first_line(error)}{advice(error)}") from error


def connect(location: str) -> tuple[Connection, Callable[[], object], bool]:
    """Open the file; return the connection, what to call after closing it, and whether the file is new."""
    if location == MEMORY:
        with translated(location):
            return *in_memory(), True
    with naming(location):
        path = opened_path(location)
        str(path).encode()  # the driver takes no other names
        release = _claim(path)
    try:
        check_log(path)
        connection, new = _opened(path)
    except BaseException:
        release()
        raise
    return connection, release, new


@contextmanager
def naming(location: str | Path) -> Generator[None]:
    """Turn what is wrong with a name, such as its length, into a StoreError that says so."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        raise StoreError(f"{str(location)!r:.200} cannot be a path: {error}") from error


def opened_path(location: str | Path) -> Path:
    """Return the file itself that a location leads to: its log stands beside it, not beside a link to it."""
    return Path(location).absolute().resolve()


def is_open_here(path: Path) -> bool:
    """Return whether this process has the file open, which looking into it another time would free for others."""
    with _open_lock:
        return str(path) in _open_files


def _claim(path: Path) -> Callable[[], None]:
    real = str(path)
    with _open_lock:
        held = next((pid for known, pid in _open_files.items() if known == real or _is_same(known, path)), None)
        if held is not None:
            raise _locked(str(path), held)
        _open_files[real] = os.getpid()

    def release() -> None:
        with _open_lock:
            _open_files.pop(real, None)

    return release


def _is_same(known: str, path: Path) -> bool:
    """Return whether two names are of one file, as hard links are."""
    try:
        return path.samefile(known)
    except OSError:
        return False


def _opened(path: Path) -> tuple[Connection, bool]:
    """Open the file, and return whether it is new.

    One with a log is looked into first: opening it merges the log, and what is not ours is left as it was.
    """
    blank = True if _is_new(path) else _is_blank(path) if log_of(path).exists() else None
    connection = Parsing(_connect(str(path), read_only=False))
    try:
        if blank is None:
            with translated(str(path)):
                blank = not _has_tables_of_ours(Sql(connection), path)
    except BaseException:
        connection.close()
        raise
    return connection, blank


def _is_new(path: Path) -> bool:
    """Return whether there is no file yet; raise an error when it cannot be a DuckDB file."""
    size = _size(path)
    if size < 0 and not path.parent.is_dir():
        raise StoreError(f"{path} cannot be made: there is no directory {path.parent}")
    return size < 0 or (size < HEADER_BYTES and _is_unfinished(path))


def _size(path: Path) -> int:
    """Return how many bytes the file has, -1 where there is none; raise an error when it cannot be a DuckDB file."""
    try:
        if path.is_dir():
            raise NotOurFileError(f"{path} is a directory: give the path of a file")
        if not path.exists():
            return -1
        if not path.is_file():
            raise NotOurFileError(f"{path} is not a regular file: give the path of a file")
        with path.open("rb") as file:
            start = file.read(_MAGIC_OFFSET + len(_MAGIC))
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}{advice(error)}") from error
    if start and start[_MAGIC_OFFSET:] != _MAGIC:
        raise NotOurFileError(f"{path} is not a {APPLICATION} file: give another path; the file was not changed")
    return path.stat().st_size


def _is_unfinished(path: Path) -> bool:
    """Return whether the making of the file was cut short before it could hold anything; if so, clear it away."""
    try:
        _connect(str(path), read_only=False).close()
    except StoreLockedError:
        raise
    except StoreError:
        if path.stat().st_size >= HEADER_BYTES:
            raise
        path.unlink()
        return True
    return False


def _is_blank(path: Path) -> bool:
    """Return whether the database has no table at all; raise an error unless it is that or ours, changing nothing."""
    connection = Parsing(_connect(str(path), read_only=True))
    try:
        with translated(str(path)):
            sql = Sql(connection)
            return not _has_tables_of_ours(sql, path)
    finally:
        connection.close()


def _has_tables_of_ours(sql: Sql, path: Path) -> bool:
    """Return False for a database without any table; raise an error for one that is not ours, or newer than us."""
    tables = {name for (name,) in sql.rows("SELECT table_name FROM duckdb_tables()")}
    if not tables:
        return False
    found = sql.rows("SELECT value FROM _meta WHERE name = 'application'") if tables >= SYSTEM_TABLES else []
    if found != [(APPLICATION,)]:
        raise NotOurFileError(
            f"{path} is a DuckDB file, but not one of {APPLICATION}: give another path; it was not changed"
        )
    check_format(file_format(sql), str(path))
    return True


@contextmanager
def reading(location: str | Path) -> Generator[Sql]:
    """Open a file of ours, of any format that is known here, for statements that read; nothing on the disk changes.

    Raises StoreLockedError while another process has it open, NotOurFileError, NewerFileError, and StoreError for a
    file that is missing, empty or damaged.
    """
    path = Path(location).absolute().resolve()
    release = _claim(path)
    try:
        check_log(path)
        size = _size(path)
        if size < HEADER_BYTES:
            raise StoreError(
                f"{path}: {'there is no such file' if size < 0 else 'it was cut off, not even its header is whole'}"
            )
        connection = Parsing(_connect(str(path), read_only=True))
        try:
            with translated(str(path)):
                sql = Sql(connection)
                if not _has_tables_of_ours(sql, path):
                    raise NotOurFileError(f"{path} is a database in which nothing was ever kept: give another path")
                yield sql
        finally:
            connection.close()
    finally:
        release()


def _connect(location: str, *, read_only: bool) -> Any:
    """Return a connection of the driver."""
    for attempt in range(RETRIES + 1):
        try:
            return duckdb.connect(location, read_only=read_only, config=SETTINGS)
        except duckdb.Error as error:
            if not _LOCKED.search(str(error)):
                raise StoreError(f"{location} cannot be opened: {_first_line(error)}{advice(error)}") from error
            if attempt == RETRIES:
                pid, program = _PID.search(str(error)), _PROGRAM.search(str(error))
                raise _locked(
                    location, int(pid.group(1)) if pid else None, program.group(1) if program else ""
                ) from error
            time.sleep(RETRY_SECONDS * (attempt + 1))
    raise AssertionError


def _locked(location: str, pid: int | None, program: str = "") -> StoreLockedError:
    if pid == os.getpid():
        return StoreLockedError(
            f"{location}: this process has it open already, and a file is opened once: use the Fabric or Memory that "
            "has it (several users and threads can share one), or close that one first with its close(); in a "
            "notebook it may be a variable of an earlier cell",
            pid=pid,
        )
    holder = f"another process (PID {pid})" if pid else "another process"
    return StoreLockedError(
        f"{location} is in use by {holder}: one process at a time can open it. End that process or close its store, "
        "or use another file",
        pid=pid,
        program=program,
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]


def _after_fork() -> None:
    """Let files be opened in a child that was forked."""
    global _open_lock  # noqa: PLW0603  another thread of the parent may have held it
    _open_lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
