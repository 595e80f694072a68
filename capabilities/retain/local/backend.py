"""The backend of banks in this file: what the seam asks for, done by the rooms beside this one."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Literal, TypeVar

from capabilities.meaning import Meaning
from capabilities.semantic import Fact
from fabric.embedding.choose import EmbedderChoice, embedder_of
from fabric.errors import FabricError, ModelError, RefusedError, StoreError
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.record.meanwhile import drawn
from fabric.store.base import RowVectors

from ..banks import SHARED_BANK, Bank, in_bank, transact_in
from ..config import LocalConfig
from ..record import (
    Carried,
    Edit,
    Edited,
    Failure,
    Flushed,
    Found,
    Recalled,
    Reflection,
    Retained,
    RetainItem,
    Transcript,
)
from . import moving
from .editing import Editing, find_in_banks
from .facts import Read
from .finding import find
from .joining import Slept
from .record import (
    RETAINED,
    RETAINED_IMPORTANCE,
    TRANSCRIPT,
    TRANSCRIPT_IMPORTANCE,
    Memory,
)
from .tables import FACTS, MEMORIES
from .upkeep import BankUpkeep
from .writing import keep, new_memory, remember

T = TypeVar("T")
Answer = Callable[[Context, str, str, Sequence[Found]], Awaitable[Reflection]]
"""Writes an answer to a question, with its context, from what was found; ModelError where it cannot."""
EMBEDDED_AT_ONCE = 4_000
"""Up to how many characters are embedded while a tool waits; the vectors of what is longer are made by `flush`."""
KNOWN = "This is remembered about it:"
"""What stands before what was recalled, where no model writes an answer."""


class LocalBackend:
    """Banks in this file. Its blocks declare `LOCAL_RESOURCES`.

    ``read`` is what tells the facts that a text states, without it none are drawn; ``answer`` writes what `reflect`
    returns, without it that is what was recalled. ``cwd`` is noted with what is retained.
    """

    name: Literal["local"] = "local"
    verb = "stored"

    def __init__(
        self,
        config: LocalConfig,
        bank: Bank,
        embedder: EmbedderChoice = "default",
        *,
        read: Read | None = None,
        answer: Answer | None = None,
        cwd: str = "",
    ) -> None:
        self.config = config
        self.bank = bank
        self.meaning = Meaning(embedder_of(embedder))
        self._read = read
        self._answer = answer
        self._cwd = cwd

    async def retain(self, ctx: Context, items: list[RetainItem]) -> Retained:
        """Keep items, all in one transaction; where that fails each in its own, so that one costs no other.

        The very same content is kept once. What it states is drawn from it by `flush`.
        """
        made, redacted, failed = self._memories(ctx, items)
        vectors = await self._vectors([memory.searched for _, memory in made])
        ids: list[str] = []
        try:
            ids = await self._in_bank(ctx, lambda tx: remember(tx, [memory for _, memory in made]), vectors)
        except FabricError:
            for index, memory in made:
                try:
                    ids += await self._in_bank(ctx, partial(remember, memories=[memory]), vectors)
                except FabricError as error:
                    ctx.log.warning("a memory could not be kept", error=str(error))
                    failed.append(Failure(index, str(error)))
        return Retained(
            len(items), tuple(ids), tuple(sorted(failed, key=lambda failure: failure.index)), tuple(redacted)
        )

    def _memories(
        self, ctx: Context, items: Sequence[RetainItem]
    ) -> tuple[list[tuple[int, Memory]], list[str], list[Failure]]:
        made: list[tuple[int, Memory]] = []
        redacted: list[str] = []
        failed: list[Failure] = []
        for index, item in enumerate(items):
            content, context = ctx.redact(item.content), ctx.redact(item.context or "")
            redacted += [*ctx.secrets_in(item.content), *ctx.secrets_in(item.context or "")]
            if not any(map(str.isalnum, content)):
                failed.append(Failure(index, "there is no letter or digit in it: say what is to be remembered"))
                continue
            memory = new_memory(
                ctx,
                content,
                RETAINED,
                importance=RETAINED_IMPORTANCE,
                veracity="tool",
                memory_type="fact",
                context=context,
                metadata=self._metadata(ctx, tool="retain", context=context),
                waits=self._read is not None,
            )
            made.append((index, memory))
        return made, redacted, failed

    def _metadata(self, ctx: Context, **more: str) -> dict[str, str]:
        known = {"session_id": ctx.session, "cwd": self._cwd, **more}
        return {name: text for name, text in known.items() if text}

    async def keep(
        self, ctx: Context, transcript: Transcript, mark_kept: Callable[[Transaction], None] | None = None
    ) -> Retained:
        """Keep a part of a conversation, in the place of what was kept before under the same document.

        ``mark_kept`` is called in the same transaction, before anything is written.
        """
        text, plain, mined = map(ctx.redact, (transcript.text, transcript.plain, transcript.user_text))
        memory = new_memory(
            ctx,
            text,
            TRANSCRIPT,
            importance=TRANSCRIPT_IMPORTANCE,
            veracity="unknown",
            memory_type="episode",
            metadata=self._metadata(ctx, tool="auto-retain", turns=str(transcript.turns)),
            plain=plain,
            mined=mined,
            waits=bool(mined) and self._read is not None,
            document=transcript.document,
            sources=list(transcript.sources),
        )

        def work(tx: Transaction) -> Memory:
            if mark_kept is not None:
                mark_kept(tx)
            return keep(in_bank(tx, self.bank.id), memory)

        kept = await ctx.transact(work)
        return Retained(1, (kept.id,), redacted=tuple(ctx.secrets_in(transcript.text)))

    async def recall(self, ctx: Context, query: str) -> Recalled:
        """Return what the banks hold about a question, best first, at most as much as the options allow."""
        asked = ctx.redact(query)
        found = await find(ctx, self.bank.reads, self.meaning, asked, self.config.recall_limit)
        return Recalled(found, ctx.clock.now())

    async def reflect(self, ctx: Context, query: str, context: str = "") -> Reflection:
        """Return what is known about a question: written by a model, else as it was recalled; "" for nothing."""
        found = (await self.recall(ctx, query)).found
        if not found:
            return Reflection("")
        if self._answer is not None:
            try:
                return await self._answer(ctx, query, context, found)
            except ModelError as error:
                ctx.log.warning("reflecting without a model", error=str(error))
        lines = [f"- {' '.join(memory.content.split())}" for memory in found]
        return Reflection("\n".join([KNOWN, *lines]), tuple(memory.id for memory in found))

    async def get(self, ctx: Context, memory_id: str) -> Memory | Fact | None:
        """Return all of a memory or a fact by its id; None where no bank that is read knows it."""

        def read(tx: Transaction) -> Memory | Fact | None:
            held = find_in_banks(tx, self._reach, memory_id)
            return None if held is None else held.row

        return drawn(await ctx.transact(read))

    async def read(self, ctx: Context, memory_id: str) -> str | None:
        """Return the content of a memory or a fact by its id; None where no bank that is read knows it."""
        found = await self.get(ctx, memory_id)
        return None if found is None else found.content

    async def edit(self, ctx: Context, asked: Edit) -> Edited:
        """Change one memory of the banks that are written and read, or of the shared one.

        RefusedError where an update says nothing new to hold, or an invalidation names what nobody knows.
        """
        if asked.op == "update" and asked.content is None and asked.importance is None:
            raise RefusedError("an update needs content, importance or both", do="Give what is to be different.")
        if asked.content is not None:
            asked = asked.model_copy(update={"content": ctx.redact(asked.content)})
        vectors = await self._vectors([asked.content] if asked.content is not None else [])
        editing = Editing(ctx.clock, ctx.path, self._reach, vectors)
        return await ctx.transact(lambda tx: editing.apply(tx, asked))

    async def flush(self, ctx: Context) -> Flushed:
        """Draw the facts that were put off and make the vectors that are missing; what was done is never done again."""
        return await self._upkeep(ctx).flush()

    async def retry(self, ctx: Context) -> Flushed:
        """Do what `flush` does: nothing is given up here."""
        return await self.flush(ctx)

    async def sleep(self, ctx: Context) -> Slept:
        """Join memories that are old enough into episodic ones; each becomes part of one, once."""
        return await self._upkeep(ctx).sleep()

    async def models(self, ctx: Context) -> str:  # noqa: ARG002  the seam's argument
        """Return "": banks in a file have no mental models."""
        return ""

    async def clear(self, ctx: Context) -> str:
        """Remove all of the bank that is written to; StoreError, and nothing is removed, where some of it stays."""

        def work(tx: Transaction) -> tuple[int, int]:
            owner = tx.ids.scope("project")
            gone = tx.rows.clear(MEMORIES.table, owner), tx.rows.clear(FACTS.table, owner)
            if tx.count(MEMORIES) or tx.count(FACTS):
                raise StoreError(f"the bank {self.bank.id!r} still holds something after it was cleared")
            return gone

        memories, facts = await self._in_bank(ctx, work)
        others = [bank for bank in self.bank.reads if bank != self.bank.id]
        left = f" What other banks hold stays: {', '.join(others)}." if others else ""
        return f"Removed {memories} memories and {facts} facts: the bank {self.bank.id!r} is empty.{left}"

    async def carried(self, ctx: Context) -> list[Carried]:
        """Return what was given to the bank that is written to, and still holds."""
        now = ctx.clock.now()
        return await self._in_bank(ctx, lambda tx: moving.carried(tx, now))

    async def take_over(self, ctx: Context, carried: Sequence[Carried]) -> int:
        """Take in what another bank was given; its facts are drawn by `flush`. Return how much of it was new."""
        waits = self._read is not None
        given = [moving.memory_of(ctx, item, waits=waits) for item in carried]
        return await self._in_bank(ctx, lambda tx: moving.store_moved(tx, given))

    @property
    def _reach(self) -> list[str]:
        """The banks in which an id is looked for, in order."""
        return list(dict.fromkeys([self.bank.id, *self.bank.reads, self.config.bank_id or SHARED_BANK]))

    def _upkeep(self, ctx: Context) -> BankUpkeep:
        return BankUpkeep(ctx, self.bank.id, self.meaning, self._read)

    async def _in_bank(self, ctx: Context, work: Callable[[Transaction], T], vectors: RowVectors | None = None) -> T:
        return await transact_in(ctx, self.bank.id, work, vectors)

    async def _vectors(self, texts: Sequence[str]) -> RowVectors | None:
        """Return the vectors of texts by the texts, where they cost next to nothing; `flush` makes the others."""
        if not texts or not self.meaning.is_ready or sum(map(len, texts)) > EMBEDDED_AT_ONCE:
            return None
        return (await self.meaning.embed_stored(texts)).by_text(texts)
