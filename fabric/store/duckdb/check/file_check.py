"""The file as a whole: whether it is there, ours, whole, free to be opened, and of which version."""

import os
import platform
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from fabric.errors import NewerFileError, NotOurFileError, StoreError, StoreLockedError
from fabric.scope import SCOPE_KINDS
from fabric.store.base import SYSTEM
from fabric.store.finding import Finding, amount, several

from ..migrations import MIGRATIONS
from .scan import FileScan

BACKUP = "keep a copy of it as it is, and put a backup in its place"
LITTLE = 64 * 1024 * 1024
"""How many bytes a disk should have free in any case."""


def path_findings(path: Path) -> Iterator[Finding]:
    """Say what can be told about the file without opening it: its size, the disk, and what may be written."""
    try:
        if not path.exists():
            yield Finding("file", "problem", f"{path}: there is no such file", "name another, or begin one with a chat")
            return
        if path.is_dir():
            yield Finding("file", "problem", f"{path} is a directory", "give the path of the file in it")
            return
        size, at = path.stat().st_size, path.stat().st_mtime
    except (OSError, ValueError) as error:
        yield Finding("file", "problem", f"{path} cannot be looked at: {error}", "give the path of a file")
        return
    written = datetime.fromtimestamp(at, UTC)
    yield Finding("file", "ok", f"{path}: {amount(size)}, last written {written:%Y-%m-%d %H:%M} UTC")
    if not size:
        mend = "put a backup in its place; or delete it, to begin a new memory"
        yield Finding("content", "problem", "the file is empty: there is nothing in it", mend)
    yield _writable(path)
    yield _disk(path, size)


def _writable(path: Path) -> Finding:
    closed = [str(place) for place in (path, path.parent) if not os.access(place, os.R_OK | os.W_OK)]
    if closed:
        mend = "give yourself the right to read and write both the file and its folder (chmod, chown)"
        return Finding("permission", "problem", f"not allowed to read and write {' and '.join(closed)}", mend)
    return Finding("permission", "ok", "the file and its folder can be written")


def _disk(path: Path, size: int) -> Finding:
    free = shutil.disk_usage(path.parent).free
    if free < max(size // 4, LITTLE):
        return Finding("disk", "warning", f"{amount(free)} free", "make room: a full disk refuses every new memory")
    return Finding("disk", "ok", f"{amount(free)} free")


def change_findings(path: Path) -> Iterator[Finding]:
    """Say whether changes stand beside the file, whole, that the last one who had it open could not merge."""
    wal = path.with_name(f"{path.name}.wal")
    if wal.exists():
        found = f"{wal.name}: {amount(wal.stat().st_size)} of changes are not merged into the file yet"
        mend = "nothing is lost: keep both files together; whatever opens the memory next takes them in"
        yield Finding("changes", "warning", found, mend)


def format_findings(scan: FileScan) -> Iterator[Finding]:
    """Say of which version the file is, and how much of what it holds."""
    newest = len(MIGRATIONS)
    if scan.is_current:
        yield Finding("version", "ok", f"file format {scan.format}, the newest")
    else:
        found = f"file format {scan.format}; this version writes {newest}, and was not let to change the file now"
        mend = "whatever opens the memory next converts it, which only adds; then run doctor again to have it checked"
        yield Finding("version", "warning", found, mend)
    rows = ", ".join(f"{name} {count}" for name in scan.tables if (count := scan.count(name)))
    scopes = [scope for scope in scan.scopes.values() if scope != SYSTEM]
    owners = {kind: sum(scope.kind == kind for scope in scopes) for kind in SCOPE_KINDS}
    of = ", ".join(several(count, kind) for kind, count in owners.items() if count)
    yield Finding("holds", "ok", f"{of or 'nobody'}; {rows or 'no rows'}")


def refusal(path: Path, error: StoreError) -> Finding:
    """Return why the file cannot be opened, or not be read to its end, and what can be done."""
    if isinstance(error, StoreLockedError):
        return _locked_finding(error)
    if isinstance(error, NewerFileError):
        return Finding("version", "problem", str(error).partition(": upgrade")[0], "upgrade thought-fabric")
    if isinstance(error, NotOurFileError):
        return Finding("content", "problem", str(error).partition(": give")[0], "give the path of a memory's file")
    wal = path.with_name(f"{path.name}.wal")
    if wal.exists() and "wal" in str(error).casefold():
        mend = f"keep copies of both; with {wal.name} moved away the file opens without the last changes"
        return Finding("content", "problem", f"{wal.name} is damaged: {error}", mend)
    return Finding("content", "problem", f"the file is damaged: {error}", BACKUP)


def _locked_finding(error: StoreLockedError) -> Finding:
    if error.pid is None:
        who, mend = "a process that the system does not name", "close whatever has the memory open"
    elif error.pid == os.getpid():
        who, mend = f"this process ({error.pid}) itself", "close its store first"
    else:
        who = f"process {error.pid} on {platform.node()}, {error.program or 'program unknown'}"
        mend = f"close that program, or end it with: kill {error.pid}; then run doctor again"
        if not _is_alive(error.pid):
            who += ", which does not run here (any more)"
            mend = "it runs in another container, or on another machine that shares the disk: close it there"
    return Finding("lock", "problem", f"held by {who}: nothing inside can be read meanwhile", mend)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
