"""Waiting for litellm, which reports finished calls behind them: from a pool of threads, or on the caller's loop."""

import asyncio
import threading
import time
from concurrent.futures import CancelledError

try:
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER
    from litellm.litellm_core_utils.thread_pool_executor import MAX_THREADS, executor
except ImportError as error:
    raise ImportError(
        "this adapter needs a version of litellm that it is tested with: pip install --upgrade 'path/to/thought-fabric'"
    ) from error

_ALONE = threading.Lock()
"""Two that wait at once would each hold half of the threads."""
_OF_STREAMS = "Logging.dispatch_success_handlers"
"""The task in which a stream that was read to its end is reported on the caller's loop."""


class Begun:
    """The calls that litellm has begun and not reported, finished or failed: each of them has an id of litellm."""

    def __init__(self) -> None:
        self._calls: set[str] = set()
        self._changed = threading.Condition()

    def add(self, call: str) -> None:
        """Note that a call has begun."""
        with self._changed:
            self._calls.add(call)

    def discard(self, call: str) -> None:
        """Note that a call is reported."""
        with self._changed:
            self._calls.discard(call)
            self._changed.notify_all()

    def wait(self, patience: float) -> bool:
        """Wait until no call is open, and return False if that takes more seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._calls, patience)


def wait_for_threads(patience: float) -> bool:
    """Wait until the threads have reported all calls made so far, and return False if that takes more seconds.

    It is so when every thread of the pool is ours at the same time. Where the machine has no more threads to give, it
    cannot be known: that returns False at once.
    """
    end = time.monotonic() + patience
    if not _ALONE.acquire(timeout=patience):
        return False
    barrier = threading.Barrier(MAX_THREADS)
    try:
        held = [executor.submit(barrier.wait) for _ in range(MAX_THREADS)]
        held[0].result(max(0.0, end - time.monotonic()))
    except (TimeoutError, CancelledError):  # a report takes long, or litellm has no room for more of them
        barrier.abort()
        return False
    except RuntimeError as error:  # the interpreter ends, and has waited for the threads; or no thread can be started
        barrier.abort()
        return "shutdown" in str(error)
    finally:
        _ALONE.release()
    return True


async def wait_for_loop(patience: float) -> bool:
    """Wait until what is to be reported on the running loop is, and return False if that takes more seconds."""
    try:
        async with asyncio.timeout(patience):
            streams = [task for task in asyncio.all_tasks() if _name(task) == _OF_STREAMS]
            await asyncio.gather(*streams, return_exceptions=True)
            if GLOBAL_LOGGING_WORKER.pending_count:
                await GLOBAL_LOGGING_WORKER.flush()
    except TimeoutError:
        return False
    return True


def _name(task: "asyncio.Task[object]") -> str:
    return str(getattr(task.get_coro(), "__qualname__", ""))
