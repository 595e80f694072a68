"""Two lanes to the store's one thread: what somebody waits for goes before what is done in the background."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, TypeVar

from .worker import Worker

T = TypeVar("T")
BACKGROUND: ContextVar[bool] = ContextVar("fabric_background", default=False)
"""Whether this code is background work, whose transactions let others go first."""
FAIR = 16
"""How many go before one that is done in the background at most."""


class Lanes:
    """The functions that wait for one thread.

    >>> lanes, worker = Lanes(), Worker("doc")
    >>> lanes.submit(worker, lambda: list(range(3))).result()
    [0, 1, 2]
    >>> worker.shutdown()
    """

    def __init__(self) -> None:
        self._first: deque[Callable[[], None]] = deque()
        self._later: deque[Callable[[], None]] = deque()
        self._passed = 0

    def submit(self, worker: Worker, function: Callable[..., T], *arguments: Any) -> "Future[T]":
        """Let the worker's thread call ``function`` when it is its turn; one cancelled before is not called."""
        future: Future[T] = Future()
        lane = self._later if BACKGROUND.get() else self._first

        def call() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(*arguments))
                except BaseException as error:  # raised where the result is asked for
                    future.set_exception(error)

        lane.append(call)
        try:
            worker.tell(self._next)
        except BaseException:
            lane.remove(call)
            raise
        return future

    def _next(self) -> None:
        """Call what comes next; there is always one, since each submission lets this be called once."""
        is_later = not self._first or (bool(self._later) and self._passed >= FAIR)
        self._passed = 0 if is_later or not self._later else self._passed + 1
        (self._later if is_later else self._first).popleft()()
