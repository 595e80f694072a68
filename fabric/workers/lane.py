"""The lane: the background work of one session, in order."""

import asyncio
import math

from ..runs.services import Entry


class Lane:
    """The jobs of one session, in order."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.task: asyncio.Task[None] | None = None
        self.resting = False
        self.wake = asyncio.Event()

    @property
    def busy(self) -> bool:
        """Whether something runs, or could run now."""
        return self.task is not None and not self.resting

    @property
    def patience(self) -> float:
        """For how many seconds what runs may hold up closing."""
        seconds = self.entries[0].chain[-1].patience if self.entries else None
        return math.inf if seconds is None else seconds

    def add(self, entry: Entry) -> None:
        """Put a job where its number says."""
        self.entries.append(entry)
        self.entries.sort(key=lambda entry: entry.job.seq)
        self.wake.set()
