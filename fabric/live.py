"""The live run: what the contexts of one run share, in the foreground and in background work alike."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context as Variables
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from .block import Block
from .clock import Clock
from .context import Context
from .errors import BudgetExceededError, StoreError, WorkError
from .events import Event, ItemAdded
from .items import Draft, Item, without_secrets
from .jobs import EFFECTS, JOBS, Job, chain_to, job_id, owner_columns, to_json
from .ledger import Ledger
from .log import ITEMS, Logs, SessionLog, opens_turn
from .models.base import ModelClient
from .portal import Portal
from .resource import Transaction
from .scope import ScopeIds
from .store.base import SYSTEM, Row, Rows, Store
from .tracing import SILENT, Span, carrier
from .usage import ModelCall, Usage

if TYPE_CHECKING:
    from .background import Background
    from .erasure import Erased
    from .secrecy import Secrets

T = TypeVar("T")
Listener = Callable[[Event], None]
SOON_SECONDS = 0.005
"""How long a user's message waits to be stored: a run that ends before stores it with all that it did, at once."""


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
    models: Callable[[], ModelClient]
    secrets: "Secrets"
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


class Verdict(NamedTuple):
    """How a try of a job ended: ``done``, ``pending`` (a later try will follow) or ``failed``."""

    job: Job
    status: str
    error: str = ""


