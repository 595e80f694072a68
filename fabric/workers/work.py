"""One try of a job, and the transactions in which a turn or a job ends."""

import asyncio
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

from ..errors import BudgetExceededError, ForgottenWorkError, ModelError, SchemaError, StoreError, WorkError
from ..flow.capability import enter_outer_lifespans
from ..flow.failing import Retry, go_on, is_cancelled
from ..flow.run import Run
from ..jobs.job import JOBS, MODEL, TURNS, Job, drop_effects, put_jobs, read_job, to_json
from ..record.forgotten import ERASED
from ..record.items import Draft, Item
from ..record.log import ITEMS
from ..runs.services import Entry, Services, Verdict
from ..scope import Scope
from ..store.base import SYSTEM, Row, Rows
from ..store.lanes import BACKGROUND
from ..telemetry.logger import logger
from ..telemetry.tracing import Attributes, Span, root, span
from ..telling import error_text, notes_of, repr_of
from ..threads.portal import INSIDE, kept
from .chains import context_of, from_json


class Ending(NamedTuple):
    """How a try ended, and the jobs that came out of it."""

    verdict: Verdict
    children: Sequence[Entry] = ()


async def commit(run: Run, turn: Row | None = None) -> Row | None:
    """Store what a foreground run recorded and asked for in one transaction, then let its jobs begin.

    ``turn`` is the row that makes a named turn known as done. Returns the row that another run of the same turn
    stored meanwhile, in which case nothing of this one is stored.
    """
    await run.recording.stored()
    if turn is None and not run.jobs.entries and not run.recording and not run.endings:
        return None
    items, rows = run.recording.pop_unstored()
    return await kept(run.services.portal, _commit(run, turn, items, rows, run.pop_jobs()))


async def _commit(
    run: Run, turn: Row | None, items: Sequence[Item], rows: Sequence[Row], entries: Sequence[Entry]
) -> Row | None:
    scope = run.log.scope

    def write(tx: Rows) -> tuple[Row | None, set[str]]:
        stored = tx.get(TURNS, scope, [turn["id"]]) if turn is not None else []
        if stored:
            return stored[0], set()
        wanted = [entry for entry in entries if not run.recording.is_erased(entry.job.turn)]
        fresh = [entry for entry in wanted if not run.turn_id or _is_to_do(tx, scope, entry.job)]
        run.services.background.claim(fresh)
        if rows:
            tx.put(ITEMS, scope, run.log.current(rows))
        put_entries(tx, fresh)
        _end(tx, run)
        if turn is not None:
            is_gone = run.recording.is_erased(run.turn) and not run.log.find(turn["items"])  # with its whole session
            tx.put(TURNS, scope, [] if is_gone else [turn])
            drop_effects(tx, [run.owner])
        return None, {entry.job.id for entry in fresh}

    try:
        row, fresh = await run.services.store.transact(write)
    except BaseException:
        run.recording.keep_said(items)
        raise
    if row is not None:
        run.log.discard({item.id for item in items})
    run.log.stored(items)
    run.services.background.submit([entry for entry in entries if entry.job.id in fresh])
    run.services.background.follow([entry for entry in entries if entry.job.id not in fresh])
    return row


def put_entries(rows: Rows, entries: Sequence[Entry]) -> None:
    """Store new jobs, and what is to be stored with them."""
    put_jobs(rows, [entry.job for entry in entries])
    for entry in entries:
        if entry.in_transaction is not None:
            entry.in_transaction(rows)


def _end(rows: Rows, run: Run) -> None:
    """Do what is to be done in the transaction that stores a run."""
    for ending in run.endings:
        ending(rows)


def _is_to_do(rows: Rows, scope: Scope, job: Job) -> bool:
    """Return whether no earlier try of a named turn left this job, done or under way; one that failed is done anew."""
    earlier = read_job(rows, job.id)
    return earlier.status == "failed" if earlier is not None else not rows.get(ITEMS, scope, [job.outcome_id])


