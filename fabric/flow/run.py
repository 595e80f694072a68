"""One run as the contexts of its blocks see it."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from ..clock import Clock
from ..models.base import ModelClient, Usage
from ..record.erased import Erased
from ..record.events import Event
from ..record.items import Draft, Item
from ..record.meanwhile import Meanwhile
from ..scope import ScopeIds
from .resource import Transaction

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class Trial:
    """What a block has done in the try under way. ``is_retried`` says whether another try may follow.

    Only then items, jobs and effects are listed, those of the blocks inside included.
    """

    is_retried: bool = False
    tickets: list[Any] = field(default_factory=list[Any])
    """The background work that this run of a sequencer started."""
    calls: Counter[str] = field(default_factory=Counter[str])
    """How often each block was called directly inside."""
    items: list[Item] = field(default_factory=list[Item])
    jobs: list[Any] = field(default_factory=list[Any])
    effects: dict[str, Any] = field(default_factory=dict[str, Any])


class Run(Protocol):
    """One run of a root block: what every context of that run shares. `fabric.runs.live` has the real one."""

    @property
    def id(self) -> str:
        """The run's id."""
        ...

    @property
    def ids(self) -> ScopeIds:
        """The ids that the session was opened with."""
        ...

    @property
    def clock(self) -> Clock:
        """Time, ids and chance."""
        ...

    @property
    def models(self) -> ModelClient:
        """Who answers model calls."""
        ...

    @property
    def input(self) -> Any:
        """The value the root block was run on."""
        ...

    @property
    def said(self) -> Item | None:
        """The user's message that this run is about: the last it recorded, or that of the run which left this job."""
        ...

    def record_user_message(self, block: str, waiting: Item | None = None) -> Item | None:
        """Record the run's own input as what the user said, unless a message was; return the run's message.

        ``waiting`` is one that waits for its answer: it is not said again.
        """
        ...

    def counts_as(self, at: datetime) -> datetime | None:
        """Return when something counts as said that is said now: None for ``at``, the clock's time; see `Order`."""
        ...

    def is_missed(self, message: Item) -> bool:
        """Return whether no run deals with a message of the user: its own failed, or ended with another process."""
        ...

    @property
    def turn(self) -> int:
        """The number of the session's current turn: user messages so far."""
        ...

    @property
    def listening(self) -> bool:
        """Whether somebody streams this run's events."""
        ...

    @property
    def observed(self) -> bool:
        """Whether somebody streams this run's events, or records its spans."""
        ...

    @property
    def in_job(self) -> bool:
        """Whether this is background work, which may be tried again after a crash."""
        ...

    def items(self) -> Sequence[Item]:
        """Return the session's items up to this run's turn, oldest first."""
        ...

    def redact(self, text: str, /) -> str:
        """Return the text as it may be stored: without secrets, unless the file was opened with that switched off."""
        ...

    def heed(self, question: str, answer: str, /) -> None:
        """Take note that one message followed another: a bare word may be a secret by that."""
        ...

    def clean(self, value: Any, /) -> Any:
        """Return a JSON value as it may be stored: names count in it, and may be secrets themselves."""
        ...

    async def look_through(self, texts: Iterable[str], /, *, kept: bool = False) -> None:
        """Look for the secrets of long texts on another thread, before they are recorded."""
        ...

    def secrets_in(self, text: str, /) -> list[str]:
        """Return the kind and place of each secret that is taken out of a text."""
        ...

    def record(self, drafts: Sequence[Draft], block: str) -> list[Item]:
        """Add items to the session; they are stored when the run ends at the latest."""
        ...

    @property
    def added(self) -> Sequence[Item]:
        """The items that this run added, oldest first."""
        ...

    async def finish_earlier(self) -> None:
        """Wait for calls that were begun before, are done whole and write what the run's ids own."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Be a call, until the end of the block, that writes in several steps: `finish_earlier` waits for it."""
        ...

    def erase(self, erased: Erased) -> None:
        """Take what a transaction erased out of the logs in memory too.

        Called by ``tx.rows.afterwards``, it keeps runs from storing later what was erased, and a transaction that
        fails from blanking what the file still holds.
        """
        ...

    @property
    def meanwhile(self) -> Meanwhile:
        """What was forgotten since the run began, and which rows the results of its tools came from."""
        ...

    def emit(self, event: Event) -> None:
        """Hand an event to whoever streams the run."""
        ...

    def spend(self, usage: Usage, *, model: str = "", block: str = "") -> None:
        """Count what a model call cost, which model answered and which block asked."""
        ...

    async def check_budget(self, path: str) -> None:
        """Raise BudgetExceededError when the run or the day has no budget left for a model call."""
        ...

    async def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction."""
        ...

    def transact_sync(self, work: Callable[[Transaction], T]) -> T:
        """Do the same from a thread that has no event loop."""
        ...

    async def once(self, key: str, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction, at most once per background job or named turn and key."""
        ...

    async def take_back(self, trial: Trial) -> None:
        """Undo what a failed try recorded and asked for, before the next one; what took effect once stays known."""
        ...

    def enqueue(
        self,
        chain: Sequence[Any],
        value: Any,
        marks: str,
        name: str,
        in_transaction: Callable[[Transaction], None] | None = None,
    ) -> Any:
        """Put the run of the last block of ``chain``, all blocks from the root, among the background work.

        Returns a ticket for `settle`. ``marks`` tells apart the places of one path, as `Context.marks` does;
        ``in_transaction`` is done in the transaction that stores the job.
        """
        ...

    async def wait_for_work(self, tickets: Sequence[Any], *, fail_on_error: bool, timeout: float | None) -> None:
        """Wait for background work of this run."""
        ...
