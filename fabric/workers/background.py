"""The background: runs the jobs of each session in order, sessions side by side, and survives whatever they do."""

import asyncio
import itertools
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from ..errors import ConfigurationError, StoreError, WorkError
from ..flow.block import Block
from ..flow.failing import Retry, go_on
from ..flow.run import Run
from ..jobs.job import JOBS, MODEL, Job, interrupted, job_of, put_jobs
from ..record.events import WorkFinished
from ..record.log import ITEMS
from ..runs.services import Entry, Services, Verdict
from ..scope import Scope
from ..store.base import SYSTEM, Rows
from ..store.lanes import BACKGROUND
from ..telemetry.logger import logger
from .lane import Lane
from .readers import asks_model, chain_for, hint_of
from .room import Room
from .work import Attempt, Ending, commit, describe, perform_inline

BEFORE_LAST = 1 / 3
"""Which share of its patience is left to work under way before what was to be done at closing begins."""
STALLED_SECONDS = 1.0
"""How long a session's work rests after the store refused a write."""


def _check_seconds(timeout: Any) -> None:
    if timeout is not None and (not isinstance(timeout, int | float) or isinstance(timeout, bool)):
        raise ConfigurationError(
            f"waiting for background work: timeout is {timeout!r}; expected a number of seconds, or None for no end"
        )


