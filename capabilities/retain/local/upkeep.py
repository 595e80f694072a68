"""What is done behind a reply: facts of what was retained, vectors that are missing, and consolidation.

Each step marks what it did in the transaction that does it: a process that ends between two neither loses nor repeats.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from capabilities.meaning import Meaning
from capabilities.semantic import Fact
from capabilities.vocabulary import Observation
from fabric.errors import BudgetExceededError, FabricError, ModelUnavailableError
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction
from fabric.store.base import Row, RowVectors

from ..banks import transact_in
from ..record import Flushed
from . import joining
from .facts import Read, draw
from .record import Memory
from .tables import FACTS, MEMORIES, where

T = TypeVar("T")
AWAY = (ModelUnavailableError, BudgetExceededError)
"""What every memory would be told that is read now."""
AT_ONCE = 50
"""How many memories are taken in one step."""


@dataclass(frozen=True, slots=True)
class BankUpkeep:
    """The background work of one bank in a file: extracting facts, embedding, and joining old memories."""

    ctx: Context
    bank: str
    meaning: Meaning
    read: Read | None

    async def flush(self) -> Flushed:
        """Extract facts from the memories that wait for it, and embed the rows that have no vector."""
        done, failed, problem, is_away = 0, set[str](), "", self.read is None

        def next_ones(tx: Transaction) -> list[Memory]:
            return tx.get_many(
                MEMORIES, [memory_id for memory_id in where(tx, waits=True) if memory_id not in failed][:AT_ONCE]
            )

        while not is_away and (waiting := await self._in_bank(next_ones)):
            stated: dict[str, Sequence[Observation]] = {}
            for memory in waiting:
                try:
                    stated[memory.id] = await self._stated(memory)
                except FabricError as error:
                    failed.add(memory.id)
                    problem, is_away = str(error), isinstance(error, AWAY)
                    if is_away:  # the others would be told the same
                        break
            done += await self._in_bank(partial(self._draw, read=waiting, stated=stated))
        left = await self._in_bank(lambda tx: len(where(tx, waits=True))) if self.read is not None else 0
        problem = await self._embed_missing() or problem
        return Flushed(done=done, waiting=left, problem=problem)

    def _draw(self, tx: Transaction, read: Sequence[Memory], stated: Mapping[str, Sequence[Observation]]) -> int:
        """Draw the facts of memories that were read, and mark them; what changed meanwhile waits for the next step."""
        drawn: list[str] = []
        as_read = {memory.id: memory for memory in read}
        for now in tx.get_many(MEMORIES, list(stated)):
            memory = as_read[now.id]
            if now.waits and (now.states, now.drawn) == (memory.states, memory.drawn):
                tx.ids = replace(tx.ids, user=memory.user, session=memory.session)
                draw(tx, now, stated[now.id], self.ctx.clock, self.ctx.path)
                drawn.append(now.id)
        drawn_from = tx.get_many(MEMORIES, drawn)  # one may have made another outdated
        tx.put(
            MEMORIES, [memory.model_copy(update={"waits": False, "drawn": len(memory.states)}) for memory in drawn_from]
        )
        return len(drawn)

    async def _stated(self, memory: Memory) -> Sequence[Observation]:
        text = memory.states[memory.drawn :]
        if self.read is None or not text.strip():
            return []
        return await self.read(self.ctx, text, memory.memory_type != "episode")

    async def _embed_missing(self) -> str:
        """Give rows their vectors that have none in the space of the embedder; return why not, "" where it worked."""
        if self.meaning.embedder is None:
            return ""
        try:
            space = await self.meaning.space()
        except FabricError as error:
            return str(error)
        for kept in (MEMORIES, FACTS):
            while rows := await self._in_bank(_outside(kept, space)):
                texts = [str(row.get("plain") or row["content"]) for row in rows]
                embedded = await self.meaning.embed_stored(texts)
                if embedded.vectors is None:
                    return embedded.degraded
                vectors = dict(zip([row["id"] for row in rows], embedded.vectors, strict=True))
                if not await self._in_bank(_set(kept, rows, RowVectors(embedded.space, vectors))):
                    break
        return ""

    async def sleep(self) -> joining.Slept:
        """Join what is old enough."""
        slept = joining.Slept()
        now = self.ctx.clock.now()
        for group in await self._in_bank(lambda tx: joining.groups(tx, now)):
            text = joining.joined_text(group)
            vectors = (await self.meaning.embed_stored([text])).by_text([text])
            made = await self._in_bank(partial(joining.join, group=group, clock=self.ctx.clock, vectors=vectors))
            slept = joining.Slept(slept.consolidated + made.consolidated, slept.made + made.made)
        return slept

    async def _in_bank(self, work: Callable[[Transaction], T]) -> T:
        return await transact_in(self.ctx, self.bank, work)


def _outside(kept: Collection[Memory] | Collection[Fact], space: str) -> Callable[[Transaction], list[Row]]:
    return lambda tx: tx.rows.outside_space(kept.table, tx.ids.scope(kept.scope), space, AT_ONCE)


def _set(
    kept: Collection[Memory] | Collection[Fact], rows: Sequence[Row], vectors: RowVectors
) -> Callable[[Transaction], int]:
    """Return what gives rows their vectors that say what they said when these were made."""
    said = {row["id"]: row["content"] for row in rows}

    def work(tx: Transaction) -> int:
        held = tx.rows.get(kept.table, tx.ids.scope(kept.scope), list(said))
        same = {row["id"]: vectors.by_id[row["id"]] for row in held if row["content"] == said[row["id"]]}
        return tx.set_vectors(kept, RowVectors(vectors.space, same)) if same else 0

    return work
