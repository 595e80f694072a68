"""The backend of banks on a Hindsight server: what is retained is in this file at once, and on the server soon."""

import asyncio
import importlib.util
import re
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from capabilities.sources import Source, source_of
from fabric.clock import utc
from fabric.errors import ConfigurationError, RefusedError, RunError
from fabric.flow.context import Context
from fabric.flow.resource import Resource, Transaction
from fabric.lazy import lazy

from ..banks import Bank, in_bank
from ..config import BackendName, HindsightConfig
from ..record import Carried, Edit, Edited, Flushed, Found, Recalled, Reflection, Retained, RetainItem, Transcript
from ..session import RETAIN_MODELS, FrozenModels
from . import moving, outbox
from .errors import HindsightError, address
from .mental_models import Models
from .outbox import RETAIN_OUTBOX, OutboxItem
from .queue import Queue
from .queues import queue_to

if TYPE_CHECKING:
    from . import client
    from .client import Remote
    from .found import Memory
else:
    client = lazy(".client", __package__)

T = TypeVar("T")
HINDSIGHT_RESOURCES: tuple[Resource, ...] = (RETAIN_OUTBOX, RETAIN_MODELS)
CLOSED = "Hindsight retain queue is closed."
MOST_QUERY_TOKENS = 500
_WORD = re.compile(r"\w")


class HindsightBackend:
    """One bank of a Hindsight server, as `Backend` says; ConfigurationError where its client is not installed."""

    name: BackendName = "hindsight"
    verb = "queued"

    def __init__(self, config: HindsightConfig, bank: Bank) -> None:
        if importlib.util.find_spec("hindsight_client") is None:
            raise ConfigurationError(
                "the backend 'hindsight' needs the client of Hindsight: "
                "pip install 'path/to/thought-fabric[hindsight]', or take the backend 'local'"
            )
        self.config = config
        self.bank = bank
        self._models: dict[int, Models] = {}
        self._is_closed = False
        threading.Thread(target=_import_client, name="hindsight-client", daemon=True).start()

    def close(self) -> None:
        """Take nothing more. What waits is sent all the same, until the file is closed and after it is opened next."""
        self._is_closed = True

    async def retain(self, ctx: Context, items: list[RetainItem]) -> Retained:
        """Put items into the queue: they are in the file when this returns. RunError once this was closed."""
        return await self._enqueue(
            ctx,
            [self._item(ctx, item.content, item.context or self.config.retain_context) for item in items],
            [item.content for item in items],
        )

    async def keep(
        self, ctx: Context, transcript: Transcript, settle: Callable[[Transaction], None] | None = None
    ) -> Retained:
        """Put a transcript into the queue; one of the same document that was not sent yet is not sent any more."""
        item = self._item(
            ctx,
            transcript.text,
            self.config.retain_context,
            sources=transcript.sources,
            document=transcript.document,
        )
        return await self._enqueue(ctx, [item], [transcript.text], settle)

    async def recall(self, ctx: Context, query: str) -> Recalled:
        """Ask the server; RefusedError for a question that it cannot take, HindsightError where it cannot be asked."""
        asked = _checked(ctx.redact(query))
        found = await self._ask(ctx, lambda remote: remote.recall(asked, self.bank.tags))
        return Recalled([_found(memory, self.bank.id) for memory in found or ()], ctx.clock.now())

    async def reflect(self, ctx: Context, query: str, context: str = "") -> Reflection:
        """Ask the server for an answer; the errors are those of `recall`."""
        asked = _checked(ctx.redact(query))
        around = ctx.redact(context).strip()
        said = await self._ask(ctx, lambda remote: remote.reflect(asked, around, self.bank.tags))
        return Reflection(said[0], tuple(said[1])) if said is not None else Reflection("")

    async def edit(self, ctx: Context, asked: Edit) -> Edited:
        """Raise ConfigurationError: a server's memories are its own facts, and are edited there."""
        del ctx
        raise ConfigurationError(
            f"memory {asked.id!r} is not edited from here: with the backend 'hindsight' memories are facts that the "
            f"server draws itself; correct it in Hindsight's own interface ({self._address}), or retain what is right"
        )

    async def flush(self, ctx: Context) -> Flushed:
        """Send all that waits now, what waits for a later try included."""
        queue = await self._queue(ctx)
        return await _on_portal(ctx, queue.flush())

    async def models(self, ctx: Context) -> str:
        """Return the ``<mental_models>`` block, as the first turn of this session had it."""
        if not self.config.mental_models_enabled:
            return ""
        place = f"{self._address} {self.bank.id} {' '.join(self.bank.tags)}"
        frozen = (await ctx.read(RETAIN_MODELS)).texts
        if place in frozen:
            return frozen[place]
        queue = await self._queue(ctx)
        text = ctx.redact(await _on_portal(ctx, self._block(queue, ctx.clock.now())))

        def first(kept: FrozenModels) -> FrozenModels:
            return FrozenModels(texts={place: text, **kept.texts})

        await ctx.update(RETAIN_MODELS, first)
        return (await ctx.read(RETAIN_MODELS)).texts[place]

    async def clear(self, ctx: Context) -> str:
        """Remove what waits in this file; what the server has can be deleted only there."""
        queue = await self._queue(ctx)
        self._models.clear()
        removed = await _on_portal(ctx, queue.alone(lambda tx: outbox.clear(tx, queue.url)))
        await ctx.update(RETAIN_MODELS, lambda _: FrozenModels())
        what = f"{removed} {'memory' if removed == 1 else 'memories'} that waited to be sent"
        return (
            f"Removed {what} from this file. What the bank {self.bank.id!r} holds on the server at "
            f"{self._address} is there still: delete it in Hindsight's interface, or with its deleteBank."
        )

    async def carried(self, ctx: Context) -> list[Carried]:
        """Return the documents of the bank on the server, what waits here included: that is sent first."""
        await self.flush(ctx)
        queue = await self._queue(ctx)
        return await _on_portal(ctx, queue.ask(lambda remote: moving.documents(remote, self.bank.tags)))

    async def take(self, ctx: Context, carried: Sequence[Carried]) -> int:
        """Put what another bank was given into the queue, unless the server or the queue has it in the same words."""
        queue = await self._queue(ctx)
        waiting = {(one.document, one.content) for one in await self.waiting(ctx) if one.status == "waiting"}
        new = await _on_portal(ctx, queue.ask(lambda remote: moving.new_to(remote, carried)))
        items = [
            self._item(
                ctx, one.content, one.context or self.config.retain_context, document=one.document, said_at=one.said_at
            )
            for one in new
            if (one.document, one.content) not in waiting
        ]
        if items:
            await self._enqueue(ctx, items, [])
        return len(items)

    async def read(self, ctx: Context, memory_id: str) -> None:  # noqa: ARG002  the seam's arguments
        """Return None: a server's facts are short, and are shown whole."""
        return

    async def waiting(self, ctx: Context) -> list[OutboxItem]:
        """Return what was not sent yet, oldest first: also what was given up, whose status is "failed"."""
        return await ctx.transact(lambda tx: outbox.listed(in_bank(tx, self.bank.id)))

    async def retry(self, ctx: Context) -> Flushed:
        """Send what was given up once more, with all that waits."""
        queue = await self._queue(ctx)
        await _on_portal(ctx, queue.alone(lambda tx: outbox.put_back(tx, queue.url, also_refused=True)))
        return await _on_portal(ctx, queue.flush())

    @property
    def _address(self) -> str:
        return address(self.config.api_url)

    def _item(
        self,
        ctx: Context,
        content: str,
        context: str,
        *,
        sources: Sequence[Source] = (),
        document: str = "",
        said_at: datetime | None = None,
    ) -> OutboxItem:
        now = ctx.clock.now()
        here = source_of(ctx) or Source(turn_id="", session=ctx.session, turn=ctx.turn, user=ctx.user, said_at=now)
        return OutboxItem(
            id=ctx.clock.new_id("retain"),
            url=self._address,
            content=ctx.redact(content),
            context=ctx.redact(context),
            metadata={"session_id": ctx.session},
            tags=list(self.bank.tags),
            timestamp=(said_at or now).astimezone().isoformat(),
            document=ctx.redact(document),
            session=ctx.session,
            user=ctx.user,
            sources=list(sources) or [here],
        )

    async def _enqueue(
        self,
        ctx: Context,
        items: Sequence[OutboxItem],
        texts: Sequence[str],
        settle: Callable[[Transaction], None] | None = None,
    ) -> Retained:
        if self._is_closed:
            raise RunError(CLOSED)
        queue = await self._queue(ctx)

        def work(tx: Transaction) -> None:
            if settle is not None:
                settle(tx)
            outbox.enqueue(in_bank(tx, self.bank.id), items)

        await ctx.transact(work)
        ctx.run.services.portal.tell(queue.enqueued, len(items))
        redacted = [secret for text in texts for secret in ctx.secrets_in(text)]
        return Retained(len(items), tuple(item.id for item in items), redacted=tuple(redacted))

    async def _ask(self, ctx: Context, call: "Callable[[Remote], Awaitable[T]]") -> T | None:
        """Return what the server answers, None where it has no such bank yet."""
        queue = await self._queue(ctx)
        try:
            return await _on_portal(ctx, queue.ask(call))
        except HindsightError as error:
            if error.is_no_bank:
                return None
            raise _too_long(error) or error from error

    async def _queue(self, ctx: Context) -> Queue:
        return await queue_to(ctx, self.config, self.bank.id)

    async def _block(self, queue: Queue, now: datetime) -> str:
        models = self._models.get(id(queue))
        if models is None:
            self._models = {id(queue): (models := Models(queue, self.bank))}
        return await models.block(self.config, now)


