"""The seam: what a backend of banks does. Both pass the same tests, in ``tests/contract/retain``."""

from collections.abc import Callable, Sequence
from typing import Protocol

from fabric.flow.context import Context
from fabric.flow.resource import Transaction

from .banks import Bank
from .config import BackendName
from .record import Carried, Edit, Edited, Flushed, Recalled, Reflection, Retained, RetainItem, Transcript


class Backend(Protocol):
    """One place that keeps banks. Which bank is meant comes from where the program runs, never from a model.

    Every call is made in a running block that declares the backend's resources (`resources` of its module).
    """

    @property
    def name(self) -> BackendName:
        """What it is called in settings."""
        ...

    @property
    def bank(self) -> Bank:
        """The bank that is written to, and those that are read."""
        ...

    @property
    def verb(self) -> str:
        """What was done to an item when `retain` returns: "stored", or "queued"."""
        ...

    async def retain(self, ctx: Context, items: list[RetainItem]) -> Retained:
        """Keep items. What is returned survives the end of the process; a single failure is in the result."""
        ...

    async def recall(self, ctx: Context, query: str) -> Recalled:
        """Return what is remembered about a question, best first; RunError where the backend cannot be asked."""
        ...

    async def reflect(self, ctx: Context, query: str, context: str = "") -> Reflection:
        """Return what is known about a question, in sentences; RunError where the backend cannot be asked."""
        ...

    async def edit(self, ctx: Context, asked: Edit) -> Edited:
        """Change one memory by its id; ConfigurationError where the backend has no ids to edit by."""
        ...

    async def keep(
        self, ctx: Context, transcript: Transcript, mark_kept: Callable[[Transaction], None] | None = None
    ) -> Retained:
        """Keep a part of a conversation; one with the same ``document`` takes the place of what was kept before.

        ``mark_kept`` is called once, with the session's transaction, in the one that stores the transcript or puts it
        in the queue, before anything is written: when it raises, nothing is kept and its error goes on to the caller.
        """
        ...

    async def flush(self, ctx: Context) -> Flushed:
        """Send what is queued, or draw the facts that were put off; for background work, which tries again."""
        ...

    async def retry(self, ctx: Context) -> Flushed:
        """Do what `flush` does, and send what was given up once more, too."""
        ...

    async def read(self, ctx: Context, memory_id: str) -> str | None:
        """Return all of what a result showed the beginning of; None where the backend knows no such id."""
        ...

    async def models(self, ctx: Context) -> str:
        """Return the ``<mental_models>`` block for a prompt, the same text all through a session; "" for none."""
        ...

    async def clear(self, ctx: Context) -> str:
        """Remove what of the bank is in this file, and return a sentence that says what was, and what was not."""
        ...

    async def carried(self, ctx: Context) -> list[Carried]:
        """Return all that was given to the bank and still holds, for another one to take; oldest first."""
        ...

    async def take_over(self, ctx: Context, carried: Sequence[Carried]) -> int:
        """Take in what another bank was given; return how much of it was new. What is there already stays as it is."""
        ...
