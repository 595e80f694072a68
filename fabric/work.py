"""One try of a job, and the transactions in which a turn or a job ends."""

import asyncio
import traceback
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

from .block import Retry
from .errors import BudgetExceededError, SchemaError, WorkError
from .items import Draft, Item
from .jobs import JOBS, TURNS, Job, context_of, drop_effects, from_json, put_jobs, read_job, to_json
from .lending import lend_around
from .live import Entry, LiveRun, Services, Verdict
from .log import ERASED, ITEMS
from .logger import logger
from .portal import INSIDE
from .resource import Transaction
from .scope import Scope
from .store.base import SYSTEM, Row, Rows
from .store.lanes import BACKGROUND
from .tracing import Attributes, Span, root, span


class Ending(NamedTuple):
    """How a try ended, and the jobs that came out of it."""

    verdict: Verdict
    children: Sequence[Entry] = ()


async def commit(run: LiveRun, turn: Row | None = None) -> Row | None:
    """Store what a foreground run recorded and asked for in one transaction, then let its jobs begin.

    ``turn`` is the row that makes a named turn known as done. Returns the row that another run of the same turn
    stored meanwhile, in which case nothing of this one is stored.
    """
    await run.stored()
    if turn is None and not run.entries and not run.unstored:
        return None
    items, rows = run.take()
    work = _commit(run, turn, items, rows, run.hand_over())
    return await asyncio.shield(asyncio.wrap_future(run.services.portal.submit(work)))


async def _commit(
    run: LiveRun, turn: Row | None, items: Sequence[Item], rows: Sequence[Row], entries: Sequence[Entry]
) -> Row | None:
    scope = run.log.scope

    def write(tx: Rows) -> tuple[Row | None, set[str]]:
        known = tx.get(TURNS, scope, [turn["id"]]) if turn is not None else []
        if known:
            return known[0], set()
        wanted = [entry for entry in entries if not run.log.is_erased(entry.job.turn)]
        fresh = [entry for entry in wanted if not run.turn_id or _is_new(tx, scope, entry.job)]
        run.services.background.claim(fresh)
        if rows:
            tx.put(ITEMS, scope, run.log.current(rows))
        put_entries(tx, fresh)
        if turn is not None:
            tx.put(TURNS, scope, [turn])
            drop_effects(tx, [run.owner])
        return None, {entry.job.id for entry in fresh}

    try:
        known, fresh = await run.services.store.transact(write)
    except BaseException:
        run.keep_said(items)
        raise
    if known is not None:
        run.log.discard({item.id for item in items})
    run.log.stored(items)
    for entry in entries:
        if entry.job.id not in fresh:
            entry.verdict.set_result(Verdict(entry.job, "done"))
    run.services.background.submit([entry for entry in entries if entry.job.id in fresh])
    return known


def put_entries(rows: Rows, entries: Sequence[Entry]) -> None:
    """Store new jobs, and what is to be stored with them."""
    put_jobs(rows, [entry.job for entry in entries])
    for entry in entries:
        if entry.beside is not None:
            entry.beside(Transaction(rows, entry.job.ids))


def _is_new(rows: Rows, scope: Scope, job: Job) -> bool:
    return not rows.get(JOBS, SYSTEM, [job.id]) and not rows.get(ITEMS, scope, [job.outcome_id])


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
        with around as kept:
            ending = await self._try(kept)
            kept.note({"fabric.job.status": ending.verdict.status, "fabric.job.attempt": ending.verdict.job.attempts})
            return ending

    async def _try(self, span: Span) -> Ending:
        job = await self._services.store.transact(self._claim)
        if job is None:
            return Ending(Verdict(self._entry.job, "done"))
        self._entry.job = job
        run = await self._make_run(job, span)
        task = asyncio.get_running_loop().create_task(
            perform(run, self._entry), context=self._entry.variables and self._entry.variables.copy()
        )
        try:
            result = await task
        except asyncio.CancelledError as error:
            run.abandon()
            if _being_cancelled():
                await self._services.store.transact(lambda rows: _replace(rows, _released(job)))
                raise
            return await self._store_failure(after_error(job, error, self._retry, run))
        except Exception as error:  # noqa: BLE001  supervision of background work
            run.abandon()
            return await self._store_failure(after_error(job, error, self._retry, run))
        return await self._store_outcome(run, job, result)

    def _claim(self, rows: Rows) -> Job | None:
        job = read_job(rows, self._entry.job.id)
        if job is None or self._entry.is_claimed:
            self._entry.is_claimed = False
            return job
        job = replace(job, status="running", attempts=job.attempts + 1, not_before=None)
        put_jobs(rows, [job])
        return job

    async def _make_run(self, job: Job, span: Span) -> LiveRun:
        log = await self._services.logs.load(job.ids.scope("session"))
        return LiveRun(self._services, job.ids, log, job.input, turn=job.turn, owner=job.id, job_id=job.id, span=span)

    async def _store_failure(self, job: Job) -> Ending:
        known = await self._services.store.transact(lambda rows: _replace(rows, job))
        return Ending(Verdict(job, job.status if known else "done", job.error))

    async def _store_outcome(self, run: LiveRun, job: Job, result: Any) -> Ending:
        record_outcome(run, job, result)
        items, new = run.take()
        children = run.entries
        owners = [job.id, *run.settled]

        def write(rows: Rows) -> bool:
            if not rows.delete(JOBS, SYSTEM, [job.id]):
                return False
            drop_effects(rows, owners, run.effects if self._is_first else None)
            rows.put(ITEMS, run.log.scope, run.log.current(new))
            self._services.background.claim(children, ended=self._entry)
            put_entries(rows, children)
            return True

        try:
            known = await self._services.store.transact(write)
        except BaseException:
            run.log.discard({item.id for item in items})
            raise
        if not known:  # forgotten while it ran: nothing of it may come back
            run.log.discard({item.id for item in items})
            return Ending(Verdict(job, "done"))
        run.log.stored(items)
        return Ending(Verdict(job, "done"), [child for child in children if child.job.status != "failed"])