class Background:
    """Background work of one open file. Methods belong to the loop of its portal unless they say otherwise."""

    def __init__(self, services: Services, *, retry: Retry, max_concurrency: int) -> None:
        self._services = services
        self._retry = retry
        self._room = Room(max_concurrency)
        self._numbers = itertools.count(1)
        self._lanes: dict[Scope, Lane] = {}
        self._parked: dict[str, list[Entry]] = defaultdict(list)
        self._roots: dict[str, Block[Any, Any]] = {}
        self._lock = threading.Lock()
        self._changed = asyncio.Event()
        self._closing = False
        self._when_closed: dict[tuple[Scope, str], Entry] = {}
        self._listeners: list[Callable[[WorkFinished], None]] = []

    @property
    def closing(self) -> bool:
        """Whether what runs is being cancelled, because the file is closed."""
        return self._closing

    def next_seq(self) -> int:
        """Return the next job number. From any thread."""
        return next(self._numbers)

    def reader_of(self, block: Block[Any, Any]) -> str:
        """Return who has to do a job of this block: "model", or "" where anybody may. From any thread."""
        return MODEL if asks_model(block) else ""

    def recover(self) -> None:
        """Read what an earlier process left. Called once, before anything runs."""
        jobs = self._services.store.transact_sync(self._left_over)
        self._numbers = itertools.count(max((job.seq for job in jobs), default=0) + 1)
        for job in jobs:
            if job.status == "pending" or job.cause == MODEL:  # another model may do what one could not
                self._parked[job.root].append(Entry(job))

    def _left_over(self, rows: Rows) -> list[Job]:
        jobs = [job_of(row) for row in rows.find(JOBS, SYSTEM, order="seq")]
        broken = interrupted([job for job in jobs if job.status == "running"], self._retry.attempts)
        put_jobs(rows, broken)
        mended = {job.id: job for job in broken}
        return [mended.get(job.id, job) for job in jobs]

    def know(self, root: Block[Any, Any]) -> None:
        """Take a pipeline as the one that jobs of its name belong to. From any thread."""
        with self._lock:
            self._roots[root.name] = root
            waiting = bool(self._parked.get(root.name))
        if waiting:
            self._services.work_portal.tell(self._unpark, root.name)

    def listen(self, heard: Callable[[WorkFinished], None]) -> None:
        """Tell ``heard`` of every try that ends from now on. From any thread."""
        self._listeners.append(heard)

    def tell(self, event: WorkFinished) -> None:
        """Tell whoever listens of background work that is no job. From any thread."""
        self._services.work_portal.tell(self._say, event, self._listeners)

    def hinted(self, job: Job) -> Job:
        """Return the job with what it waits for, if it cannot run as things are. From any thread."""
        with self._lock:
            if not any(entry.job.id == job.id for entry in self._parked.get(job.root, ())):
                return job
            return replace(job, hint=hint_of(job, self._roots.get(job.root)))

    def claim(self, entries: Sequence[Entry], ended: Entry | None = None) -> None:
        """Make those of new jobs running that begin as soon as they are stored: a row less is written when they do.

        ``ended`` is the job that stores them with its outcome. A job that may be tried only once is counted when it
        begins, and not before. From any thread.
        """
        free = self._room.free + (ended is not None) if self._retry.attempts > 1 else 0
        taken: set[Scope] = set()
        for entry in entries:
            scope = entry.job.ids.scope("session")
            lane = self._lanes.get(scope)
            is_first = scope not in taken and (lane is None or lane.entries == [ended])
            taken.add(scope)
            if is_first and len(taken) <= free and entry.job.attempts == 0 and not self._closing:
                entry.job = replace(entry.job, status="running", attempts=1)
                entry.is_claimed = True

    def submit(self, entries: Sequence[Entry]) -> None:
        """Take over jobs that were just stored. From any thread."""
        self._tell(self._add, entries)

    def follow(self, entries: Sequence[Entry]) -> None:
        """Let jobs that an earlier try of their turn left end as that one does. From any thread."""
        self._tell(self._follow, entries)

    def when_closed(self, place: tuple[Scope, str], entry: Entry | None) -> None:
        """Begin this job when the file is closed, in place of an earlier one of the same session. From any thread."""
        with self._lock:
            if entry is None:
                self._when_closed.pop(place, None)
            else:
                self._when_closed[place] = entry

    def _tell(self, function: Callable[[Sequence[Entry]], None], entries: Sequence[Entry]) -> None:
        for entry in entries if self._closing else ():
            _leave(entry)
        if entries and not self._closing:
            self._services.work_portal.tell(function, entries)

    def _follow(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            lane = self._lanes.get(entry.job.ids.scope("session"))
            waiting = lane.entries if lane is not None else []
            ahead = next((earlier for earlier in waiting if earlier.job.id == entry.job.id), None)
            if ahead is None:  # it is done, and out of the lane
                entry.verdict.set_result(Verdict(entry.job, "done"))
            else:
                ahead.verdict.add_done_callback(partial(_copy_verdict, entry))

    async def retry(self, job: Job, *, by_anybody: bool = False) -> None:
        """Take a job that was put back, whether it waits here or not."""
        with self._lock:
            parked = self._parked[job.root]
            parked[:] = [entry for entry in parked if entry.job.id != job.id]
        lane = self._lanes.get(job.ids.scope("session"))
        waiting = [entry for entry in lane.entries if entry.job.id == job.id] if lane is not None else []
        for entry in waiting:
            entry.job = job
        if lane is not None and waiting:
            lane.wake.set()
        else:
            self._add([Entry(job, by_anybody=by_anybody)])

    async def drain(self, timeout: float | None = None) -> None:
        """Wait until nothing runs and nothing could run now; jobs that wait for a later try are not waited for."""
        await self._quiet(timeout)

    async def finish(self, timeout: float | None = None) -> None:
        """Drain before the file is closed, and do what was to be done then; `Block.patience` is no more than waited."""
        began = asyncio.get_running_loop().time()
        await self._quiet(timeout, since=began, share=BEFORE_LAST)
        if last := await self._store_last():
            self._add(last, beside=True)
            await self._quiet(timeout, since=began)

    async def _store_last(self) -> list[Entry]:
        """Store the jobs that were to begin when the file is closed, and return them."""
        with self._lock:
            last, self._when_closed = list(self._when_closed.values()), {}
        for entry in last:
            entry.job = replace(entry.job, seq=self.next_seq())
        return await self._services.store.transact(lambda rows: _put_last(rows, last)) if last else []

    async def _quiet(self, timeout: float | None, since: float | None = None, share: float = 1.0) -> None:
        """Wait until nothing runs: what still does after ``timeout`` seconds is seen in `Fabric.jobs`.

        ``since`` is when the file began to be closed, None while it is not: then what has a patience is waited for
        that long, or for a share of it.
        """
        _check_seconds(timeout)
        now = asyncio.get_running_loop().time
        ends = math.inf if timeout is None else (now() if since is None else since) + timeout
        for lane in self._lanes.values():
            lane.wake.set()
        await asyncio.sleep(0)
        while busy := [lane for lane in self._lanes.values() if lane.busy]:
            until = [min(ends, math.inf if since is None else since + lane.patience * share) for lane in busy]
            if max(until) <= now():
                return
            self._changed.clear()
            wakes = min(moment for moment in until if moment > now())
            with suppress(TimeoutError):
                async with asyncio.timeout_at(None if wakes == math.inf else wakes):
                    await self._changed.wait()

    async def stop(self) -> None:
        """Cancel what runs; its jobs stay pending, as do those that it asked for last, and whoever waits is told."""
        self._closing = True
        tasks = [lane.task for lane in self._lanes.values() if lane.task is not None]
        left = [entry for lane in self._lanes.values() for entry in lane.entries]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for entry in left:
            _leave(entry)
        await self._store_last()

    async def wait_for_work(
        self,
        run: Run,
        entries: Sequence[Entry],
        *,
        fail_on_error: bool,
        timeout: float | None,
    ) -> None:
        """Wait until each of these jobs had its try: in the run itself when that is a job, else in the background."""
        where = f"{entries[0].job.root}: " if entries else ""
        if not run.job_id:
            await commit(run)  # before the time begins: what is not stored yet would not go on
        try:
            async with asyncio.timeout(timeout):
                verdicts = await self._verdicts(run, entries)
        except TimeoutError as error:
            raise TimeoutError(f"{where}background work took longer than {timeout} s; it goes on") from error
        for verdict in verdicts if fail_on_error else ():
            if verdict.status != "done":
                state = "failed" if verdict.status == "failed" else "was put off"
                raise WorkError(f"{verdict.job.block}: background work {state}: {verdict.error}")

    async def _verdicts(self, run: Run, entries: Sequence[Entry]) -> list[Verdict]:
        if run.job_id:
            return await perform_inline(run, entries, self._retry)
        return [await asyncio.shield(asyncio.wrap_future(entry.verdict)) for entry in entries]

    def _add(self, entries: Iterable[Entry], *, beside: bool = False) -> None:
        """Put jobs into the lanes of their sessions, or, with ``beside``, where they wait for no job of those."""
        for entry in entries:
            chain = self._chain(entry)
            if self._closing:
                _leave(entry)
                continue
            if not chain:
                with self._lock:
                    self._parked[entry.job.root].append(entry)
                continue
            entry.chain = chain
            place = entry.job.ids.scope("session")
            place = Scope(place.kind, f"{place.key} beside") if beside else place
            lane = self._lanes.setdefault(place, Lane())
            lane.add(entry)
            if lane.task is None:
                lane.task = asyncio.get_running_loop().create_task(self._serve(place, lane))

    def _unpark(self, root: str) -> None:
        with self._lock:
            entries = self._parked.pop(root, [])
        self._add(entries)

    def _chain(self, entry: Entry) -> Sequence[Block[Any, Any]]:
        if entry.chain:
            return entry.chain
        return chain_for(entry.job, self._roots.get(entry.job.root), by_anybody=entry.by_anybody)

    async def _serve(self, scope: Scope, lane: Lane) -> None:
        BACKGROUND.set(True)
        try:
            while lane.entries:
                entry = lane.entries[0]
                if not await self._due(lane, entry):
                    continue
                async with self._room.place(alone=entry.job.is_suspect):
                    ending = await self._supervise(entry)
                if ending is None:
                    await self._rest(lane, STALLED_SECONDS)
                    continue
                self._close_try(lane, entry, ending)
        finally:
            lane.task = None
            self._lanes.pop(scope, None)
            self._changed.set()

    async def _due(self, lane: Lane, entry: Entry) -> bool:
        """Return whether the first job may run now, else rest until it may or something changed."""
        later = entry.job.not_before
        seconds = 0.0 if later is None else (later - self._services.clock.now()).total_seconds()
        if seconds <= 0:
            return True
        woken = await self._rest(lane, seconds)
        if not woken and lane.entries[0] is entry:
            entry.job = replace(entry.job, not_before=None)
        return False

    async def _rest(self, lane: Lane, seconds: float) -> bool:
        lane.wake.clear()
        lane.resting = True
        self._changed.set()
        try:
            async with asyncio.timeout(seconds):
                await lane.wake.wait()
        except TimeoutError:
            return False
        finally:
            lane.resting = False
        return True

    async def _supervise(self, entry: Entry) -> Ending | None:
        """Give a job one try, whatever happens; None when not even the store can be reached."""
        try:
            return await Attempt(self._services, entry, self._retry).run()
        except BaseException as error:
            if self._closing:
                raise
            go_on()
            reason = describe(error, self._services.secrets.redact)
            entry.refused = f"its end could not be stored: {reason}"
            logger().error("a job's state could not be stored", job=entry.job.id, error=reason)
            return None

    def _close_try(self, lane: Lane, entry: Entry, ending: Ending) -> None:
        entry.job = ending.verdict.job
        if ending.verdict.status != "pending":
            lane.entries.remove(entry)
        self._add(ending.children)
        self._announce(entry, ending.verdict)

    def _announce(self, entry: Entry, verdict: Verdict) -> None:
        """Tell whoever waits for a job, streams the run that made it, or listens to all, how its try ended."""
        job = verdict.job
        event = WorkFinished(job.id, job.ids, job.block, verdict.status, verdict.error)
        self._say(event, [*filter(None, [entry.listener]), *self._listeners])
        if not entry.verdict.done():
            entry.verdict.set_result(verdict)

    def _say(self, event: WorkFinished, listeners: Sequence[Callable[[WorkFinished], None]]) -> None:
        for heard in listeners:
            try:
                heard(event)
            except Exception as error:  # a listener's own: the work of others goes on
                reason = describe(error, self._services.secrets.redact)
                logger().error("a listener of background work failed", job=event.job_id, error=reason)


def _put_last(rows: Rows, entries: Sequence[Entry]) -> list[Entry]:
    """Store what is begun when the file is closed, but for sessions that were erased; return it."""
    there = [entry for entry in entries if rows.count(ITEMS, entry.job.ids.scope("session"), [])]
    put_jobs(rows, [entry.job for entry in there])
    return there


def _copy_verdict(entry: Entry, ended: "Future[Verdict]") -> None:
    if entry.verdict.done():
        return
    error = ended.exception()
    if error is None:
        entry.verdict.set_result(ended.result())
    else:
        entry.verdict.set_exception(error)


def _leave(entry: Entry) -> None:
    """Tell whoever waits for a job that it waits in the file from now on."""
    if not entry.verdict.done():
        entry.verdict.set_exception(
            StoreError(f"{entry.job.block}: the file was closed; this background work goes on when it is opened next")
        )
