"""Which process this is: a forked child has none of the threads that an open file runs on, and must be told so."""

import os

FORKED = (
    "this process was forked from one that has the file open, and an open file does not live on in a fork: open it in "
    "one process only, and start others with multiprocessing.get_context('spawn') or as programs of their own"
)
_state = {"process": os.getpid()}


def current() -> int:
    """Return the number of this process, without asking the system for it each time."""
    return _state["process"]


def _after_fork() -> None:
    _state["process"] = os.getpid()


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_after_fork)
