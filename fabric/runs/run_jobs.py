"""The background work of one run: the jobs it asked for, until they are stored, and the journals it is to clear."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..jobs.job import Job
from ..record.meanwhile import Meanwhile
from .services import Entry


@dataclass(eq=False, slots=True)
class RunJobs:
    """The jobs of one run. ``entries`` are those to be stored with it, ``ids`` those of all it asked for, in order.

    ``settled`` are the jobs that were done inside the run, and ``effects`` the rows of the journal of effects that
    it wrote or read: both go when the run is stored.
    """

    entries: list[Entry] = field(default_factory=list[Entry])
    ids: dict[str, None] = field(default_factory=dict[str, None])
    settled: list[str] = field(default_factory=list[str])
    effects: list[str] = field(default_factory=list[str])
    _of_failed_tries: dict[str, Entry] = field(default_factory=dict[str, Entry])

    def add(self, entry: Entry) -> Entry:
        """Add a job; return the one of the same id that an earlier try of its block waited for, unless it failed."""
        self.ids[entry.job.id] = None
        earlier = self._of_failed_tries.pop(entry.job.id, None)
        if earlier is not None and not earlier.has_failed():
            return earlier
        self.entries.append(entry)
        return entry

    def take_back(self, asked: Iterable[Entry]) -> None:
        """Drop jobs that a failed try asked for; what was waited for is found again under its id by the next try."""
        jobs = {entry.job.id: entry for entry in asked}
        waiting = {entry.job.id for entry in self.entries}
        self.entries = [entry for entry in self.entries if entry.job.id not in jobs]
        self._of_failed_tries.update({job_id: entry for job_id, entry in jobs.items() if job_id not in waiting})
        self.ids = {job_id: None for job_id in self.ids if job_id not in jobs}

    def merge_child(self, child: "RunJobs", job: Job) -> None:
        """Take over what a job asked for that was done inside this run, and the job as settled."""
        self.entries.extend(child.entries)
        self.settled.extend([job.id, *child.settled])
        self.effects.extend(child.effects)

    def pop(self, opened: int, said: str, meanwhile: Meanwhile) -> list[Entry]:
        """Return the jobs to be stored, and count them as stored.

        Those of an earlier turn than ``opened``, the first that the run opened, become jobs of that turn, about the
        message with the id ``said``. Their inputs lose what was forgotten meanwhile.
        """
        entries, self.entries = self.entries, []
        for entry in entries if meanwhile else ():
            entry.job = replace(entry.job, input=meanwhile.value(entry.job.input))
        for entry in entries:
            if entry.job.turn < opened:
                entry.job = replace(entry.job, turn=opened, said=said)
        return entries