class LiveRun:
    """One run of a root block, or of a job's block."""

    def __init__(
        self,
        services: Services,
        ids: ScopeIds,
        log: SessionLog,
        value: Any,
        *,
        turn: int,
        owner: str = "",
        turn_id: str = "",
        job_id: str = "",
        listener: Listener | None = None,
        span: Span = SILENT,
    ) -> None:
        self.services = services
        self.redact, self.secrets_in = services.secrets.redact, services.secrets.told
        self.id = services.clock.new_id("run")
        self.ids = ids
        self.input = value
        self.log = log
        self.usage = Usage()
        self.calls: list[ModelCall] = []
        self.owner = owner or self.id
        self.turn_id = turn_id
        self.entries: list[Entry] = []
        self.added: list[Item] = []
        self.job_id = job_id
        self.settled: list[str] = []
        self.effects: list[str] = []
        self.jobs: list[str] = []
        self._turn, self._opened = turn, 0
        self._listener = listener
        self.span = span
        self.observed = listener is not None or span.recording
        self.unstored: list[Item] = []
        self._said, self._is_ending, self._lock = 0, False, threading.Lock()
        self._storing: list[Future[None]] = []
        self._counts: Counter[str] = Counter()

    @property
    def clock(self) -> Clock:
        """Time, ids and chance."""
        return self.services.clock

    @property
    def models(self) -> ModelClient:
        """Who answers model calls."""
        return self.services.models()

    @property
    def turn(self) -> int:
        """The number of the session's turn that this run belongs to."""
        return self._turn

    @property
    def listening(self) -> bool:
        """Whether somebody streams this run's events."""
        return self._listener is not None

    @property
    def in_job(self) -> bool:
        """Whether this is background work, which may be tried again after a crash."""
        return bool(self.job_id)

    def items(self) -> Sequence[Item]:
        """Return the session's items up to this run's turn, oldest first."""
        return self.log.items(self._turn)

    def record(self, drafts: Sequence[Draft], block: str) -> list[Item]:
        """Add items to the session; a user's message is stored soon, whatever becomes of the run."""
        recorded: list[Item] = []
        said = False
        for draft in (without_secrets(one, self.redact) for one in drafts):
            item = self._earlier(draft)
            if item is None:
                item = self.add(draft, block=block)
                said = said or opens_turn(item)
            if opens_turn(item):
                self._turn = item.turn
                self._opened = self._opened or item.turn
            self.added.append(item)
            recorded.append(item)
            self.emit(ItemAdded(item))
        if said and not self.job_id:
            self._said, self._is_ending = len(self.unstored), False
            self.services.portal.tell_later(SOON_SECONDS, self.store_said)
        return recorded

    def erase(self, erased: "Erased") -> None:
        """Take what a transaction erased out of the logs in memory too."""
        self.services.logs.erase(erased.items, erased.turns)

    def emit(self, event: Event) -> None:
        """Hand an event to whoever streams the run."""
        if (listener := self._listener) is not None:
            listener(event)

    def spend(self, usage: Usage, *, model: str = "", block: str = "") -> None:
        """Count what a model call cost."""
        self.usage = self.usage + usage
        self.calls.append(ModelCall(block, model, usage))
        written = self.services.ledger.spend(self.ids, usage)
        if written is not None:
            self._storing.append(written)

    async def check_budget(self, path: str) -> None:
        """Raise BudgetExceededError when the run or the day has no budget left for a model call."""
        try:
            await self.services.ledger.check(self.ids, self.usage)
        except BudgetExceededError as error:
            error.add_note(f"in block {path}")
            raise

    async def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction."""
        return await self.services.store.transact(lambda rows: self._wanted(rows, work))

    def transact_sync(self, work: Callable[[Transaction], T]) -> T:
        """Do the same from a thread that has no event loop."""
        return self.services.store.transact_sync(lambda rows: self._wanted(rows, work))

    async def once(self, key: str, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction, at most once per owner (job, or named turn) and key."""
        if not self.job_id and not self.turn_id:
            return await self.transact(work)
        row_id = f"{self.owner}|{key}"
        owners = owner_columns(self.ids)

        def journaled(rows: Rows) -> T:
            self._check_wanted(rows)
            known = rows.get(EFFECTS, SYSTEM, [row_id])
            self.effects.append(row_id)
            if known:
                return cast("T", known[0]["value"])
            value = to_json(work(Transaction(rows, self.ids)), key, "the result of a transaction that happens once")
            rows.put(EFFECTS, SYSTEM, [{"id": row_id, "owner": self.owner, **owners, "value": value}])
            return cast("T", value)

        return await self.services.store.transact(journaled)

    def enqueue(
        self,
        block: Block[Any, Any],
        value: Any,
        ctx: Context,
        name: str,
        beside: Callable[[Transaction], None] | None = None,
    ) -> Entry:
        """Make a job of a block's run on a connected value; it is stored, and begins, when this run ends."""
        chain = chain_to(block, ctx)
        path = " > ".join(one.name for one in chain)
        self._counts[path] += 1
        key = f"{self.ids.scope('session').key}|{self.owner}|{path}|{name}|{self._counts[path]}"
        job = Job(
            id=job_id(key),
            ids=self.ids,
            root=chain[0].name,
            block=path,
            turn=self._turn,
            input=to_json(value, path, "the input of background work"),
            created_at=self.clock.now(),
            seq=self.services.background.next_seq(),
            trace=carrier(),
        )
        entry = Entry(job, chain, copy_context(), listener=self.emit, beside=beside)
        self.entries.append(entry)
        self.jobs.append(job.id)
        return entry

    async def settle(self, tickets: Sequence[Any], *, fail_on_error: bool, timeout: float | None) -> None:  # noqa: ASYNC109  the protocol of runs
        """Wait until each piece of work had its try; WorkError for the first that failed, if asked for."""
        await self.services.background.settle(self, tickets, fail_on_error=fail_on_error, timeout=timeout)

    def add(self, draft: Draft, *, block: str) -> Item:
        """Add one item that is stored when the run ends."""
        item = self.log.add(draft, clock=self.clock, turn=self._turn, block=block, turn_id=self.turn_id)
        with self._lock:
            self.unstored.append(item)
        return item

    def adopt(self, run: "LiveRun", job: Job) -> None:
        """Take over what a job recorded that was done inside this run."""
        self.unstored.extend(run.unstored)
        self.entries.extend(run.entries)
        self.settled.extend([job.id, *run.settled])
        self.effects.extend(run.effects)

    def take(self) -> tuple[list[Item], list[Row]]:
        """Return the items that are not stored yet, and their rows, and count them as stored from now on."""
        with self._lock:
            items, self.unstored, self._said = self.unstored, [], 0
        return items, [self.log.row(item) for item in items]

    async def stored(self) -> None:
        """Wait until what began to be stored is stored; raise what went wrong. What did not begin is left to `take`."""
        self._is_ending = True
        while self._storing:
            await asyncio.wrap_future(self._storing[0])
            self._storing.pop(0)

    def hand_over(self) -> list[Entry]:
        """Return the jobs asked for so far, as jobs of the turn that this run opened, and count them as stored."""
        entries, self.entries = self.entries, []
        for entry in entries:
            if entry.job.turn < self._opened:
                entry.job = replace(entry.job, turn=self._opened)
        return entries

    def unheard(self) -> None:
        """Stop telling a listener of what happens: the run has ended."""
        self._listener = None
        self.observed = self.span.recording

    def abandon(self) -> None:
        """Take back what this run recorded and did not store: a run that failed leaves the user's messages only."""
        self._store_said()
        self.log.discard({item.id for item in self.unstored})
        self.unstored, self.entries = [], []

    def _earlier(self, draft: Draft) -> Item | None:
        held = self.log.find([draft.id]) if draft.id else []
        if held or not self.turn_id:
            return held[0] if held else None
        return self.log.earlier(self.turn_id, draft, {item.id for item in self.added})

    def _wanted(self, rows: Rows, work: Callable[[Transaction], T]) -> T:
        self._check_wanted(rows)
        return work(Transaction(rows, self.ids))

    def _check_wanted(self, rows: Rows) -> None:
        if self.job_id and not rows.get(JOBS, SYSTEM, [self.job_id]):
            raise WorkError(f"job {self.job_id!r} was forgotten while it ran: nothing of it is stored")

    def store_said(self) -> None:
        """Begin to store the user's messages that wait for it, unless the run is about to store all it has."""
        if not self._is_ending:
            self._store_said()

    def keep_said(self, items: Sequence[Item]) -> None:
        """Begin to store the user's messages among items that were not stored together; take back the others."""
        said = [item for item in items if opens_turn(item)]
        self.log.discard({item.id for item in items if item not in said})
        with self._lock:
            self.unstored, self._said = [*said, *self.unstored], len(said) + self._said
        self._store_said()

    def _store_said(self) -> None:
        with self._lock, suppress(StoreError):  # closed meanwhile
            items, self.unstored, self._said = self.unstored[: self._said], self.unstored[self._said :], 0
            if items:
                rows = [self.log.row(item) for item in items]
                self._storing.append(self.services.portal.submit(self._store(items, rows)))

    def _store(self, items: Sequence[Item], rows: Sequence[Row]) -> Coroutine[Any, Any, None]:
        log, store = self.log, self.services.store

        async def put() -> None:
            try:
                await store.transact(lambda tx: tx.put(ITEMS, log.scope, log.current(rows)))
            except BaseException:
                log.discard({item.id for item in items})
                raise
            log.stored(items)

        return put()
