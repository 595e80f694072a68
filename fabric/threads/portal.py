"""The portal: one daemon thread with an event loop, so that sync code can run async blocks wherever it is called."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from ..errors import NestedRunError, StoreError
from ..telemetry.logger import logger
from ..telling import error_text, repr_of
from . import processes

T = TypeVar("T")
INSIDE: ContextVar[str] = ContextVar("fabric_inside", default="")
"""The path of the root block that this code runs inside of, or ""; ``job `` comes first in background work."""

KEPT_SECONDS = 30.0
"""How long `Portal.stop` waits for what is kept, which is writes to the store and nothing slower."""

CALLED_OFF_SECONDS = 1.0
"""How long whoever interrupts a call waits for it to end."""


def forbid_nested(call: str) -> None:
    """Raise NestedRunError when called from inside a running block."""
    inside = INSIDE.get()
    if inside:
        raise NestedRunError(
            f"{inside}: {call} was called from inside a running block, where it would wait for itself; "
            "call other blocks with `await block(value, ctx)`"
        )


class Portal:
    """A thread that owns an event loop. It starts with the first call and ends with `stop`, for good."""

    def __init__(self, name: str = "fabric", *, task_factory: Any = None) -> None:
        self._name = name
        self._task_factory = task_factory
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_stopped = False
        self._kept: set[asyncio.Task[Any]] = set()
        self._process = processes.current()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop, started if it was not running yet; StoreError once it was stopped."""
        with self._lock:
            return self._started()

    @property
    def is_running(self) -> bool:
        """Whether the thread has started and was not stopped."""
        return self._loop is not None

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped, for good."""
        return self._is_stopped

    @property
    def is_forked(self) -> bool:
        """Whether this process was forked from the one that this portal was made in."""
        return self._process != processes.current()

    def check_process(self) -> None:
        """Raise StoreError in a process that was forked from the one that this portal was made in."""
        if self.is_forked:
            raise StoreError(processes.FORKED)

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start ``work`` on the portal's loop, with the caller's context variables; return its future."""
        try:
            self.check_process()  # before the lock, which another thread may have held at the fork
        except BaseException:
            work.close()
            raise
        with self._lock:  # what is submitted is there when `stop` looks for what still runs, or is refused
            try:
                loop = self._started()
            except BaseException:
                work.close()
                raise
            return asyncio.run_coroutine_threadsafe(_contained(work), loop)

    def keep(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Do the same with work that nothing cancels, not even `stop`, which waits for it: see `kept`."""
        try:
            return self.submit(self._whole(work))
        except BaseException:
            work.close()
            raise

    async def finish_kept(self, timeout: float | None = None) -> None:
        """Wait for what is kept, on the portal's own loop."""
        if self._kept:
            await asyncio.wait(self._kept, timeout=timeout)

    def tell(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call ``function`` on the portal's loop soon; nothing happens once it was stopped."""
        with self._lock:
            if not self._is_stopped:
                self._started().call_soon_threadsafe(function, *arguments)

    def tell_later(self, seconds: float, function: Callable[[], object]) -> None:
        """Call ``function`` on the portal's loop when so much time has passed; nothing happens once it was stopped."""
        self.tell(lambda: asyncio.get_running_loop().call_later(seconds, function))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` on the portal's loop and wait for it; an interrupted wait cancels it."""
        return wait(self.submit(work))

    def wait(self, begun: "Future[T]") -> T:
        """Return the future's result; whoever is interrupted goes on when what had begun is over, or after a second.

        So nothing of an interrupted call comes after what is called next.
        """
        try:
            return wait(begun)
        finally:
            if begun.cancelled():
                with suppress(TimeoutError, StoreError):
                    self.submit(self._called_off()).result(CALLED_OFF_SECONDS)

    def stop(self) -> None:
        """Cancel what still runs and end the thread; harmless when it never started."""
        if self.is_forked:
            return
        with self._lock:
            loop, thread, self._is_stopped = self._loop, self._thread, True
            self._loop = self._thread = None
        if loop is None or thread is None or thread is threading.current_thread():
            return
        asyncio.run_coroutine_threadsafe(self._finish(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

    async def _called_off(self) -> None:
        leaving = [task for task in asyncio.all_tasks() if task.cancelling()]
        if leaving:
            await asyncio.wait(leaving)

    async def _whole(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.get_running_loop().create_task(work)
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)
        return await asyncio.shield(task)

    async def _finish(self) -> None:
        await self.finish_kept(KEPT_SECONDS)
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._is_stopped:
            raise StoreError("the file was closed meanwhile: open it again with Fabric(path)")
        if self._loop is None:
            loop = asyncio.new_event_loop()
            loop.set_task_factory(self._task_factory)
            thread = threading.Thread(target=_serve, args=(loop,), name=self._name, daemon=True)
            try:
                thread.start()
            except BaseException:  # the system starts no more threads
                loop.close()
                raise
            self._loop, self._thread = loop, thread
        return self._loop


async def kept(portal: Portal, work: Coroutine[Any, Any, T]) -> T:
    """Do ``work`` whole, and wait for it: a caller that is cancelled is told when it is done.

    Everything between a commit and what is noted of it in memory goes this way, so that file and memory agree.
    """
    begun = portal.keep(work)
    try:
        return await asyncio.shield(asyncio.wrap_future(begun))
    except asyncio.CancelledError:
        await over(begun)
        raise


async def undivided(begun: "Future[T]") -> T:
    """Return a future's result: a caller that is cancelled calls off what has not begun, or is told when it is done."""
    try:
        return await asyncio.wrap_future(begun)
    except asyncio.CancelledError:
        if not begun.cancel():
            await over(begun)
        raise


async def over(begun: "Future[Any]") -> None:
    """Wait until a future is done, however often the caller is cancelled meanwhile."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def tell(_: object) -> None:
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(done.set)

    begun.add_done_callback(tell)
    while not done.is_set():
        with suppress(asyncio.CancelledError):
            await done.wait()


async def aside(work: Callable[[], object]) -> None:
    """Do what must be done, and blocks, on another thread, or here where the system starts no more of them.

    It begins at once and goes on when the caller is cancelled.
    """
    try:
        begun = asyncio.get_running_loop().run_in_executor(None, copy_context().run, work)
    except RuntimeError:
        work()
    else:
        await asyncio.shield(begun)


async def elsewhere(work: Callable[[], T]) -> T:
    """Return what ``work`` returns on another thread, or here where the system starts no more of them."""
    try:
        begun = asyncio.get_running_loop().run_in_executor(None, copy_context().run, work)
    except RuntimeError:
        return work()
    return await begun


def wait(future: "Future[T]") -> T:
    """Return the future's result; an interrupted wait cancels it, and an exit asked for inside is raised here."""
    try:
        return future.result()
    except _ExitAsked as asked:
        raise asked.error from None
    except BaseException:
        future.cancel()
        raise


class _ExitAsked(Exception):  # noqa: N818  never seen by users
    """Carries SystemExit or KeyboardInterrupt out of the loop, which they would end."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error_text(error))
        self.error = error


async def _contained(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    except (SystemExit, KeyboardInterrupt) as error:
        raise _ExitAsked(error) from error


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    while True:
        try:
            loop.run_forever()
            break
        except (SystemExit, KeyboardInterrupt) as error:  # from a task that nobody contained: others go on
            logger().error("exit asked for on the portal", error=repr_of(error))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
