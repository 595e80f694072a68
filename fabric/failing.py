"""What becomes of an error on its way out of a block."""

import asyncio
from contextlib import suppress

from .context import Context
from .errors import FabricError, RunError


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
