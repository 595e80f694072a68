"""A file in use by somebody who opened it or was handed it open: users of one path share it, and the last closes it."""

import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import StoreError
from ..models.base import ModelClient
from ..telemetry.logger import logger
from ..threads.portal import aside, forbid_nested
from .fabric import Fabric

File = str | PathLike[str] | Fabric
PATIENCE = 30.0
"""Seconds that closing waits while no piece of background work ends; what is not done then waits in the file."""
LAST_CALLS = 1.0
"""Seconds that calls of other threads may take to their end when the file is closed under them."""


@dataclass(eq=False, slots=True)
class _Shared:
    """One file that leases of this process have open: how many they are, and whether the last is closing it."""

    fabric: Fabric
    leases: int = 0
    closed: threading.Event = field(default_factory=threading.Event)

    def is_usable(self) -> bool:
        try:
            self.fabric.check_open()
        except StoreError:  # somebody closed it beside the leases
            return False
        return True


_SHARED: dict[Path, _Shared] = {}
_lock = threading.Lock()


def _after_fork() -> None:
    """Forget what the parent has open: here it can neither be used nor waited for."""
    global _lock  # noqa: PLW0603  another thread of the parent may have held it
    _lock = threading.Lock()
    _SHARED.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Lease:
    """An open file. ``owns`` says whether closing the lease closes it; by default when the lease has opened it.

    Leases of one path in one process share the file, unless ``models``, which answers the model calls of a file that
    is opened here, is given; the last one that closes closes the file. StoreError when it cannot be opened.
    """

    def __init__(self, file: File, *, owns: bool | None = None, models: ModelClient | None = None) -> None:
        opens = not isinstance(file, Fabric)
        self._path: Path | None = None
        self._shared: _Shared | None = None
        if isinstance(file, Fabric):
            self.fabric = file
        elif models is not None or str(file) == ":memory:":
            self.fabric = Fabric(file, models=models)
        else:
            self._path = Path(file).expanduser().absolute().resolve()
            self._shared = _taken(self._path, file)
            self.fabric = self._shared.fabric
        self._owns = opens if owns is None else owns
        self._is_closed = False

    def check_open(self) -> None:
        """Raise StoreError when this lease was closed, whoever else has the file open."""
        if self._is_closed:
            raise StoreError(f"{self.fabric.location}: what had this file open here is closed; open it again")
        self.fabric.check_open()

    def close(self, patience: float = PATIENCE) -> None:
        """Close the file, if it is this lease's to close and no other lease has it.

        Background work is waited for as long as a piece of it ends within so many seconds, which a model that never
        answers does not let happen. What is left waits in the file for its next opening, and is told in a warning.
        """
        forbid_nested("close")
        if self._gives_back():
            self._close(patience)

    async def aclose(self, patience: float = PATIENCE) -> None:
        """Do what `close` does, without blocking the caller's event loop."""
        forbid_nested("aclose")
        if self._gives_back():  # whoever opens the path meanwhile waits, and may do so on this loop
            await aside(lambda: self._close(patience))

    def _close(self, patience: float) -> None:
        try:
            with suppress(StoreError):  # somebody closed it beside the leases
                self._settle(patience)
            self.fabric.close(timeout=LAST_CALLS)
        finally:
            self._leave()

    def _settle(self, patience: float) -> None:
        """Wait while background work gets on; tell what it leaves in the file."""
        before, left = set[str](), {job.id: job for job in self.fabric.jobs()}
        while before != left.keys() and any(job.status != "failed" for job in left.values()):
            before = set(left)
            left = {job.id: job for job in self.fabric.drain(patience)}
            if not any(job.status == "running" for job in left.values()):
                break
        waiting = sum(job.status != "failed" for job in left.values())
        if waiting:
            kept = "is lost with it" if self.fabric.location == ":memory:" else "is done when the file is opened next"
            logger(file=self.fabric.location).warning(f"closed with background work left, which {kept}", jobs=waiting)

    def _gives_back(self) -> bool:
        """Return whether the file is to be closed now, and say so only once."""
        with _lock:
            self._is_closed = True
            owned, self._owns = self._owns, False
            if not owned or self._shared is None:
                return owned
            self._shared.leases -= 1
            return not self._shared.leases

    def _leave(self) -> None:
        if self._shared is None or self._path is None:
            return
        with _lock:
            if _SHARED.get(self._path) is self._shared:
                del _SHARED[self._path]
        self._shared.closed.set()


class Leasing:
    """What has a lease: at the end of ``with`` or ``async with`` it is closed."""

    _lease: Lease

    def close(self) -> None:
        """Close the file, if it was opened here; background work that stands still for 30 seconds waits in it."""
        self._lease.close()

    async def aclose(self) -> None:
        """Do what `close` does, on the caller's own event loop."""
        await self._lease.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def patience_after(error: BaseException | None) -> float:
    """Return how long a memory's end may take: whoever interrupts the program does not wait for background work."""
    return PATIENCE if error is None or isinstance(error, Exception) else 0.0


def _taken(path: Path, file: str | PathLike[str]) -> _Shared:
    """Return the open file of a path with one lease more; a file that is being closed is waited for."""
    while True:
        with _lock:
            found = _SHARED.get(path)
            if found is None or (found.leases and not found.is_usable()):
                found = _SHARED[path] = _Shared(Fabric(file), leases=1)
                return found
            if found.leases:
                found.leases += 1
                return found
        found.closed.wait()
