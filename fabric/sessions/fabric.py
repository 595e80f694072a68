"""The open file: what sessions, runs and background work share, and what ends with it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import closing, suppress
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from weakref import WeakKeyDictionary

from ..clock import Clock, SystemClock
from ..errors import ConfigurationError, ModelUnavailableError, StoreError
from ..flow.block import Block
from ..flow.failing import Retry
from ..flow.resource import Collection, Resource, check_alike
from ..jobs.job import EFFECTS, JOBS, TURNS, Job, JobStatus, job_of, put_back_job
from ..lazy import lazy
from ..models.base import ModelClient
from ..options import check_whole_number, names_options
from ..record.events import WorkFinished
from ..record.log import ITEMS, Logs
from ..runs.ledger import Ledger
from ..runs.services import Services
from ..scope import ScopeIds, ScopeKind
from ..store.base import SYSTEM, Backup, Rows, Store, Table
from ..threads.portal import INSIDE, KEPT_SECONDS, Portal, aside, forbid_nested, wait
from ..workers.background import Background
from .declared import declare
from .defaults import duckdb_store, redaction
from .session import Session

if TYPE_CHECKING:
    from ..flow import wiring
    from ..models import litellm
    from ..models.budget import Budget
else:
    litellm = lazy("..models.litellm", __package__)
    wiring = lazy("..flow.wiring", __package__)

T = TypeVar("T")


class Fabric:
    """One store file, opened; use it as a context manager, sync or async.

    ``path`` is the file, made when missing, or ``":memory:"``. ``models`` answers model calls (litellm if not given),
    ``clock`` gives time, ids and chance, ``budget`` (a `Budget`) limits what runs and users' days
    may cost. Background work of one session runs in order, that of at most ``max_concurrency`` sessions side by side;
    work whose model is unavailable is tried ``max_attempts`` times, the first pause being ``retry_delay`` seconds and
    each further one twice as long, at most ten minutes. Keys, tokens, passwords and numbers of cards are taken out of
    all that is stored, unless ``redact_secrets`` is False. Raises StoreError (locked, not ours, newer) when the file
    cannot be opened.
    """

    @names_options()
    def __init__(
        self,
        path: str | PathLike[str] = ":memory:",
        *,
        models: ModelClient | None = None,
        clock: Clock | None = None,
        store: Store | None = None,
        budget: "Budget | None" = None,
        max_concurrency: int = 4,
        max_attempts: int = 5,
        retry_delay: float = 2.0,
        redact_secrets: bool = True,
    ) -> None:
        _check_options(max_concurrency, max_attempts, retry_delay, budget)
        retry = Retry(attempts=max_attempts, base_delay=retry_delay, max_delay=600.0, on=(ModelUnavailableError,))
        self._lock, self._door = threading.RLock(), threading.Lock()
        self._closing = self._closed = False
        self._calls: set[asyncio.Task[Any]] = set()
        self._models = models
        self._tables: dict[str, Table] = {}
        self._roots: dict[str, Block[Any, Any]] = {}
        self._resources: dict[str, Resource] = {}
        self._scopes: WeakKeyDictionary[Block[Any, Any], set[ScopeKind]] = WeakKeyDictionary()
        secrets = redaction(is_on=redact_secrets)
        self.store = secrets.through(store if store is not None else duckdb_store(path))
        self.store.open()
        clock, portal = clock or SystemClock(), Portal()
        self.services = Services(
            store=self.store,
            clock=clock,
            portal=portal,
            work_portal=Portal("fabric-work"),
            ledger=Ledger(budget, self.store, clock, portal),
            logs=Logs(self.store),
            models=self._model_client,
            secrets=secrets,
        )
        self._background = Background(self.services, retry=retry, max_concurrency=max_concurrency)
        self.services.background = self._background
        try:
            self._install(ITEMS, TURNS, JOBS, EFFECTS)
            self._background.recover()
        except BaseException:
            self.store.close()
            raise

    @property
    def location(self) -> str:
        """The path of the file, or ``:memory:``."""
        return self.store.location

    def session(
        self,
        session: str,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        org: str | None = None,
    ) -> Session:
        """Return the session with these ids; ScopeError when one is no string or blank.

        Ids are stored, listed and exported as they are: one that is a secret, such as a login's token, is to be hashed.
        """
        self.check_open()
        return Session(self, ScopeIds(session=session, user=user, agent=agent, project=project, org=org))

    def register(self, block: Block[Any, Any]) -> None:
        """Make a pipeline known: its resources are installed, and background work left from before begins.

        Running a pipeline does the same.
        """
        self.check_open()
        if self.knows(block):
            return

        resources = wiring.survey(block).resources.values()
        with self._lock:
            for resource in resources:
                check_alike(self._resources.get(resource.key, resource), resource)
            declare(self.store, [resource for resource in resources if resource.key not in self._resources])
            self._resources.update((resource.key, resource) for resource in resources)
            self._scopes[block] = {resource.scope for resource in resources if resource.required}
            self._install(*(resource.table for resource in resources if isinstance(resource, Collection)))
            self._roots[block.name] = block
        self._background.know(block)

    def check_scopes(self, block: Block[Any, Any], ids: ScopeIds) -> None:
        """Raise ScopeError when a resource of the pipeline, background work included, has a scope without an id."""
        for kind in self._scopes[block]:
            ids.scope(kind)

    def knows(self, block: Block[Any, Any]) -> bool:
        """Return whether this very block is registered under its name."""
        return self._roots.get(block.name) is block

    def drain(self, timeout: float | None = None) -> list[Job]:
        """Wait for background work and return what is left of it: failed jobs, and those that wait for a later try.

        With ``timeout``, wait no longer than that many seconds; what runs then goes on, and is in the list.
        """
        forbid_nested("fabric.drain")
        self.check_open()
        self.services.portal.run(self._left(timeout))
        wait(self.services.work_portal.submit(self._background.drain(timeout)))
        return self.jobs()

    async def adrain(self, timeout: float | None = None) -> list[Job]:
        """Do what `drain` does, on the caller's own event loop; not inside background work (NestedRunError)."""
        if INSIDE.get().startswith("job "):
            forbid_nested("fabric.adrain")
        self.check_open()
        await self.on_portal(self._left(timeout))
        await self._on_work_portal(self._background.drain(timeout))
        return await self.ajobs()

    def jobs(self, status: JobStatus | None = None) -> list[Job]:
        """Return the background work that is not done, in order: all of it, or one status."""
        self.check_open()
        jobs = self.store.transact_sync(self._read_jobs)
        return [job for job in jobs if status is None or job.status == status]

    async def ajobs(self) -> list[Job]:
        """Return the same as `jobs`, all of it, without blocking the caller's event loop."""
        return await self.store.transact(self._read_jobs)

    def listen(self, heard: Callable[[WorkFinished], None]) -> None:
        """Call ``heard`` whenever a try of background work ended, whoever's it was.

        It is called on the thread of background work, which waits for it: it must be quick and must not raise.
        """
        self.check_open()
        self._background.listen(heard)

    def retry(self, job: Job | str, *, by_anybody: bool = False) -> Job:
        """Put a failed job back, or try a waiting one now; WorkError when it runs or there is none of that id.

        What a model was to do waits for a pipeline with a model, unless it may be done ``by_anybody``: by rules too.
        """
        self.check_open()
        job_id = job if isinstance(job, str) else job.id
        put_back = self.store.transact_sync(lambda rows: put_back_job(rows, job_id))
        self.services.work_portal.submit(self._background.retry(put_back, by_anybody=by_anybody))
        return put_back

    def retry_all(self, *, by_anybody: bool = False) -> list[Job]:
        """Do what `retry` does to every job that failed or waits for a later try, and return them."""
        left = [job for job in self.jobs() if job.status == "failed" or job.not_before is not None or job.hint]
        return [self.retry(job, by_anybody=by_anybody) for job in left]

    def backup(self, to: str | PathLike[str]) -> Backup:
        """Copy the file to ``to`` as it is committed now, while others write; StoreError where that cannot be done."""
        self.check_open()
        return self.store.backup(to)

    def close(self, timeout: float | None = None) -> None:
        """Drain and close; jobs that wait for a later try, or run longer than ``timeout`` seconds, stay in the file."""
        forbid_nested("fabric.close")
        if self._closed or self.services.portal.is_forked:  # then it is the parent's to close
            return
        with self._door:
            self._closing = True
        try:
            with suppress(StoreError):  # another thread closed it meanwhile
                self.services.portal.run(self._quiet_down(timeout))
        finally:
            self._end()

    async def aclose(self, timeout: float | None = None) -> None:
        """Do what `close` does, on the caller's own event loop."""
        forbid_nested("fabric.aclose")
        if self._closed or self.services.portal.is_forked:  # then it is the parent's to close
            return
        with self._door:
            self._closing = True
        try:
            with suppress(StoreError):
                await self.on_portal(self._quiet_down(timeout))
        finally:
            await aside(self._end)

    def __enter__(self) -> Self:
        self.check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(timeout=_patience(error))

    async def __aenter__(self) -> Self:
        self.check_open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose(timeout=_patience(error))

    def check_open(self) -> None:
        """Raise StoreError when this fabric was closed, or this is a process forked from the one that opened it."""
        self.services.portal.check_process()
        if self._closing:
            raise StoreError(f"{self.store.location}: this Fabric is closed; open it again with Fabric(path)")

    def begin(self, work: Coroutine[Any, Any, T], *, whole: bool = False) -> "Future[T]":
        """Start a caller's work on the portal's loop; closing waits for it, and with ``whole`` nothing cancels it."""
        try:
            self.check_open()
            with self._door:  # what comes through is there when closing looks for what it has to wait for
                self.check_open()
                start = self.services.portal.keep if whole else self.services.portal.submit
                return start(self._counted(work))
        except BaseException:
            work.close()
            raise

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Do a caller's work on the portal's loop and return its result."""
        return self.services.portal.wait(self.begin(work))

    def complete(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the same with work that is done whole, also where the caller is interrupted while waiting."""
        return self.begin(work, whole=True).result()

    async def acomplete(self, work: Coroutine[Any, Any, T]) -> T:
        """Do what `complete` does from the caller's own event loop, also where the caller is cancelled."""
        return await asyncio.shield(asyncio.wrap_future(self.begin(work, whole=True)))

    async def on_portal(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` on the portal's loop to its end, even when the caller is cancelled."""
        return await asyncio.shield(asyncio.wrap_future(self.services.portal.submit(work)))

    async def _counted(self, work: Coroutine[Any, Any, T]) -> T:
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._calls.add(task)
        try:
            return await work
        finally:
            self._calls.discard(task)

    async def _left(self, timeout: float | None) -> None:
        if leaving := [call for call in self._calls if call.cancelling()]:
            await asyncio.wait(leaving, timeout=timeout)
        await self.services.portal.finish_kept(KEPT_SECONDS if timeout is None else timeout)

    async def _quiet_down(self, timeout: float | None) -> None:
        if self._calls:
            await asyncio.wait(self._calls, timeout=timeout)
        await self.services.portal.finish_kept(KEPT_SECONDS)
        await self._on_work_portal(self._background.finish(timeout))

    async def _on_work_portal(self, work: Coroutine[Any, Any, None]) -> None:
        await asyncio.shield(asyncio.wrap_future(self.services.work_portal.submit(work)))

    def _end(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        with closing(self.store):
            try:
                self.services.work_portal.run(self._background.stop())
            finally:
                self.services.work_portal.stop()
                self.services.portal.stop()

    def _install(self, *tables: Table) -> None:
        new = [table for table in tables if self._tables.get(table.name) != table]
        if new:
            self.store.define(*new)
            self._tables.update((table.name, table) for table in new)

    def _read_jobs(self, rows: Rows) -> list[Job]:
        return [self._background.hinted(job_of(row)) for row in rows.find(JOBS, SYSTEM, order="seq")]

    def _model_client(self) -> ModelClient:
        with self._lock:
            if self._models is None:
                self._models = litellm.LiteLLMClient()
            return self._models


def _patience(error: BaseException | None) -> float | None:
    return 0.0 if error is not None and not isinstance(error, Exception) else None


def _check_options(max_concurrency: object, max_attempts: object, retry_delay: object, budget: object) -> None:
    """Refuse what cannot work before the file is opened."""
    for name, value in (("max_concurrency", max_concurrency), ("max_attempts", max_attempts)):
        check_whole_number(name, value, least=1)
    if not isinstance(retry_delay, int | float) or retry_delay < 0:
        raise ConfigurationError(f"retry_delay must be a number of seconds of at least 0, got {retry_delay!r}")
    if budget is not None and not hasattr(budget, "day_cost"):
        raise ConfigurationError(
            f"budget must be a fabric.models.budget.Budget, such as Budget(day_cost=1.0), got {budget!r}"
        )
