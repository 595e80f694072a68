"""One consolidation at a time for each owner, of whichever kind it is; and one of whatever else asks a model."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from fabric.flow.context import Context
from fabric.scope import Scope

from ..tables import View, views

_lock = threading.Lock()
_busy: set[tuple[str, int, Scope]] = set()
"""What is done to which owners, each with the clock of its file: the ids of two files may be the same.

No other process has the file open meanwhile.
"""


@contextmanager
def reserved(ctx: Context, work: str = "consolidate") -> Generator[list[View]]:
    """Give the views that no other work of this name is busy with, and keep it off them meanwhile."""
    keys = {view.tables.owner: (work, id(ctx.clock), ctx.ids.scope(view.tables.owner)) for view in views(ctx.ids)}
    with _lock:
        mine = [view for view in views(ctx.ids) if keys[view.tables.owner] not in _busy]
        taken = {keys[view.tables.owner] for view in mine}
        _busy.update(taken)
    try:
        yield mine
    finally:
        with _lock:
            _busy.difference_update(taken)
