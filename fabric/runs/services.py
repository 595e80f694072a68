"""What every run of one open file shares, and what a process knows of a job beside its row."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import Context as Variables
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..clock import Clock
from ..jobs.job import Job
from ..models.base import ModelClient
from ..record.events import Event, WorkFinished
from ..record.log import Logs
from ..record.meanwhile import UnderWay
from ..scope import Scope
from ..store.base import Rows, Store
from ..threads.earlier import EarlierCalls
from ..threads.portal import Portal
from .ledger import Ledger

if TYPE_CHECKING:
    from ..store.secrecy import Secrets

Listener = Callable[[Event], None]


@dataclass(slots=True, kw_only=True)
class Services:
    """What every run of one open file shares."""

    store: Store
    clock: Clock
    portal: Portal
    """Runs sync calls and what a caller must not wait for."""
    work_portal: Portal
    """Runs background work, on a thread of its own: a job that blocks its loop delays no reply."""
    logs: Logs
    ledger: Ledger
    earlier: EarlierCalls = field(default_factory=EarlierCalls)
    models: Callable[[], ModelClient]
    secrets: "Secrets"
    under_way: UnderWay = field(default_factory=UnderWay)
    background: "Queue" = field(init=False)


class Queue(Protocol):
    """The background work of one open file, as runs and jobs see it; `fabric.workers.background` does it."""

    @property
    def closing(self) -> bool:
        """Whether the file is being closed."""
        ...

    def next_seq(self) -> int:
        """Return the number of the next job."""
        ...

    def reader_of(self, block: Any, /) -> str:
        """Return who has to do a job of this block: "model", or "" where anybody may."""
        ...

    def claim(self, entries: "Sequence[Entry]", ended: "Entry | None" = None) -> None:
        """Mark those as begun that begin as soon as they are stored; ``ended`` is a job that ends with that."""
        ...

    def submit(self, entries: "Sequence[Entry]") -> None:
        """Begin jobs that were stored."""
        ...

    def when_closed(self, place: tuple[Scope, str], entry: "Entry | None") -> None:
        """Begin this job when the file is closed, in place of an earlier one of the same session and path."""
        ...

    def follow(self, entries: "Sequence[Entry]") -> None:
        """Let who waits for these know how jobs that were stored before end."""
        ...

    def tell(self, event: WorkFinished) -> None:
        """Tell whoever listens to background work of some that is no job."""
        ...

    async def wait_for_work(
        self, run: Any, entries: "Sequence[Entry]", *, fail_on_error: bool, timeout: float | None
    ) -> None:
        """Wait until each of these jobs of a run had its try; WorkError for the first that failed, if asked for."""
        ...


class Verdict(NamedTuple):
    """How a try of a job ended: ``done``, ``pending`` (a later try will follow) or ``failed``."""

    job: Job
    status: str
    error: str = ""


@dataclass(eq=False, slots=True)
class Entry:
    """A job with what only this process knows of it: its blocks, its context variables, who waits for it."""

    job: Job
    chain: Sequence[Any] = ()
    """The blocks from the pipeline to the one that does the job; () while the pipeline is not known."""
    variables: Variables | None = None
    verdict: Future[Verdict] = field(default_factory=Future[Verdict])
    listener: Listener | None = None
    in_transaction: Callable[[Rows], None] | None = None
    """What is done in the transaction that stores the job."""
    is_claimed: bool = False
    """Whether the job was stored as running, because it begins as soon as it is stored."""
    by_anybody: bool = False
    """Whether it may be done without the model that it was made for."""
    refused: str = ""
    """Why the end of its last try could not be stored."""

    def has_failed(self) -> bool:
        """Return whether it was given up, as far as this process knows."""
        if not self.verdict.done():
            return False
        return self.verdict.exception() is not None or self.verdict.result().status == "failed"