class _GivenUpError(Exception):
    """The job was tried as often as it may be, and no end of it could be stored."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.error)
        self.job = job


class Attempt:
    """One try of a job: claim it, run its block, and store the outcome or what went wrong."""

    def __init__(self, services: Services, entry: Entry, retry: Retry) -> None:
        self._services = services
        self._entry = entry
        self._retry = retry
        self._is_first = entry.is_claimed

    async def run(self) -> Ending:
        """Give the job its try; only errors of the store are raised."""
        job, block = self._entry.job, self._entry.chain[-1]
        around = root(
            f"job {block.name}",
            span_attributes(self._entry),
            session=job.ids.session,
            kind="consumer",
            parent=job.trace,
        )
        with around as traced:
            ending = await self._try(traced)
            traced.note({"fabric.job.status": ending.verdict.status, "fabric.job.attempt": ending.verdict.job.attempts})
            return ending

    async def _try(self, span: Span) -> Ending:
        try:
            job = await self._services.store.transact(self._claim)
        except _GivenUpError as given_up:
            return await self._store_failure(given_up.job)
        if job is None:
            return Ending(Verdict(self._entry.job, "done"))
        self._entry.job = job
        run = await self._make_run(job, span)
        task = asyncio.get_running_loop().create_task(
            perform(run, self._entry), context=self._entry.variables and self._entry.variables.copy()
        )
        try:
            result = await task
        except BaseException as error:  # whatever background work raises, it has failed
            run.abandon()
            if isinstance(error, asyncio.CancelledError) and self._services.background.closing:
                await self._services.store.transact(lambda rows: _replace(rows, _released(job)))
                raise
            go_on()  # where the job itself cancelled every task it saw
            return await self._store_failure(after_error(job, error, self._retry, run))
        try:
            return await self._store_outcome(run, job, result)
        except StoreError:
            raise
        except Exception as error:  # its result is nothing that can be stored, nor said
            run.abandon()
            return await self._store_failure(after_error(job, error, self._retry, run))

    def _claim(self, rows: Rows) -> Job | None:
        job = read_job(rows, self._entry.job.id)
        if job is None or self._entry.is_claimed:
            self._entry.is_claimed = False
            return job
        if self._entry.refused and job.attempts >= self._retry.attempts:
            raise _GivenUpError(replace(job, status="failed", error=self._entry.refused))
        job = replace(job, status="running", attempts=job.attempts + 1, not_before=None)
        put_jobs(rows, [job])
        return job

    async def _make_run(self, job: Job, span: Span) -> Run:
        log = await self._services.logs.load(job.ids.scope("session"))
        return Run(
            self._services,
            job.ids,
            log,
            job.input,
            turn=job.turn,
            owner=job.id,
            job_id=job.id,
            message_id=job.said,
            span=span,
        )

    async def _store_failure(self, job: Job) -> Ending:
        still_there = await self._services.store.transact(lambda rows: _replace(rows, job))
        return Ending(Verdict(job, job.status if still_there else "done", job.error))

    async def _store_outcome(self, run: Run, job: Job, result: Any) -> Ending:
        record_outcome(run, job, result)
        items, new = run.recording.pop_unstored()
        run.recording.end()
        children = run.jobs.entries
        owners = [job.id, *run.jobs.settled]

        def write(rows: Rows) -> bool:
            if not rows.delete(JOBS, SYSTEM, [job.id]):
                return False
            drop_effects(rows, owners, run.jobs.effects if self._is_first else None)
            rows.put(ITEMS, run.log.scope, run.log.current(new))
            self._services.background.claim(children, ended=self._entry)
            put_entries(rows, children)
            _end(rows, run)
            return True

        try:
            still_there = await self._services.store.transact(write)
        except BaseException:
            run.log.discard({item.id for item in items})
            raise
        if not still_there:  # forgotten while it ran: nothing of it may come back
            run.log.discard({item.id for item in items})
            return Ending(Verdict(job, "done"))
        run.log.stored(items)
        return Ending(Verdict(job, "done"), [child for child in children if child.job.status != "failed"])


async def perform(run: Run, entry: Entry) -> Any:
    """Run a job's block on its stored input."""
    job, block = entry.job, entry.chain[-1]
    ctx = context_of(run, entry.chain)
    token = INSIDE.set(f"job {job.block}")
    BACKGROUND.set(True)
    try:
        with run.span.current():
            async with enter_outer_lifespans(ctx):
                return await block.resume(from_json(block, job.input), ctx)
    except (SystemExit, KeyboardInterrupt) as error:
        raise WorkError(f"{job.block}: background work asked for the process to exit: {repr_of(error)}") from error
    except GeneratorExit as error:
        if is_cancelled():  # torn down
            raise
        raise WorkError(f"{job.block}: background work raised {repr_of(error)}") from error  # no task may await it
    finally:
        INSIDE.reset(token)


