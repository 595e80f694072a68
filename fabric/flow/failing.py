"""What becomes of an error of a block: other tries, the block that takes its place, and what is said of it."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError, FabricError, RunError
from .context import Context

if TYPE_CHECKING:
    from .block import Block

_MOST_DOUBLINGS = 1_000
"""A pause doubled so often is above every limit, and twice as much would be more than a float holds."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and when to try again: delay = ``min(max_delay, base_delay * 2 ** (attempt - 1))`` seconds."""

    attempts: int = 3
    base_delay: float = 0.0
    max_delay: float = 30.0
    on: tuple[type[Exception], ...] = (Exception,)

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.base_delay < 0 or self.max_delay < 0:
            raise ConfigurationError(f"{self}: attempts must be at least 1 and delays at least 0")

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after this attempt, counted from 1.

        >>> Retry(attempts=5_000, base_delay=1).delay(4_999)
        30.0
        """
        return float(min(self.max_delay, self.base_delay * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS)))


@dataclass(frozen=True, slots=True)
class Rescue:
    """What to do with an error: ``block`` receives it as input, and its output stands for the failed block's."""

    block: "Block[Any, Any]"
    when: tuple[type[Exception], ...] = (Exception,)

    @property
    def label(self) -> str:
        """The rescue as pictures write it: ``"rescue ValueError"``."""
        return f"rescue {', '.join(kind.__name__ for kind in self.when)}"


def note_place(error: BaseException, ctx: Context) -> None:
    """Add the block's path to an error that does not say where it comes from."""
    if isinstance(error, FabricError) or hasattr(error, "__notes__"):
        return
    with suppress(Exception):  # an error may refuse attributes: it is raised without a note then
        error.add_note(f"in block {ctx.path}")


def reason_of(error: asyncio.CancelledError, ctx: Context) -> BaseException:
    """Return what to raise for a CancelledError: itself where the task is cancelled, else an error like any other.

    A block that awaits something that was cancelled elsewhere has failed; nobody has cancelled its run.
    """
    if is_cancelled():
        return error
    return RunError(
        f"{ctx.path}: something that this block waited for was cancelled, while its run was not: "
        "catch CancelledError where it is awaited, or give the block a retry or a rescue"
    )


def is_cancelled() -> bool:
    """Return whether the running task was asked to end; True where no task runs, as while a loop is torn down."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return True
    return task is None or task.cancelling() > 0


def go_on() -> None:
    """Let the running task go on though it was cancelled, by somebody who had no business to."""
    task = asyncio.current_task()
    while task is not None and task.uncancel():
        pass
