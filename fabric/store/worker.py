"""The store's one thread: it takes calls as long as the interpreter runs, exit handlers included."""

import atexit
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar
from weakref import WeakSet, finalize

from ..errors import StoreError

T = TypeVar("T")
Calls = SimpleQueue[Callable[[], object] | None]


class Worker:
    """A thread that makes one call after the other, in the order in which they came.

    A pool of `concurrent.futures` refuses calls as soon as the main thread ends, before exit handlers run.

    >>> worker = Worker("doc")
    >>> worker.submit(lambda: 6 * 7).result()
    42
    >>> worker.shutdown()
    """

    def __init__(self, name: str) -> None:
        self._calls: Calls = SimpleQueue()
        self._lock = threading.Lock()
        self._is_ended = False
        self._thread = threading.Thread(target=_serve, args=(self._calls,), name=name, daemon=True)
        self._thread.start()
        finalize(self, self._calls.put, None).atexit = False
        _WORKING.add(self)

    @property
    def is_here(self) -> bool:
        """Whether this code runs on the thread."""
        return threading.current_thread() is self._thread

    def tell(self, function: Callable[[], object]) -> None:
        """Let the thread call ``function``, which must not raise; StoreError once it was shut down."""
        with self._lock:
            if self._is_ended:
                raise StoreError("the interpreter is ending: what is to be stored must be given to the file before")
            self._calls.put(function)

    def submit(self, function: Callable[[], T]) -> "Future[T]":
        """Let the thread call ``function``, and return its future."""
        future: Future[T] = Future()

        def call() -> None:
            try:
                future.set_result(function())
            except BaseException as error:  # raised where the result is asked for
                future.set_exception(error)

        self.tell(call)
        return future

    def shutdown(self) -> None:
        """Make the calls that came, then end the thread."""
        with self._lock:
            if not self._is_ended:
                self._is_ended = True
                self._calls.put(None)
        self._thread.join()


_WORKING: "WeakSet[Worker]" = WeakSet()


def _serve(calls: Calls) -> None:
    while (call := calls.get()) is not None:
        call()


@atexit.register
def _finish() -> None:
    """Let no transaction be cut off by the end of the interpreter; handlers that were registered later came before."""
    for worker in list(_WORKING):
        worker.shutdown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_WORKING.clear)  # their threads stayed in the parent