async def perform_inline(run: Run, entries: Sequence[Entry], retry: Retry) -> list[Verdict]:
    """Run jobs that a job waits for, inside its own try: they are stored with it, done or not."""
    verdicts: list[Verdict] = []
    for entry in entries:
        if not entry.verdict.done():
            with span(f"job {entry.chain[-1].name}", span_attributes(entry), kind="consumer") as around:
                entry.verdict.set_result(await _try_inline(run, entry, retry, around))
        verdicts.append(entry.verdict.result())
    return verdicts


async def _try_inline(parent: Run, entry: Entry, retry: Retry, around: Span) -> Verdict:
    job = replace(entry.job, attempts=entry.job.attempts + 1)
    run = Run(
        parent.services,
        job.ids,
        parent.log,
        job.input,
        turn=job.turn,
        owner=job.id,
        job_id=parent.job_id,
        message_id=job.said,
        span=around,
    )
    try:
        result = await perform(run, entry)
        record_outcome(run, job, result)
    except BaseException as error:
        run.abandon()
        if isinstance(error, asyncio.CancelledError) and is_cancelled():
            raise
        entry.job = after_error(job, error, retry, run)
        return Verdict(entry.job, entry.job.status, entry.job.error)
    parent.merge_child(run, job)
    parent.jobs.entries = [other for other in parent.jobs.entries if other is not entry]
    return Verdict(job, "done")


def span_attributes(entry: Entry) -> Attributes:
    """Return what a trace says of a job."""
    job = entry.job
    return {**entry.chain[-1].span_attributes(job.block), "fabric.job.id": job.id, "fabric.run.turn": job.turn}


def record_outcome(run: Run, job: Job, result: Any) -> Item:
    """Add the item that says what background work did and what it cost."""
    data = {
        "job": job.id,
        "result": run.meanwhile.value(_readable(result, job.block)),
        "usage": {
            "input_tokens": run.usage.input_tokens,
            "output_tokens": run.usage.output_tokens,
            "cost": run.usage.cost,
            "calls": run.usage.calls,
        },
        "attempts": job.attempts,
    }
    name = job.block.rsplit(" > ", 1)[-1]
    return run.add(Draft("system", "outcome", "done", name=name, data=data, id=job.outcome_id), block=job.block)


def _readable(result: Any, where: str) -> Any:
    try:
        return to_json(result, where, "the result of background work")
    except SchemaError:
        return {"repr": repr_of(result)[:2000]}


def after_error(job: Job, error: BaseException, retry: Retry, run: Run) -> Job:
    """Return the job as an error leaves it: pending until later, or failed; it did not end the process."""
    job = replace(job, is_suspect=False)
    text = describe(error, run.secrets.redact)
    run.span.fail(error)
    log = logger(job=job.id, block=job.block, session=job.ids.session, error=text)
    now = run.clock.now()
    if isinstance(error, BudgetExceededError) and error.until is not None:
        log.info("background work is deferred", until=error.until.isoformat())
        return replace(job, status="pending", attempts=job.attempts - 1, error=text, not_before=error.until)
    if isinstance(error, ForgottenWorkError):  # as whoever forgot it asked
        log.info("background work ends: it was forgotten while it ran")
        return replace(job, status="failed", error=text)
    if isinstance(error, retry.on) and job.attempts < retry.attempts:
        later = now + timedelta(seconds=retry.delay(job.attempts))
        log.info("background work is put off", attempt=job.attempts, until=later.isoformat())
        return replace(job, status="pending", error=text, not_before=later)
    log.warning("background work failed", attempt=job.attempts, at=_place(error))
    return replace(job, status="failed", error=text, cause=MODEL if isinstance(error, ModelError) else "")


def describe(error: BaseException, redact: Callable[[str], str]) -> str:
    """Return the error's type, message and notes in one text, without secrets; its type alone if none can be found."""
    try:
        return redact("; ".join([error_text(error), *notes_of(error)]))
    except Exception as fault:  # telling of a failure must not be the next one
        return f"{type(error).__name__} (not looked through for secrets, so not told: {type(fault).__name__})"


def _place(error: BaseException) -> str:
    """Say where it was raised; a whole traceback would show the values of locals in the terminals of many."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def _replace(rows: Rows, job: Job) -> bool:
    stored = read_job(rows, job.id)
    if stored is not None:  # with its input as it is now: part of it may have been forgotten since the try began
        error = job.error if stored.input == job.input else ERASED
        put_jobs(rows, [replace(job, input=stored.input, error=error)])
    return stored is not None


def _released(job: Job) -> Job:
    return replace(job, status="pending", attempts=job.attempts - 1)
