"""The backend of banks on a Hindsight server: what is retained is in this file at once, and on the server soon."""

import asyncio
import importlib.util
import re
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from capabilities.sources import Source, source_here
from fabric.errors import ConfigurationError, RefusedError, RunError
from fabric.flow.context import Context
from fabric.flow.resource import Resource, Transaction
from fabric.lazy import lazy

from ..banks import Bank, in_bank, transact_in
from ..config import BackendName, HindsightConfig
from ..record import Carried, Edit, Edited, Flushed, Recalled, Reflection, Retained, RetainItem, Transcript, memories
from ..session import RETAIN_MODELS, FrozenModels
from . import outbox
from .errors import HindsightError, address
from .mental_models import Models
from .outbox import RETAIN_OUTBOX, OutboxItem
from .queue import Queue
from .queues import queue_to

if TYPE_CHECKING:
    from . import client
    from .client import Remote
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
        self._models: Models | None = None
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
        self, ctx: Context, transcript: Transcript, mark_kept: Callable[[Transaction], None] | None = None
    ) -> Retained:
        """Put a transcript into the queue; one of the same document that was not sent yet is not sent any more."""
        item = self._item(
            ctx,
            transcript.text,
            self.config.retain_context,
            sources=transcript.sources,
            document=transcript.document,
        )
        return await self._enqueue(ctx, [item], [transcript.text], mark_kept)

    async def recall(self, ctx: Context, query: str) -> Recalled:
        """Ask the server; RefusedError for a question that it cannot take, HindsightError where it cannot be asked."""
        asked = _checked(ctx.redact(query))
        found = await self._ask(ctx, lambda remote: remote.recall(asked, self.bank.tags))
        return Recalled(found or [], ctx.clock.now())

    async def reflect(self, ctx: Context, query: str, context: str = "") -> Reflection:
        """Ask the server for an answer; the errors are those of `recall`."""
        asked = _checked(ctx.redact(query))
        around = ctx.redact(context).strip()
        said = await self._ask(ctx, lambda remote: remote.reflect(asked, around, self.bank.tags))
        return said or Reflection("")

    async def edit(self, ctx: Context, asked: Edit) -> Edited:
        """Raise ConfigurationError: a server's memories are its own facts, and are edited there."""
        del ctx
        raise ConfigurationError(
            f"memory {asked.id!r} is not edited from here: with the backend 'hindsight' memories are facts that the "
            f"server draws itself; correct it in Hindsight's own interface ({self._address}), or retain what is right"
        )

    async def flush(self, ctx: Context) -> Flushed:
        """Send all that waits now, what waits for a later try included."""
        return await self._do(ctx, lambda queue: queue.flush())

    async def models(self, ctx: Context) -> str:
        """Return the ``<mental_models>`` block, as the first turn of this session had it."""
        if not self.config.mental_models_enabled:
            return ""
        place = f"{self._address} {self.bank.id} {' '.join(self.bank.tags)}"
        frozen = (await ctx.read(RETAIN_MODELS)).texts
        if place in frozen:
            return frozen[place]
        text = ctx.redact(await self._do(ctx, lambda queue: self._block(queue, ctx.clock.now())))

        def first(kept: FrozenModels) -> FrozenModels:
            return FrozenModels(texts={place: text, **kept.texts})

        return (await ctx.update(RETAIN_MODELS, first)).texts[place]

    async def clear(self, ctx: Context) -> str:
        """Remove what waits in this file; what the server has can be deleted only there."""
        self._models = None
        removed = await self._do(ctx, lambda queue: queue.alone(lambda tx: outbox.clear(tx, queue.url)))
        await ctx.update(RETAIN_MODELS, lambda _: FrozenModels())
        return (
            f"Removed {memories(removed)} that waited to be sent from this file. What the bank {self.bank.id!r} holds "
            f"on the server at {self._address} is there still: delete it in Hindsight's interface, or with its "
            "deleteBank."
        )

    async def carried(self, ctx: Context) -> list[Carried]:
        """Return the documents of the bank on the server, what waits here included: that is sent first."""
        await self.flush(ctx)
        return await self._do(ctx, lambda queue: queue.ask(lambda remote: remote.documents(self.bank.tags)))

    async def take_over(self, ctx: Context, carried: Sequence[Carried]) -> int:
        """Put what another bank was given into the queue, unless the server or the queue has it in the same words."""
        waiting = {(item.document, item.content) for item in await self.waiting(ctx) if item.status == "waiting"}

        async def new_to(remote: "Remote") -> list[Carried]:
            return [item for item in carried if not await remote.holds(item)]

        items = [
            self._item(
                ctx,
                item.content,
                item.context or self.config.retain_context,
                document=item.document,
                said_at=item.said_at,
            )
            for item in await self._do(ctx, lambda queue: queue.ask(new_to))
            if (item.document, item.content) not in waiting
        ]
        if items:
            await self._enqueue(ctx, items, [])
        return len(items)

    async def read(self, ctx: Context, memory_id: str) -> None:  # noqa: ARG002  the seam's arguments
        """Return None: a server's facts are short, and are shown whole."""
        return

    async def waiting(self, ctx: Context) -> list[OutboxItem]:
        """Return what was not sent yet, oldest first: also what was given up, whose status is "failed"."""
        return await transact_in(ctx, self.bank.id, outbox.listed)

    async def retry(self, ctx: Context) -> Flushed:
        """Send what was given up once more, with all that waits."""
        await self._do(ctx, lambda queue: queue.alone(lambda tx: outbox.put_back(tx, queue.url, also_refused=True)))
        return await self.flush(ctx)

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
        return OutboxItem(
            id=ctx.clock.new_id("retain"),
            url=self._address,
            content=ctx.redact(content),
            context=ctx.redact(context),
            metadata={"session_id": ctx.session},
            tags=list(self.bank.tags),
            timestamp=(said_at or ctx.clock.now()).astimezone().isoformat(),
            document=ctx.redact(document),
            session=ctx.session,
            user=ctx.user,
            sources=list(sources) or [source_here(ctx)],
        )

    async def _enqueue(
        self,
        ctx: Context,
        items: Sequence[OutboxItem],
        texts: Sequence[str],
        mark_kept: Callable[[Transaction], None] | None = None,
    ) -> Retained:
        if self._is_closed:
            raise RunError(CLOSED)
        queue = await self._queue(ctx)

        def work(tx: Transaction) -> None:
            if mark_kept is not None:
                mark_kept(tx)
            outbox.enqueue(in_bank(tx, self.bank.id), items)

        await ctx.transact(work)
        ctx.run.services.portal.tell(queue.enqueued, len(items))
        redacted = [secret for text in texts for secret in ctx.secrets_in(text)]
        return Retained(len(items), tuple(item.id for item in items), redacted=tuple(redacted))

    async def _ask(self, ctx: Context, call: "Callable[[Remote], Awaitable[T]]") -> T | None:
        """Return what the server answers, None where it has no such bank yet."""
        try:
            return await self._do(ctx, lambda queue: queue.ask(call))
        except HindsightError as error:
            if error.is_no_bank:
                return None
            raise _too_long(error) or error from error

    async def _do(self, ctx: Context, work: Callable[[Queue], Coroutine[Any, Any, T]]) -> T:
        """Do something on the loop of the queue, on whichever the block runs; cancelled with the caller."""
        begun = ctx.run.services.portal.submit(work(await self._queue(ctx)))
        return await asyncio.wrap_future(begun)

    async def _queue(self, ctx: Context) -> Queue:
        return await queue_to(ctx, self.config, self.bank.id)

    async def _block(self, queue: Queue, now: datetime) -> str:
        if self._models is None or self._models.queue is not queue:
            self._models = Models(queue, self.bank)
        return await self._models.block(self.config, now)


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