async def _on_portal(ctx: Context, work: Coroutine[Any, Any, T]) -> T:
    """Do ``work`` on the loop that a queue belongs to, on whichever the block runs; cancelled with the caller."""
    return await asyncio.wrap_future(ctx.run.services.portal.submit(work))


def _import_client() -> None:
    """Load the client while the program does something else: it takes longer than a first turn may wait."""
    with suppress(ImportError):  # it is told where it is used
        _ = client.Remote


def _checked(query: str) -> str:
    if not _WORD.search(query):
        raise RefusedError("there is no word in the question", do="Ask in words what to look for.")
    return query.strip()


def _too_long(error: HindsightError) -> RefusedError | None:
    """Return what a question that the server does not take is told, None for any other error."""
    if not error.is_refused:
        return None
    return RefusedError(
        f"the Hindsight server does not take this question: {error}",
        do=f"Ask a shorter one: at most {MOST_QUERY_TOKENS} tokens, about {MOST_QUERY_TOKENS * 3} characters.",
    )


def _found(memory: "Memory", bank_id: str) -> Found:
    return Found(
        memory.text,
        id=memory.id,
        kind=memory.kind,
        source=memory.context,
        said_at=_time(memory.mentioned_at),
        full_length=len(memory.text),
        bank=bank_id,
    )


def _time(text: str) -> datetime | None:
    try:
        return utc(datetime.fromisoformat(text))
    except ValueError:
        return None