async def perform(run: LiveRun, entry: Entry) -> Any:
    """Run a job's block on its stored input."""
    job, block = entry.job, entry.chain[-1]
    ctx = context_of(run, entry.chain)
    token = INSIDE.set(f"job {job.block}")
    BACKGROUND.set(True)
    try:
        with run.span.current():
            async with lend_around(ctx):
                return await block.resume(from_json(block, job.input), ctx)
    except (SystemExit, KeyboardInterrupt) as error:
        raise WorkError(f"{job.block}: background work asked for the process to exit: {error!r}") from error
    finally:
        INSIDE.reset(token)


async def perform_inline(run: LiveRun, entries: Sequence[Entry], retry: Retry) -> list[Verdict]:
    """Run jobs that a job waits for, inside its own try: they are stored with it, done or not."""
    verdicts: list[Verdict] = []
    for entry in entries:
        if not entry.verdict.done():
            with span(f"job {entry.chain[-1].name}", span_attributes(entry), kind="consumer") as around:
                entry.verdict.set_result(await _try_inline(run, entry, retry, around))
        verdicts.append(entry.verdict.result())
    return verdicts


async def _try_inline(parent: LiveRun, entry: Entry, retry: Retry, around: Span) -> Verdict:
    job = replace(entry.job, attempts=entry.job.attempts + 1)
    run = LiveRun(
        parent.services,
        job.ids,
        parent.log,
        job.input,
        turn=job.turn,
        owner=job.id,
        job_id=parent.job_id,
        span=around,
    )
    try:
        result = await perform(run, entry)
    except Exception as error:  # noqa: BLE001  supervision of background work
        run.abandon()
        entry.job = after_error(job, error, retry, run)
        return Verdict(entry.job, entry.job.status, entry.job.error)
    except BaseException:
        run.abandon()
        raise
    record_outcome(run, job, result)
    parent.adopt(run, job)
    parent.entries = [one for one in parent.entries if one is not entry]
    return Verdict(job, "done")


def span_attributes(entry: Entry) -> Attributes:
    """Return what a trace says of a job."""
    job = entry.job
    return {**entry.chain[-1].span_attributes(job.block), "fabric.job.id": job.id, "fabric.run.turn": job.turn}


def record_outcome(run: LiveRun, job: Job, result: Any) -> Item:
    """Add the item that says what background work did and what it cost."""
    data = {
        "job": job.id,
        "result": _readable(result, job.block),
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
        return {"repr": repr(result)[:2000]}


def after_error(job: Job, error: BaseException, retry: Retry, run: LiveRun) -> Job:
    """Return the job as an error leaves it: pending until later, or failed."""
    text = describe(error)
    run.span.fail(error)
    log = logger(job=job.id, block=job.block, session=job.ids.session, error=text)
    now = run.clock.now()
    if isinstance(error, BudgetExceededError) and error.until is not None:
        log.info("background work is deferred", until=error.until.isoformat())
        return replace(job, status="pending", attempts=job.attempts - 1, error=text, not_before=error.until)
    if isinstance(error, retry.on) and job.attempts < retry.attempts:
        later = now + timedelta(seconds=retry.delay(job.attempts))
        log.info("background work is put off", attempt=job.attempts, until=later.isoformat())
        return replace(job, status="pending", error=text, not_before=later)
    log.warning("background work failed", attempt=job.attempts, at=_place(error))
    return replace(job, status="failed", error=text)


def describe(error: BaseException) -> str:
    """Return the error's type, message and notes in one text."""
    return "; ".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])


def _place(error: BaseException) -> str:
    """Say where it was raised; a whole traceback would show the values of locals in the terminals of many."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def _replace(rows: Rows, job: Job) -> bool:
    known = read_job(rows, job.id)
    if known is not None:  # with its input as it is now: part of it may have been forgotten since the try began
        error = job.error if known.input == job.input else ERASED
        put_jobs(rows, [replace(job, input=known.input, error=error)])
    return known is not None


def _released(job: Job) -> Job:
    return replace(job, status="pending", attempts=job.attempts - 1)


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
