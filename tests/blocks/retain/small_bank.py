"""A small backend in the file: transcripts and items as rows, found by their words. It can be down, slow or away."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from blocks.retain.auto import auto_retain_block, before_compaction_block, flush_block
from blocks.retain.first_turn import first_turn_lines
from capabilities.retain import Bank, Edit, Found, LocalConfig, Recalled, Reflection, Retained, RetainItem, Transcript
from capabilities.retain.banks import in_bank
from capabilities.retain.config import AutoConfig, BackendName
from capabilities.retain.record import Edited, Flushed
from capabilities.retain.session import RETAIN_STATE, RetainState
from fabric import Context, Fabric, generator, handler, sequencer
from fabric.errors import RunError
from fabric.flow.block import Block
from fabric.flow.resource import Collection, Transaction
from fabric.text.words import words


class Row(BaseModel):
    id: str
    text: str
    user_text: str = ""
    turns: int = 0
    session: str
    user: str | None = None
    version: int = 1


KEPT = Collection("small_bank", Row, "project", required=False)


@dataclass
class SmallBank:
    """A backend; ``problem`` is why it cannot be asked, ``delay`` how many seconds all takes."""

    name: BackendName = "local"
    bank: Bank = field(default_factory=lambda: Bank("project-1", ("project-1",)))
    verb: str = "stored"
    problem: str = ""
    delay: float = 0.0
    flush_delay: float = 0.0
    queries: list[str] = field(default_factory=list[str])
    flushes: int = 0
    flushed: Flushed = field(default_factory=Flushed)
    model_text: str = ""

    async def retain(self, ctx: Context, items: list[RetainItem]) -> Retained:
        rows = [Row(id=ctx.clock.new_id("m"), text=item.content, session=ctx.session, user=ctx.user) for item in items]
        await ctx.transact(lambda tx: in_bank(tx, self.bank.id).put(KEPT, rows))
        return Retained(len(items), tuple(row.id for row in rows))

    async def recall(self, ctx: Context, query: str) -> Recalled:
        self.queries.append(query)
        await self._asked()
        found = await ctx.transact(lambda tx: in_bank(tx, self.bank.id).find(KEPT))
        asked = set(words(query))
        shared = [(len(asked & set(words(row.text))), row) for row in found]
        best = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
        return Recalled([Found(row.text, row.id, source="small") for _, row in best[:8]], ctx.clock.now())

    async def reflect(self, ctx: Context, query: str, context: str = "") -> Reflection:
        return Reflection("\n".join(one.content for one in (await self.recall(ctx, query + context)).found))

    async def edit(self, ctx: Context, asked: Edit) -> Edited:
        return Edited("not_found", asked.id)

    async def keep(
        self, ctx: Context, transcript: Transcript, settle: Callable[[Transaction], None] | None = None
    ) -> Retained:
        def work(tx: Transaction) -> str:
            if settle is not None:
                settle(tx)
            bank = in_bank(tx, self.bank.id)
            earlier = bank.get(KEPT, transcript.document)
            row = Row(
                id=transcript.document,
                text=transcript.text,
                user_text=transcript.user_text,
                turns=transcript.turns,
                session=ctx.session,
                user=ctx.user,
                version=1 if earlier is None else earlier.version + 1,
            )
            bank.put(KEPT, [row])
            return row.id

        return Retained(1, (await ctx.transact(work),))

    async def flush(self, ctx: Context) -> Flushed:
        self.flushes += 1
        await asyncio.sleep(self.flush_delay)
        return self.flushed

    async def models(self, ctx: Context) -> str:
        await self._asked()
        return self.model_text

    async def clear(self, ctx: Context) -> str:
        return "nothing"

    async def _asked(self) -> None:
        await asyncio.sleep(self.delay)
        if self.problem:
            raise RunError(self.problem)


@dataclass
class Agent:
    """An agent with a bank, answered by its model; ``kept`` is what the bank holds."""

    bank: SmallBank | None = field(default_factory=SmallBank)
    options: AutoConfig = field(default_factory=lambda: LocalConfig(retain_every_n_turns=3))
    tools: Sequence[Any] = ()

    def __post_init__(self) -> None:
        parts: tuple[Any, Any] = (lambda: self.bank, lambda: self.options)
        self.lines = first_turn_lines(*parts, [KEPT])
        self.auto_retain = auto_retain_block("retain", *parts, [KEPT])
        self.before_compaction = before_compaction_block("retain", *parts, [KEPT])
        self.flush = flush_block("retain", parts[0], [KEPT])
        self.coder = generator(
            name="coder", model="m", system="Be brief.", context=[self.lines], history=True, tools=self.tools
        )
        self.pipeline: Block[Any, Any] = sequencer(name="coding").then(self.coder).work(self.auto_retain)

    def say(self, fabric: Fabric, session: str, *texts: str, user: str | None = "jake") -> Any:
        """Say texts in a session, one turn each, and wait for the background work; return the last result."""
        result = None
        for text in texts:
            result = fabric.session(session, user=user).run(self.pipeline, text)
        left = fabric.drain()
        assert [job.error for job in left if job.status == "failed"] == []
        return result


@handler(name="look", uses=[KEPT, RETAIN_STATE])
async def look(bank_id: str, ctx: Context) -> tuple[list[Row], RetainState]:
    rows = await ctx.transact(lambda tx: in_bank(tx, bank_id).find(KEPT))
    return rows, await ctx.read(RETAIN_STATE)


def kept(fabric: Fabric, bank_id: str = "project-1") -> list[Row]:
    """Return what a bank holds, oldest first."""
    return fabric.session("looking").run(look, bank_id).output[0]


def state(fabric: Fabric, session: str, user: str | None = "jake") -> RetainState:
    """Return what is known of a session."""
    return fabric.session(session, user=user).run(look, "project-1").output[1]


def kept_later(path: Path) -> list[Row]:
    """Return what the file holds when nobody has it open."""
    with Fabric(path) as fabric:
        return kept(fabric)
