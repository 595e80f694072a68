"""Sessions: where a caller runs blocks, streams them, and reads what was said."""

import asyncio
import queue
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import ConfigurationError
from ..flow.block import Block, Out
from ..flow.context import Context
from ..flow.resource import Transaction
from ..flow.run import Run
from ..flow.wiring import survey
from ..jobs.job import TURNS, to_json
from ..record.events import Progress, RunFinished
from ..record.items import Draft, Item, drafts_from_message
from ..record.log import SessionLog
from ..record.run_input import said_in
from ..runs.recording import store_items
from ..runs.run_secrets import RunSecrets
from ..runs.services import Listener, Services
from ..scope import ScopeIds
from ..store.base import Row
from ..telemetry.tracing import Attributes, Span, root
from ..threads.portal import INSIDE, elsewhere, forbid_nested, kept, wait
from ..usage import ModelCall, Usage
from ..workers.chains import output_of
from ..workers.unfinished import take_in
from ..workers.work import commit

if TYPE_CHECKING:
    from .fabric import Fabric

Element = TypeVar("Element")


@dataclass(frozen=True, slots=True)
class RunResult(Generic[Out]):
    """What a run gave: its output, what it cost, the items it added, and the ids of the jobs it left.

    The output is of the type that the block gives, and iterating over the result iterates over it. ``usage`` is the
    sum of ``calls``, one entry per model call; background work has its own, in its outcome item. ``replayed`` says
    that a turn of this ``turn_id`` was recorded before, and that this is its record; nothing ran.
    """

    output: Out
    usage: Usage
    items: tuple[Item, ...]
    turn: int
    run_id: str
    jobs: tuple[str, ...] = ()
    replayed: bool = False
    calls: tuple[ModelCall, ...] = ()

    def __iter__(self: "RunResult[Iterable[Element]]") -> Iterator[Element]:
        return iter(self.output)


class Session:
    """One conversation, for one user if it names one. Made by `Fabric.session`; costs nothing to make again."""

    def __init__(self, fabric: "Fabric", ids: ScopeIds) -> None:
        self._fabric = fabric
        self.ids = ids

    @property
    def items(self) -> list[Item]:
        """The session's items, oldest first."""
        self._fabric.check_open()
        return list(self._fabric.services.logs.load_sync(self.ids.scope("session")).items())

    def run(self, block: Block[Any, Out], value: Any = None, *, turn_id: str | None = None) -> RunResult[Out]:
        """Run a block and return its result; usable everywhere but inside a running block (NestedRunError).

        ``turn_id`` names the turn: a second run with the same name returns the recorded output and does nothing.
        """
        forbid_nested("session.run")
        return self._fabric.call(self._run(block, value, turn_id))

    async def arun(self, block: Block[Any, Out], value: Any = None, *, turn_id: str | None = None) -> RunResult[Out]:
        """Do what `run` does, on the caller's own event loop."""
        return await self._run(block, value, turn_id)

    def stream(self, block: Block[Any, Out], value: Any = None, *, turn_id: str | None = None) -> "Stream[Out]":
        """Return the run's events, to be iterated once, with ``for`` or ``async for``; the last is RunFinished.

        An error of the run is raised after the events before it. Leaving the iteration cancels the run.
        """
        self._fabric.check_open()
        return Stream(self._fabric, lambda listener: self._run(block, value, turn_id, listener))

    @contextmanager
    def snapshot(self) -> Generator[Transaction]:
        """Give the resources as they are committed now, to be read at leisure, whatever is written meanwhile.

        By one thread at a time; what would write raises StoreError.
        """
        self._fabric.check_open()
        with self._fabric.services.store.snapshot() as rows:
            yield Transaction(rows, self.ids)

    def add_messages(self, messages: Iterable[Mapping[str, Any]]) -> list[Item]:
        """Add OpenAI-style messages and return their items; a message with a known ``id`` is not added again.

        Raises ValueError for a message without a known role, in which case nothing is added.
        """
        forbid_nested("session.add_messages")
        return self._fabric.call(self.aadd_messages(messages))

    async def aadd_messages(self, messages: Iterable[Mapping[str, Any]]) -> list[Item]:
        """Do what `add_messages` does, on the caller's own event loop."""
        self._fabric.check_open()
        given = [draft for message in messages for draft in _named_drafts(message)]
        secrets = RunSecrets(self._fabric.services.secrets)
        await secrets.look_through(draft.text for draft in given)
        log = await self._fabric.services.logs.load(self.ids.scope("session"))
        drafts = _behind_each_other(given, log.last_text, secrets)
        items: list[Item] = []
        new: list[Item] = []
        for draft in drafts:
            stored = log.find([draft.id]) if draft.id else []
            if not stored:
                new.append(log.add(draft, clock=self._fabric.services.clock, turn=log.turns, since=log.erasures))
            items.extend(stored or new[-1:])
        if new:
            await kept(self._fabric.services.portal, store_items(self._fabric.services, log, new))
        return items

    async def _run(
        self, block: Block[Any, Out], value: Any, turn_id: str | None, listener: Listener | None = None
    ) -> RunResult[Out]:
        self._fabric.check_open()
        attributes = block.span_attributes(block.name)
        with root(f"run {block.name}", attributes, session=self.ids.session) as span:
            result = await self._spanned(block, value, turn_id, listener, span)
            span.note({"fabric.run.replayed": result.replayed})
            return result

    async def _spanned(
        self, block: Block[Any, Out], value: Any, turn_id: str | None, listener: Listener | None, span: Span
    ) -> RunResult[Out]:
        fabric = self._fabric
        if not fabric.knows(block):
            await elsewhere(lambda: fabric.register(block))
        fabric.check_scopes(block, self.ids)
        scope = self.ids.scope("session")
        log = await fabric.services.logs.load(scope)
        owner = ""
        if turn_id is not None:
            owner = f"{scope.key} {_checked(turn_id)}"
            recorded = await fabric.services.store.transact(lambda rows: rows.get(TURNS, scope, [turn_id]))
            if recorded:
                return _replayed(block, log, recorded[0])
        await _look_through(fabric.services, value, kept=survey(block).hears)
        run = Run(
            fabric.services,
            self.ids,
            log,
            value,
            turn=log.turns,
            owner=owner,
            turn_id=turn_id or "",
            listener=listener,
            span=span,
        )
        try:
            if survey(block).hears:
                run.record_user_message(block.name)
            output = await _perform(run, block, value)
            return await _finish(run, block, output)
        except (Exception, asyncio.CancelledError):
            run.abandon()
            await take_in(run, block)
            raise
        except BaseException:
            run.abandon()
            raise
        finally:
            run.end()
            span.note(_totals(run))


