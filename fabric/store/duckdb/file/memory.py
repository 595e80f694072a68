"""Databases that are in memory only: those of a process share one instance of DuckDB.

An instance takes longer to start than most such databases live. They know nothing of each other; the limit of memory is
one for all of them. What many of them begin with, their tables and indexes, is copied from a database that has just
these: one statement instead of three for each table.
"""

import os
from collections.abc import Callable, Sequence
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

TEMPLATES = 64
"""Of how many lists of statements there may be a database to copy from."""
_numbers = count(1)
_instances: list[Parsing] = []
"""The instance of this process, once there is one."""
_templates: dict[tuple[str, ...], str] = {}
"""What databases begin with, and the database of the instance that has just that; "" until it is asked for again."""
_lock = RLock()
"""Held while databases come and go; what is collected meanwhile may let one go too."""


class InMemory(Parsing):
    """A connection to one of the databases of an instance."""

    def __init__(self, instance: Parsing, database: str) -> None:
        super().__init__(instance.another(), database)
        self._instance = instance

    def create(self, statements: Sequence[str]) -> None:
        """Run statements that create tables and their indexes, or copy what they made before."""
        with _lock:
            template = _template(tuple(statements)) if self._instance in _instances and len(statements) > 1 else ""
            if template:
                self.once(f"COPY FROM DATABASE {template} TO {self._database} (SCHEMA)")
                return
        super().create(statements)


def in_memory() -> tuple[Connection, Callable[[], object]]:
    """Make a database in memory; return a connection to it, and what to call after closing it.

    One that nobody uses any longer goes too. Raises what the driver raises.
    """
    name = f"memory_{next(_numbers)}"
    with _lock:
        instance = _attached(name)
        connection = InMemory(instance, name)
    ended = finalize(connection, _detach, instance, name)
    ended.atexit = False
    return connection, ended


def _attached(name: str) -> Parsing:
    """Make the database in the instance that there is, or in a new one where that broke down."""
    attach = f"ATTACH ':memory:' AS {name}"
    if _instances:
        try:
            _instances[0].once(attach)
            return _instances[0]
        except duckdb.Error:
            _start_anew()
    _instances.append(Parsing(duckdb.connect(":memory:", config=SETTINGS)))
    _instances[0].once(attach)
    return _instances[0]


def _template(statements: tuple[str, ...]) -> str:
    """Return the database that these statements made, made now if they come for the second time; "" at the first."""
    if statements not in _templates:
        if len(_templates) >= TEMPLATES:
            oldest = next(iter(_templates))
            if name := _templates.pop(oldest):
                _instances[0].once(f"DETACH {name}")
        _templates[statements] = ""
    elif not _templates[statements]:
        name = f"template_{next(_numbers)}"
        making = Parsing(_attached(name).another(), name)
        making.create(statements)
        making.close()
        _templates[statements] = name
    return _templates[statements]


def _start_anew() -> None:
    _instances.clear()
    _templates.clear()


def _detach(instance: Parsing, name: str) -> None:

    with _lock:
        if instance in _instances:
            try:
                instance.once(f"DETACH {name}")
            except duckdb.Error:
                _start_anew()  # it broke down, and so will the next one


def _after_fork() -> None:
    """Begin anew in a child that was forked: another thread may have been in the middle of anything."""
    global _lock  # noqa: PLW0603
    _lock = RLock()
    _start_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
