"""Databases that are in memory only: those of a process share one instance of DuckDB.

An instance takes longer to start than most such databases live. They know nothing of each other; the limit of memory is
one for all of them.
"""

import os
from collections.abc import Callable
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING
from weakref import finalize

from fabric.lazy import lazy

from ..sql import Connection
from .connection import SETTINGS, Parsing

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = lazy("duckdb")

_numbers = count(1)
_instances: list[Parsing] = []
"""The instance of this process, once there is one."""
_lock = RLock()
"""Held while databases come and go; what is collected meanwhile may let one go too."""


def in_memory() -> tuple[Connection, Callable[[], object]]:
    """Make a database in memory; return a connection to it, and what to call after closing it.

    One that nobody uses any longer goes too. Raises what the driver raises.
    """
    name = f"memory_{next(_numbers)}"
    with _lock:
        instance = _attached(name)
        connection = instance.to(name)
    ended = finalize(connection, _detach, instance, name)
    ended.atexit = False
    return connection, ended


def _attached(name: str) -> Parsing:
    """Make the database in the instance that there is, or in a new one where that broke down."""
    attach = f"ATTACH ':memory:' AS {name}"
    if _instances:
        try:
            _instances[0].execute(attach)
            return _instances[0]
        except duckdb.Error:
            _instances.clear()
    _instances.append(Parsing(duckdb.connect(":memory:", config=SETTINGS)))
    _instances[0].execute(attach)
    return _instances[0]


def _detach(instance: Parsing, name: str) -> None:

    with _lock:
        if instance in _instances:
            try:
                instance.execute(f"DETACH {name}")
            except duckdb.Error:
                _instances.clear()  # it broke down, and so will the next one


def _after_fork() -> None:
    """Begin anew in a child that was forked: another thread may have been in the middle of anything."""
    global _lock  # noqa: PLW0603
    _lock = RLock()
    _instances.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
