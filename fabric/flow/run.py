"""One run of a root block, or of a job's block: what the contexts of all blocks inside share."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar, cast

from ..clock import Clock
from ..errors import BudgetExceededError, ForgottenWorkError
from ..jobs.job import EFFECTS, JOBS, Job, job_id, next_job_id, owner_columns, to_json
from ..models.base import ModelClient
from ..record.erased import Erased
from ..record.events import Event, ItemAdded
from ..record.forgotten import ERASED
from ..record.items import Draft, Item, last_said, without_secrets
from ..record.log import SessionLog, opens_turn
from ..record.meanwhile import Gone, Meanwhile
from ..record.run_input import said_in
from ..runs.recording import Recording
from ..runs.run_jobs import RunJobs
from ..runs.run_secrets import RunSecrets
from ..runs.services import Entry, Listener, Services
from ..scope import ScopeIds
from ..store.base import SYSTEM, Rows
from ..telemetry.tracing import SILENT, Span, carrier
from ..usage import ModelCall, Usage
from .resource import Transaction

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class Trial:
    """What a block has done in the try under way. ``is_retried`` says whether another try may follow.

    Only then items, jobs and effects are listed, those of the blocks inside included.
    """

    is_retried: bool = False
    tickets: list[Entry] = field(default_factory=list[Entry])
    """The background work that this run of a sequencer started."""
    calls: Counter[str] = field(default_factory=Counter[str])
    """How often each block was called directly inside."""
    items: list[Item] = field(default_factory=list[Item])
    jobs: list[Entry] = field(default_factory=list[Entry])
    effects: dict[str, Any] = field(default_factory=dict[str, Any])


class Run:
    """One run of a root block, or of a job's block; `Context.run` of every block inside."""

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
        message_id: str = "",
        listener: Listener | None = None,
        span: Span = SILENT,
    ) -> None:
        self.services = services
        self.secrets = RunSecrets(services.secrets)
        self.id = services.clock.new_id("run")
        self.ids = ids
        self.input = value
        self.log = log
        self.usage = Usage()
        self.calls: list[ModelCall] = []
        self.owner = owner or self.id
        self.turn_id = turn_id
        self.added: list[Item] = []
        self.job_id = job_id
        self._own = None if job_id else said_in(value)
        self.secrets.heed(log.last_text, self._own.text if self._own is not None else "")
        self._said = message_id
        self._is_heard = False
        self.jobs = RunJobs()
        self.endings: list[Callable[[Rows], None]] = []
        self.includes = {self.id}
        self._done_once: dict[str, Any] = {}
        self._turn = turn
        self._opened = 0
        self._listener = listener
        self.span = span
        self.observed = listener is not None or span.recording
        self.meanwhile = Meanwhile(ids)
        self.recording = Recording(services, log, self.meanwhile)
        services.under_way.begin(self)

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
    def said(self) -> Item | None:
        """The user's message that this run is about: the last it recorded, or that of the run which left this job."""
        return last_said(self.added) or next(iter(self.log.find([self._said])), None)

    def record_user_message(self, block: str, waiting: Item | None = None) -> Item | None:
        """Record the run's own input as what the user said, unless a message was; return the run's message.

        One that waits for its answer is not said again: ``waiting``, or the same message of a run that failed.
        """
        if self.said is None and not self.job_id:
            if waiting is None and self._own is not None:
                waiting = self.log.waiting(without_secrets(self._own, self.secrets.redact))
            if waiting is not None:
                self._said, self._turn, self._opened = waiting.id, waiting.turn, waiting.turn
                self.log.begin(waiting.id)
            elif self._own is not None:
                self.record([self._named(self._own)], block)
            self._is_heard = self.said is not None
        return self.said

    def _named(self, own: Draft) -> Draft:
        """Return the run's message; in a named turn with the id that it has in every try, those of other processes too.

        What was taken from it before a process ended is then of this message, and of no other.
        """
        if not self.turn_id:
            return own
        named = f"item_{job_id(self.owner).removeprefix('job_')}"
        held = self.log.find([named])
        is_other = bool(held) and held[0].text != without_secrets(own, self.secrets.redact).text
        return own if is_other else replace(own, id=named)

    def counts_as(self, at: datetime) -> datetime | None:
        """Return when something counts as said that is said now: None for ``at``, the clock's time."""
        return self.log.order.counts_as(at, self.clock)

    def is_missed(self, message: Item) -> bool:
        """Return whether no run deals with a message of the user: its own failed, or ended with another process."""
        return self.log.is_missed(message.id)

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
        has_user_message = False
        for raw in drafts:
            draft = self.secrets.cleaned(raw, self.log.last_text)
            item = self._heard(draft) or self._earlier(draft)
            if item is None:
                item = self.add(draft, block=block)
                has_user_message = has_user_message or opens_turn(item)
            if opens_turn(item):
                self._turn = item.turn
                self._opened = self._opened or item.turn
                if not self.job_id:
                    self.log.begin(item.id)
            if item not in self.added:
                self.added.append(item)
            recorded.append(item)
            self.emit(ItemAdded(item))
        if has_user_message and not self.job_id:
            self.recording.keep_soon()
        return recorded

    async def finish_earlier(self) -> None:
        """Wait for calls that were begun before, are done whole and write what the run's ids own."""
        await self.services.earlier.finish(self.services.portal, self.ids)

    def writing(self) -> AbstractContextManager[None]:
        """Be a call, until the end of the block, that writes in several steps: `finish_earlier` waits for it."""
        return self.services.earlier.writing(self.ids)

    def erase(self, erased: Erased) -> None:
        """Take what a transaction erased out of the logs in memory too.

        Called by ``tx.rows.afterwards``, it keeps runs from storing later what was erased, and a transaction that
        fails from blanking what the file still holds.
        """
        self.services.logs.erase(erased.items, erased.turns)
        self.services.under_way.forget(erased.gone)

    def forget(self, gone: Sequence[Gone]) -> None:
        """Blank what the run holds of rows that were forgotten, now and whenever it takes in more of it."""
        if self.meanwhile.note(gone):
            self.recording.blank()

    def kept_output(self, output: Any) -> Any:
        """Return the run's output, a JSON value, as it may be stored."""
        return ERASED if self.recording.is_erased(self._turn) else self.meanwhile.value(self.secrets.value(output))

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
            self.recording.store_now(written)

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
        """Run ``work`` in one transaction, at most once per owner (job, or named turn) and key.

        In a run that has no name the results of tries that were taken back are known, until it ends.
        """
        if not self.job_id and not self.turn_id:
            return cast("T", self._done_once[key]) if key in self._done_once else await self.transact(work)
        row_id = f"{self.owner}|{key}"
        owners = owner_columns(self.ids)

        def journaled(rows: Rows) -> T:
            self._check_wanted(rows)
            stored = rows.get(EFFECTS, SYSTEM, [row_id])
            self.jobs.effects.append(row_id)
            if stored:
                return cast("T", stored[0]["value"])
            value = to_json(work(Transaction(rows, self.ids)), key, "the result of a transaction that happens once")
            rows.put(EFFECTS, SYSTEM, [{"id": row_id, "owner": self.owner, **owners, "value": value}])
            return cast("T", value)

        return await self.services.store.transact(journaled)

    def enqueue(
        self,
        chain: Sequence[Any],
        value: Any,
        marks: str,
        name: str,
        in_transaction: Callable[[Transaction], None] | None = None,
    ) -> Entry:
        """Make a job of the run of the last block of ``chain``, all blocks from the root, on a connected value.

        It is stored, and begins, when this run ends. ``marks`` tells apart the places of one path, as `Context.marks`
        does; ``in_transaction`` is done in the transaction that stores the job. Returns what `wait_for_work` waits for.
        """
        path = " > ".join(block.name for block in chain)
        job = self._job(
            next_job_id(f"{self.ids.scope('session').key}|{self.owner}|{path}|{name}", marks, self.jobs.ids),
            chain,
            value,
        )
        self.recording.check_going(path)
        entry = Entry(job, chain, copy_context(), listener=self.emit)
        if in_transaction is not None:
            entry.in_transaction = lambda rows: in_transaction(Transaction(rows, self.ids))
        return self.jobs.add(entry)

    def _job(self, identity: str, chain: Sequence[Any], value: Any) -> Job:
        path = " > ".join(block.name for block in chain)
        return Job(
            id=identity,
            ids=self.ids,
            root=chain[0].name,
            block=path,
            turn=self._turn,
            input=self.secrets.value(to_json(value, path, "the input of background work")),
            created_at=self.clock.now(),
            seq=self.services.background.next_seq(),
            trace=carrier(),
            reader=self.services.background.reader_of(chain[-1]),
            said=self.said.id if self.said is not None else "",
        )

    def when_stored(self, work: Callable[[Transaction], None]) -> None:
        """Do ``work`` in the transaction that stores this run; never, if it fails or its process ends before."""
        self.endings.append(lambda rows: work(Transaction(rows, self.ids)))

    def when_closed(self, chain: Sequence[Any], value: Any) -> None:
        """Have the last block of ``chain`` do background work when the file is closed, unless ``value`` is None."""
        path = " > ".join(block.name for block in chain)
        entry = None if value is None else Entry(self._job(self.clock.new_id("job"), chain, value), chain)
        self.services.background.when_closed((self.ids.scope("session"), path), entry)

    async def take_back(self, trial: Trial) -> None:
        """Undo what a failed try recorded and asked for, before the next one.

        A user's message stays, and so does work that was waited for: the next try finds it under its id. Effects that
        happen once are known.
        """
        self._done_once.update(trial.effects)
        self.jobs.take_back(trial.jobs)
        gone = await self.recording.withdraw(trial.items)
        self.added = [item for item in self.added if item.id not in gone]

    async def wait_for_work(self, entries: Sequence[Entry], *, fail_on_error: bool, timeout: float | None) -> None:
        """Wait until each piece of work had its try; WorkError for the first that failed, if asked for."""
        await self.services.background.wait_for_work(self, entries, fail_on_error=fail_on_error, timeout=timeout)

    def add(self, draft: Draft, *, block: str) -> Item:
        """Add one item that is stored when the run ends."""
        return self.recording.add(draft, turn=self._turn, block=block, turn_id=self.turn_id)

    def merge_child(self, run: "Run", job: Job) -> None:
        """Take over what a job recorded that was done inside this run."""
        self.recording.merge_child(run.recording)
        self.jobs.merge_child(run.jobs, job)
        self.endings += run.endings
        self.includes |= run.includes

    def pop_jobs(self) -> list[Entry]:
        """Return the jobs asked for so far, as jobs of the turn that this run opened, and count them as stored."""
        return self.jobs.pop(self._opened, self.said.id if self.said is not None else "", self.meanwhile)

    def end(self) -> None:
        """Take nothing more, and tell nobody of what happens: the run has ended."""
        self.recording.end()
        self.services.under_way.end(self)
        self.log.end({self._said, *(item.id for item in self.added)})
        self._listener = None
        self.observed = self.span.recording

    def abandon(self) -> None:
        """Take back what this run recorded and did not store: a run that failed leaves the user's messages only."""
        self.recording.abandon()
        self.services.under_way.end(self)
        self.log.fail({self._said, *(item.id for item in self.added if opens_turn(item))} if not self.job_id else set())
        self.jobs.entries = []

    def _heard(self, draft: Draft) -> Item | None:
        """Return the run's own input, recorded before any block saw it, where a block records the same, once."""
        message = self.said if self._is_heard and opens_turn(draft) else None
        if message is None or message.text != draft.text:
            return None
        self._is_heard = False
        return message

    def _earlier(self, draft: Draft) -> Item | None:
        items = self.log.find([draft.id]) if draft.id else []
        if items or not self.turn_id:
            return items[0] if items else None
        return self.log.earlier(self.turn_id, draft, {item.id for item in self.added})

    def _wanted(self, rows: Rows, work: Callable[[Transaction], T]) -> T:
        self._check_wanted(rows)
        return work(Transaction(rows, self.ids))

    def _check_wanted(self, rows: Rows) -> None:
        if self.job_id and not rows.get(JOBS, SYSTEM, [self.job_id]):
            raise ForgottenWorkError(f"job {self.job_id!r} was forgotten while it ran: nothing of it is stored")