async def _look_through(services: Services, value: Any, *, kept: bool) -> None:
    """Look through the user's message that a value is, where it is long, before the loop has to."""
    draft = said_in(value)
    if draft is not None:
        await RunSecrets(services.secrets).look_through([draft.text], kept=kept)


def _totals(run: Run) -> Attributes:
    return {
        "fabric.run.id": run.id,
        "fabric.run.turn": run.turn,
        "fabric.usage.calls": run.usage.calls,
        "fabric.usage.input_tokens": run.usage.input_tokens,
        "fabric.usage.output_tokens": run.usage.output_tokens,
        "fabric.usage.cost": run.usage.cost,
    }


async def _perform(run: Run, block: Block[Any, Out], value: Any) -> Out:
    token = INSIDE.set(block.name)
    try:
        return await block(value, Context(run))
    finally:
        INSIDE.reset(token)


async def _finish(run: Run, block: Block[Any, Out], output: Any) -> RunResult[Out]:
    row = await commit(run, _turn_row(run, block, output) if run.turn_id else None)
    if row is not None:
        return _replayed(block, run.log, row)
    return RunResult(output, run.usage, tuple(run.added), run.turn, run.id, tuple(run.jobs.ids), calls=tuple(run.calls))


def _turn_row(run: Run, block: Block[Any, Any], output: Any) -> Row:
    return {
        "id": run.turn_id,
        "turn": run.turn,
        "run": run.id,
        "output": run.kept_output(to_json(output, block.name, "the output of a run with a turn_id")),
        "items": [item.id for item in run.added],
        "jobs": list(run.jobs.ids),
    }


def _replayed(block: Block[Any, Out], log: SessionLog, row: Row) -> RunResult[Out]:
    return RunResult(
        output=output_of(block, row["output"]),
        usage=Usage(),
        items=tuple(log.find(row["items"])),
        turn=row["turn"],
        run_id=row["run"],
        jobs=tuple(row["jobs"]),
        replayed=True,
    )


def _checked(turn_id: object) -> str:
    if not isinstance(turn_id, str) or not turn_id.strip():
        raise ConfigurationError(f"turn_id must be a string that is not blank, got {turn_id!r}")
    return turn_id


def _behind_each_other(given: Iterable[Draft], before: str, secrets: RunSecrets) -> list[Draft]:
    """Return messages as they may be stored, each behind the one before it."""
    drafts: list[Draft] = []
    for draft in given:
        drafts.append(secrets.cleaned(draft, before))
        before = draft.text if draft.kind == "message" else before
    return drafts


def _named_drafts(message: Mapping[str, Any]) -> list[Draft]:
    name = message.get("id")
    return [
        replace(
            draft,
            id="" if name is None else f"message_{name}" if index == 0 else f"message_{name}#{index}",
        )
        for index, draft in enumerate(drafts_from_message(message))
    ]


_END = object()


class Stream(Generic[Out]):
    """The events of one run. The run begins with the iteration."""

    def __init__(self, fabric: "Fabric", start: Callable[[Listener], Coroutine[Any, Any, RunResult[Out]]]) -> None:
        self._fabric = fabric
        self._start: Callable[[Listener], Coroutine[Any, Any, RunResult[Out]]] | None = start

    def __iter__(self) -> Iterator[Progress | RunFinished[RunResult[Out]]]:
        forbid_nested("session.stream")
        start = self._claim()
        events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        future = self._fabric.begin(start(events.put))
        future.add_done_callback(lambda _: events.put(_END))
        try:
            while (event := events.get()) is not _END:
                yield event
            yield RunFinished(wait(future))
        finally:
            future.cancel()

    async def __aiter__(self) -> AsyncIterator[Progress | RunFinished[RunResult[Out]]]:
        start = self._claim()
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[Any] = asyncio.Queue()

        def put_event(event: Any) -> None:
            with suppress(RuntimeError):  # the listener's loop was closed: nobody listens any more
                loop.call_soon_threadsafe(events.put_nowait, event)

        task = loop.create_task(start(put_event))
        task.add_done_callback(lambda _: put_event(_END))
        try:
            while (event := await events.get()) is not _END:
                yield event
            yield RunFinished(await task)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def _claim(self) -> Callable[[Listener], Coroutine[Any, Any, RunResult[Out]]]:
        start, self._start = self._start, None
        if start is None:
            raise ConfigurationError("a stream can be iterated once: call session.stream again for another run")
        return start
