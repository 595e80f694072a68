"""The queue to one bank: sends what waits in the file, at 16 items or 5 seconds after the first, and what was left.

All of a queue, its client included, runs on the event loop of the open file's portal: connections belong to one loop,
and end with it. The rows are in the file before anybody is told that they are queued; what is held here is only when.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from fabric.errors import FabricError
from fabric.flow.resource import Transaction
from fabric.lazy import lazy
from fabric.record.events import WorkFinished
from fabric.runs.services import Services
from fabric.scope import ScopeIds
from fabric.store.lanes import BACKGROUND
from fabric.telemetry.logger import logger
from fabric.telling import error_text
from fabric.threads.portal import elsewhere

from ..banks import in_bank
from ..config import HindsightConfig
from ..record import Flushed, memories
from . import outbox
from .errors import HindsightError
from .missions import Missions
from .outbox import Batch, OutboxItem

if TYPE_CHECKING:
    from . import client
    from .client import Remote
else:
    client = lazy(".client", __package__)

T = TypeVar("T")
CLOSING_SECONDS = 1.5
"""How long closing a file waits for what can still be sent; the rest is sent when it is opened next."""
BACKOFF, LEAST_PAUSE, MOST_BACKOFF = 4.0, 0.01, 600.0
"""How much longer each pause is than the one before, and how many seconds it is at least and at most."""
FAILED = 500
UNDER_WAY = frozenset({"pending", "processing"})
"""What a server says of an operation that it has not ended yet."""
MISSIONS = Missions()


class Place(NamedTuple):
    """Where a queue goes: the server, the bank, and the organisation that the bank belongs to here."""

    url: str
    bank: str
    org: str | None


class Queue:
    """What waits to be sent to one bank of one server, and the connections to it. Made by `queues.queue_to`."""

    def __init__(self, services: Services, place: Place, config: HindsightConfig) -> None:
        self.config = config
        """The options from now on."""
        self.url = place.url
        self._services = services
        self._place = place
        self._ids = ScopeIds(session="retain", org=place.org)
        self._remotes: dict[HindsightConfig, Remote] = {}
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._timer: asyncio.TimerHandle | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._check: asyncio.TimerHandle | None = None
        self._checks = 0
        self._due: dict[str, float] = {}
        self._down_until = 0.0
        self._tasks: set[asyncio.Task[Any]] = set()
        self.seeded: set[str] = set()
        """Which mental models were made."""
        self._is_asked = False
        self._is_told = False
        self._has_lost = False
        self._is_ending = False

    async def open(self, ended: Callable[[], object]) -> None:
        """Begin: send what an earlier process left, hold the connections until the file is closed.

        ``ended`` is called then, or when this fails. On the portal's loop, as all that follows.
        """
        BACKGROUND.set(True)
        try:
            await self._transact(lambda tx: outbox.put_back(tx, self.url, also_refused=False))
            waiting, taken = await self._counted()
        except BaseException:
            ended()
            raise
        self._begin(self._live(ended))
        if waiting:
            self._flush_soon()
        if taken:
            self._check_later()

    def enqueued(self, number: int) -> None:
        """Count items put into the outbox, and flush at once at a full batch, otherwise after the flush interval."""
        self._waiting += number
        if self._waiting >= self.config.flush_batch_size:
            self._flush_soon()
        elif self._timer is None:  # later ones do not restart it
            self._timer = asyncio.get_running_loop().call_later(self.config.flush_interval, self._flush_soon)

    async def flush(self, *, forced: bool = True) -> Flushed:
        """Send all that waits, once a flush under way is over.

        With ``forced``, what waits for a later try is sent, too, and what the server took is asked after.
        """
        BACKGROUND.set(True)
        async with self._lock:
            lost, problem = await self._follow() if forced else (0, "")
            done = await self._drain(forced=forced)
            if done.waiting and not done.problem:  # a transcript, for an older one that the server may be done with
                late, problem = await self._follow()
                more = await self._drain(forced=False)
                lost, done = (
                    lost + late,
                    replace(more, done=done.done + more.done, given_up=done.given_up + more.given_up),
                )
            return replace(done, given_up=done.given_up + lost, problem=done.problem or problem)

    async def ask(self, call: "Callable[[Remote], Awaitable[T]]") -> T:
        """Return the result of a call to the server's client; HindsightError where the server gives none."""
        return await call(await self.remote())

    async def alone(self, work: Callable[[Transaction], T]) -> T:
        """Run a transaction on the bank's queue while no flush is sending from it."""
        async with self._lock:
            return await self._transact(work)

    async def _give_mission(self) -> None:
        """Give the bank its mission: once for each bank and process, and as well as can be."""
        mission = self.config.bank_mission
        if mission and MISSIONS.is_new((self.url, self._place.bank, mission)):
            with suppress(HindsightError):
                await (await self.remote()).create_bank(mission)

    def _flush_soon(self) -> None:
        """Begin a flush, unless one waits already that will take what waits now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waiting = 0
        if not self._is_asked:
            self._is_asked = True
            self._begin(self._unwatched(self._asked))

    async def _asked(self) -> None:
        self._is_asked = False
        await self._drain(forced=False)

    def _check_later(self) -> None:
        """Ask after what the server took, a little later and then ever more seldom."""
        if self._check is None:
            loop, pause = asyncio.get_running_loop(), self._backoff(self._checks)
            self._check = loop.call_later(pause, lambda: self._begin(self._unwatched(self._checked)))
            self._checks += 1

    async def _checked(self) -> None:
        self._check = None
        await self._follow()
        if (await self._counted())[0]:  # a transcript may have waited for an older one
            self._flush_soon()

    async def _unwatched(self, work: Callable[[], Awaitable[object]]) -> None:
        """Do something that nobody waits for, while nothing else is sent."""
        BACKGROUND.set(True)
        async with self._lock:
            try:
                await work()
            except FabricError as error:  # the rows are where they were
                logger(bank=self._place.bank).error(
                    "what waits for Hindsight could not be read", error=error_text(error)
                )

    def _begin(self, work: Coroutine[Any, Any, object]) -> None:
        if self._is_ending:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)  # a loop alone does not hold a task
        task.add_done_callback(self._tasks.discard)

    async def _live(self, ended: Callable[[], object]) -> None:
        try:
            await asyncio.Event().wait()
        finally:  # the portal cancels what runs on it when the file is closed, and waits for it
            try:
                await self._end()
            finally:
                ended()

    async def _drain(self, *, forced: bool) -> Flushed:
        loop = asyncio.get_running_loop()
        tried: set[str] = set()
        done, problem, rest = 0, "", None
        lost: list[OutboxItem] = []
        kept: list[OutboxItem] = []
        while True:
            resting = set[str]() if forced else {name for name, due in self._due.items() if due > loop.time()}
            # What comes meanwhile has a time of its own: else each item would be sent alone, as they come.
            fresh = rest != 0 and (forced or loop.time() >= self._down_until)
            batch = await self._transact(partial(outbox.next_batch, url=self.url, skip=tried | resting, fresh=fresh))
            if batch is None:
                break
            tried.add(batch.operation)
            rest = rest if batch.rest is None else batch.rest
            try:
                await self._send(batch)
            except HindsightError as error:
                problem = str(error)
                if len(batch.items) > 1 and self._is_because_of_one(batch, error):
                    await self._transact(partial(outbox.split, batch=batch))
                    continue
                (lost if await self._failed(batch, error) else kept).extend(batch.items)
                if error.is_unreachable:
                    break
            else:
                done += len(batch.items)
        if lost or kept or done:
            self._tell(lost, kept, problem)
        waiting, _ = await self._counted()
        return Flushed(done, waiting, len(lost), problem if lost or kept else "")

    async def _follow(self) -> tuple[int, str]:
        """Ask what became of what the server took; return how many items were given up over it, and why.

        A server takes a batch before it asks its model, and gives it up minutes later where that fails.
        """
        lost, problem = 0, ""
        for batch in await self._transact(lambda tx: outbox.taken_batches(tx, self.url)):
            try:
                status, said = await (await self.remote()).operation(batch.operation)
                if status == "failed":
                    error = f"the Hindsight server at {self.url} took it, and failed over it: {said}"
                    given_up = await self._failed_over(batch, error)
                    lost, problem = lost + given_up, error if given_up else problem
                elif status not in UNDER_WAY:  # completed, or ended there by somebody
                    await self._transact(partial(outbox.done, batch=batch))
            except HindsightError as error:
                logger(bank=self._place.bank, url=self.url).info(
                    "what became of memories is unknown", error=error_text(error)
                )
                break
        if (await self._counted())[1]:
            self._check_later()
        return lost, problem

    async def _failed_over(self, batch: Batch, error: str) -> int:
        """Have the server try again what it failed over, or give it up; return how many items are given up."""
        together = batch.items[0].together
        batch = await self._transact(partial(outbox.without_older, batch=batch))
        if not batch.items:
            return 0
        if self._is_last(batch):
            await self._transact(lambda tx: outbox.give_up(tx, batch, error, refused=True))
            self._tell(batch.items, (), error)
            return len(batch.items)
        if len(batch.items) == together:
            await self._transact(lambda tx: outbox.put_off(tx, batch, error))
            await (await self.remote()).retry(batch.operation)
        else:  # something of it was forgotten, or has a newer document in its place: the server is not to have it
            await self._transact(lambda tx: outbox.sent_anew(tx, batch.items))
            self._flush_soon()
        return 0

    async def _send(self, batch: Batch) -> None:
        await self._give_mission()
        try:
            await (await self.remote()).retain([item.as_sent() for item in batch.items], batch.operation)
        except HindsightError as error:
            if error.status_code != 409:  # an operation of this name was taken before, as after a lost answer
                raise
        await self._transact(lambda tx: outbox.taken(tx, batch))
        self._checks = 0
        self._check_later()
        self._due.pop(batch.operation, None)
        self._down_until = 0.0
        if self._has_lost:  # while the server was down
            self._has_lost = False
            await self._transact(lambda tx: outbox.put_back(tx, self.url, also_refused=False))

    def _is_because_of_one(self, batch: Batch, error: HindsightError) -> bool:
        """Return whether it may be one item that the server cannot take, so that the others are sent without it.

        A server that failed over a batch each time it was asked has not taken it: it would have said so the next time.
        """
        return error.is_refused or (error.status_code == FAILED and self._is_last(batch))

    def _is_last(self, batch: Batch) -> bool:
        return batch.attempts + 1 >= self.config.retain_attempts

    async def _failed(self, batch: Batch, error: HindsightError) -> bool:
        """Keep a batch that was not taken; return whether it is given up."""
        asked = error.retry_after
        pause = self._backoff(batch.attempts) if asked is None else min(asked, MOST_BACKOFF)
        loop = asyncio.get_running_loop()
        self._due.pop(batch.operation, None)
        if error.is_unreachable:
            self._down_until = loop.time() + pause
            self._retry_in(pause)
        if error.is_refused or self._is_last(batch):
            refused = error.is_refused or error.status_code == FAILED
            self._has_lost = self._has_lost or not refused
            await self._transact(lambda tx: outbox.give_up(tx, batch, str(error), refused=refused))
            return True
        await self._transact(lambda tx: outbox.put_off(tx, batch, str(error)))
        self._due[batch.operation] = loop.time() + pause
        self._retry_in(pause)
        return False

    def _backoff(self, tries: int) -> float:
        """Return how many seconds to wait after so many tries."""
        return float(min(max(self.config.flush_interval, LEAST_PAUSE) * BACKOFF**tries, MOST_BACKOFF))

    def _retry_in(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        if self._retry is not None and not self._retry.cancelled() and self._retry.when() > loop.time():
            if self._retry.when() <= loop.time() + seconds:
                return
            self._retry.cancel()
        self._retry = loop.call_later(seconds + 0.001, self._again)

    def _again(self) -> None:
        """Send what is due now, and come again for what is due later."""
        self._flush_soon()
        if self._due:
            loop = asyncio.get_running_loop()
            later = [due - loop.time() for due in self._due.values() if due > loop.time()]
            if later:
                self._retry_in(min(later))

    def _tell(self, lost: Sequence[OutboxItem], kept: Sequence[OutboxItem], problem: str) -> None:
        """Tell the user, and never the model, how many memories failed: once for each trouble, and of each loss."""
        log = logger(bank=self._place.bank, url=self.url)
        if lost:
            log.warning("memories were given up, and are kept in the file", number=len(lost), error=problem)
            self._announce("failed", lost, f"could not be sent to Hindsight, kept in the file: {problem}")
        if kept and not self._is_told:
            log.warning("memories wait to be sent to Hindsight", number=len(kept), error=problem)
            self._announce("pending", kept, f"not sent to Hindsight yet: {problem}")
        self._is_told = bool(kept)

    def _announce(self, status: str, items: Sequence[OutboxItem], text: str) -> None:
        owners = Counter((item.session, item.user) for item in items)
        for (session, user), number in owners.items():
            ids = ScopeIds(session=session, user=user, org=self._place.org)
            name, sentence = f"retain {self._place.bank}", f"{memories(number)} {text}"
            self._services.background.tell(WorkFinished("", ids, name, status, sentence))

    async def remote(self) -> "Remote":
        """Return the client of the bank, with the options as they are now."""
        config = self.config
        if config not in self._remotes:
            await elsewhere(lambda: client.Remote)  # importing it takes seconds
            if config not in self._remotes:
                self._remotes[config] = client.Remote(config, self._place.bank)
        return self._remotes[config]

    async def _counted(self) -> tuple[int, int]:
        return await self._transact(lambda tx: outbox.counted(tx, self.url))

    async def _transact(self, work: Callable[[Transaction], T]) -> T:
        bank = self._place.bank
        return await self._services.store.transact(lambda rows: work(in_bank(Transaction(rows, self._ids), bank)))

    async def _end(self) -> None:
        self._is_ending = True
        for timer in filter(None, (self._timer, self._retry, self._check)):
            timer.cancel()
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self.flush(forced=False)
        except TimeoutError:
            logger(bank=self._place.bank).info("memories wait in the file until it is opened next")
        finally:
            for remote in self._remotes.values():
                await remote.aclose()
