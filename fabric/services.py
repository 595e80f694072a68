"""What every run of one open file shares, and what a process knows of a job beside its row."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import Context as Variables
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .block import Block
from .clock import Clock
from .earlier import EarlierCalls
from .events import Event
from .jobs import Job
from .ledger import Ledger
from .log import Logs
from .meanwhile import UnderWay
from .models.base import ModelClient
from .portal import Portal
from .resource import Transaction
from .store.base import Store

if TYPE_CHECKING:
    from .background import Background
    from .secrecy import Secrets

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
    background: "Background" = field(init=False)


@dataclass(eq=False, slots=True)
class Entry:
    """A job with what only this process knows of it: its blocks, its context variables, who waits for it."""

    job: Job
    chain: Sequence[Block[Any, Any]] = ()
    variables: Variables | None = None
    verdict: "Future[Verdict]" = field(default_factory=Future)
    listener: Listener | None = None
    beside: Callable[[Transaction], None] | None = None
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


class Verdict(NamedTuple):
    """How a try of a job ended: ``done``, ``pending`` (a later try will follow) or ``failed``."""

    job: Job
    status: str
    error: str = ""
