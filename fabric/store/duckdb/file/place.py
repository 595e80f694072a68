"""Where an open file stands: whether its name still leads to it, and how what is in it is saved where it does not.

The system keeps a file that is open, whatever becomes of its name. What is written to one that was deleted is lost as
soon as it is closed, and what stands under its name then is another file.
"""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from fabric.errors import StoreError

_PLACES: dict[str, "Place"] = {}
_LOCK = Lock()


class Place:
    """The file at ``path`` as it was opened. ``merge`` brings all that was committed into it."""

    def __init__(self, path: Path, merge: Callable[[], object]) -> None:
        self.path = path
        self.merge = merge
        self._opened = _identity(path)
        # Of a descriptor for the path alone no lock is given up when it is closed.
        self._descriptor = os.open(path, os.O_PATH) if hasattr(os, "O_PATH") else -1
        with _LOCK:
            _PLACES[str(path)] = self

    @property
    def is_here(self) -> bool:
        """Whether the file is where it was opened."""
        return _identity(self.path) == self._opened

    @property
    def is_deleted(self) -> bool:
        """Whether no name leads to the file any more, as far as the system tells; False where it was moved."""
        return not self.is_here and (self._descriptor < 0 or os.fstat(self._descriptor).st_nlink == 0)

    @property
    def state(self) -> str:
        """What became of the file, in words."""
        done = "deleted" if self.is_deleted else "moved or renamed"
        behind = ", and another file stands in its place" if self.path.exists() else ""
        return f"{self.path} was {done} while it was open{behind}"

    @property
    def content(self) -> Path:
        """A path under which another process reads the file, whatever it is called; StoreError where there is none."""
        found = Path(f"/proc/{os.getpid()}/fd/{self._descriptor}")
        if self._descriptor < 0 or not found.exists():
            raise StoreError(
                f"{self.state}, and this system does not tell what is in it: export it before it is closed"
            )
        return found

    def check(self) -> None:
        """Raise StoreError where what is written would be lost, or stand elsewhere than it was asked for."""
        if not self.is_here:
            raise StoreError(
                f"{self.state}: nothing more is kept in it. Put it back, or write what it held to another file with "
                "backup(TO), close this one and open the other"
            )

    def close(self) -> None:
        """Let go of the file."""
        with _LOCK:
            _PLACES.pop(str(self.path), None)
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def place_of(path: Path) -> Place | None:
    """Return where the file stands that this process has opened under a path; None where it has not."""
    with _LOCK:
        return _PLACES.get(str(path))


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116  once a transaction, and a path's own takes twice as long
    except OSError:
        return None
    return found.st_dev, found.st_ino
