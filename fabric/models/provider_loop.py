"""The one event loop of a process on which a provider's library runs, so that what the library leaves there is ended.

litellm reports finished calls behind them, in one queue with one task that belongs to one loop, and it keeps
connections open per loop. Asked on many loops (one per open file, per thread, per `asyncio.run`) it lets tasks and
connections of the former ones fall, which Python then complains about.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from ..errors import ModelUnavailableError, StoreError
from ..threads import processes
from ..threads.portal import Portal

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds that the end of the process waits for what the library still has to do."""
_ENDING = "models are not available now: the interpreter is ending; ask them before, or in the next process"
_TASKS: set[asyncio.Task[Any]] = set()
_PORTALS: dict[int, Portal] = {}


async def on_provider_loop(work: Coroutine[Any, Any, T]) -> T:
    """Do ``work`` on the process's loop for providers; it is cancelled where the caller is.

    Raises ModelUnavailableError once the process is ending.
    """
    try:
        return await asyncio.wrap_future(_portal().submit(work))
    except StoreError as error:  # the portal was stopped
        raise ModelUnavailableError(_ENDING) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if _portal().is_stopped and task is not None and not task.cancelling():
            raise ModelUnavailableError(_ENDING) from error
        raise


def begin_on_provider_loop(work: Coroutine[Any, Any, object]) -> None:
    """Do the same without waiting for it; nothing happens once the process is ending."""
    with suppress(StoreError):
        _portal().submit(work)


def end_provider_loop(last: Callable[[], Awaitable[object]]) -> None:
    """End the loop of this process for good: do ``last`` on it, cancel what still runs, and close it."""
    portal = _portal()
    if portal.is_running:
        portal.run(_last(last))
    portal.stop()


def _portal() -> Portal:
    """Return the portal of this process: a forked child gets one of its own."""
    process = processes.current()
    return _PORTALS.get(process) or _PORTALS.setdefault(process, Portal("fabric-models", task_factory=_make_task))


async def _last(work: Callable[[], Awaitable[object]]) -> None:
    task = asyncio.ensure_future(work())
    await asyncio.wait([task], timeout=PATIENCE)
    if task.done() and not task.cancelled():
        task.exception()  # looked at, so that nothing is said of it: the end of a process is no place to complain


def _make_task(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T] | Any, **options: Any
) -> "asyncio.Task[T]":
    """Make a task that is held until it ends: a loop alone does not keep one that waits, whoever let it fall."""
    task: asyncio.Task[T] = asyncio.Task(work, loop=loop, **options)
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)
    return task
