"""A backup: a copy of a file and its log as they are committed now, read through before it gets its name."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from fabric.errors import StoreError

from ..base import Backup
from ..finding import Finding
from .file.log import check_log, log_of
from .file.opening import MEMORY, is_open_here, naming, opened_path, reading
from .file.place import place_of
from .file.rescue import copy_file
from .sql import Sql
from .store import DuckDBStore

PART = ".part"
"""What the name of a backup ends in until it is whole."""


def back_up(file: str | Path, to: str | Path) -> Backup:
    """Copy ``file`` to ``to`` while others may write to it, in this process or another, and read the copy through.

    The copy holds all that was committed before the call. It is one file, needs no log, and opens like any other. Of a
    file that was deleted or moved while this process has it open, what it holds is copied all the same.
    Raises StoreError, and leaves nothing behind, where ``to`` exists, there is no room, or the copy cannot be read.
    """
    if str(file) == MEMORY:
        raise StoreError("what is in memory only has no file to back up: open Fabric(path), or export it")
    source, target = Path(file).expanduser().absolute().resolve(), Path(to).expanduser().absolute()
    place = place_of(source)
    moved = place if place is not None and not place.is_here else None
    if moved is None and not source.is_file():
        raise StoreError(f"{source}: there is no such file to copy")
    with naming(to):
        str(opened_path(target)).encode()
        taken = [there for there in (target, log_of(target)) if there.exists()]
    if taken:
        raise StoreError(f"{taken[0]} exists already: give another name, or delete it first; it was not changed")
    if not target.parent.is_dir():
        raise StoreError(f"{target} cannot be made: there is no directory {target.parent}")
    if not is_open_here(source):
        check_log(source)
    part = target.with_name(target.name + PART)
    try:
        if moved is not None:
            moved.merge()
        copy_file(source if moved is None else moved.content, part)
        rows = _merged(part)
        part.rename(target)
    finally:
        for left in (part, log_of(part)):
            with suppress(OSError):
                left.unlink()
    return Backup(target, target.stat().st_size, rows)


def rows_of(file: str | Path) -> dict[str, int]:
    """Return how many rows each table has, every byte of them read; StoreError where one cannot be read."""
    with reading(file) as sql:
        return _read_through(sql)


def backup_findings(file: Path, copy: Path) -> Iterator[Finding]:
    """Say what a backup lacks of a file that nobody has open, by the rows of each table."""
    try:
        here, there = rows_of(file), rows_of(copy)
    except StoreError as error:
        yield Finding("backup", "problem", str(error), "make another with: thought-fabric backup FILE TO")
        return
    names = [name for name in sorted({*here, *there}) if here.get(name, 0) != there.get(name, 0)]
    if names:
        rows = ", ".join(f"{name} {there.get(name, 0)} of {here.get(name, 0)}" for name in names)
        yield Finding("backup", "warning", f"{copy} is of another moment: it has {rows}", "make a new one")
    else:
        yield Finding("backup", "ok", f"{copy} can be read to its end, and has as many rows of each kind")


def _merged(part: Path) -> dict[str, int]:
    """Merge the copy's log into it; return its rows."""
    store = DuckDBStore(part)
    store.open()
    store.close()
    return rows_of(part)


def _read_through(sql: Sql) -> dict[str, int]:
    tables = [name for (name,) in sql.rows("SELECT table_name FROM duckdb_tables() ORDER BY table_name")]
    return {name: int(sql.rows(f'SELECT count(*), bit_xor(hash(one)) FROM "{name}" AS one')[0][0]) for name in tables}
