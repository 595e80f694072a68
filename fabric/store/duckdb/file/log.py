"""The log beside a file: what was committed last stands in it, under the file's name and ``.wal``, until it is merged.

A file that is opened without its log has lost what stands there, and the driver deletes a log without its file. So both
are looked for first, and what would lose something is refused, with nothing changed.
"""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.errors import StoreError
from fabric.lazy import lazy

from .log_entries import broken_entry

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = lazy("duckdb")

LOG = ".wal"
HEADER_BYTES = 12_288
"""A smaller file has lost its headers, or was never given them."""


def log_of(path: Path) -> Path:
    """Return where the log of a file stands.

    >>> log_of(Path("memory.duckdb")).name
    'memory.duckdb.wal'
    """
    return Path(f"{path}{LOG}")


def check_log(path: Path) -> None:
    """Raise StoreError where opening the file would lose what its log holds: no file to it, another name, or damage."""
    own, size = log_of(path), _size(path)
    if _size(own) > 0:
        if size < HEADER_BYTES:
            state = "is missing" if size < 0 else "was cut off"
            raise StoreError(
                f"{own} holds what was committed last, but the file it belongs to, {path}, {state}: put that file, or "
                f"a backup, back beside it, or move {own.name} away to begin a new memory; nothing was changed"
            )
        _check_entries(own)
        return
    for log in _logs_beside(path) if size >= HEADER_BYTES else ():
        if _belongs(log, path):
            raise StoreError(
                f"{log} is the log of {path} under another name, and holds what was committed last: rename it to "
                f"{own.name}, or open the file under the name it had; nothing was changed"
            )


def _check_entries(log: Path) -> None:
    at = None
    with suppress(OSError):  # the driver says what is wrong when it opens it
        at = broken_entry(log)
    if at is not None:
        raise StoreError(
            f"{log} is damaged at byte {at}, and what was committed behind that would be lost: put back a backup of "
            f"the file and of this log, or move {log.name} away to open the file without what was committed last; "
            "nothing was changed"
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else -1
    except OSError:
        return -1


def _logs_beside(path: Path) -> list[Path]:
    """Return the logs in the folder whose file is gone, or is the same file under another name."""
    found: list[Path] = []
    with suppress(OSError):
        for log in sorted(path.parent.glob(f"*{LOG}")):
            file = log.with_name(log.name.removesuffix(LOG))
            if _size(log) > 0 and (not file.exists() or (file != path and file.samefile(path))):
                found.append(log)
    return found


def _belongs(log: Path, path: Path) -> bool:
    """Return whether the driver takes a log for that of a file; both are only read, under names of their own.

    The names are hard links: of others the driver looks for the log beside what they lead to.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".thought-fabric-", dir=path.parent) as folder:
            file = Path(folder) / "file"
            file.hardlink_to(path)
            log_of(file).hardlink_to(log)
            duckdb.connect(str(file), read_only=True).close()
    except (OSError, duckdb.Error):
        return False
    return True
