"""What the commands show: everything one memory holds, and what is recalled with the words it rests on."""

from pydantic import BaseModel, ConfigDict

from capabilities.episodic import Episode
from capabilities.memory.recall.recall import RankedMemory, RecallRequest, recall_request
from capabilities.semantic import Fact
from capabilities.turns import Turn
from capabilities.working import WorkingEntry
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction

from ..system import MemorySystem
from .tiers import about


class Holdings(BaseModel):
    """The tiers of one memory: working memory of ``session``, episodes oldest first, every version of every fact."""

    model_config = ConfigDict(frozen=True)

    session: str
    working: list[WorkingEntry]
    episodes: list[Episode]
    facts: list[Fact]
    turns: list[Turn]

    @property
    def current(self) -> list[Fact]:
        """The facts that are held true now."""
        return [fact for fact in self.facts if fact.status == "current"]

    def counts(self) -> dict[str, int]:
        """Return how much each tier holds."""
        return {
            "turns": len(self.turns),
            "working": len(self.working),
            "episodes": len(self.episodes),
            "facts": len(self.current),
            "facts_closed": len(self.facts) - len(self.current),
        }


def holdings_block(mem: MemorySystem) -> Block[object, Holdings]:
    """Return the block that reads everything a memory holds."""
    layout = mem.layout

    @handler(name=f"{layout.name}/holdings", uses=layout.resources)
    async def holdings(_: object, ctx: Context) -> Holdings:
        def work(tx: Transaction) -> Holdings:
            return Holdings(
                session=ctx.session,
                working=sorted(tx.read(layout.working).entries, key=lambda entry: -entry.salience),
                episodes=tx.find(layout.episodic, order="sequence") if layout.episodic else [],
                facts=tx.find(layout.semantic) if layout.semantic else [],
                turns=tx.find(layout.turns),
            )

        return await ctx.transact(work)

    return holdings


def newest_session_block(mem: MemorySystem) -> Block[object, str]:
    """Return the block that names the session of the newest captured message, "" when there is none."""
    turns = mem.layout.turns

    @handler(name=f"{mem.layout.name}/newest-session", uses=mem.layout.resources)
    async def newest_session(_: object, ctx: Context) -> str:
        newest = await ctx.transact(lambda tx: tx.find(turns, order="-said_at", limit=1))
        return newest[0].session if newest else ""

    return newest_session


def statements_block(mem: MemorySystem) -> Block[list[str], dict[str, str]]:
    """Return the block that takes ids of memories and returns what each says, and about whom; none for unknown ids."""
    layout = mem.layout

    @handler(name=f"{layout.name}/statements", uses=layout.resources)
    async def statements(ids: list[str], ctx: Context) -> dict[str, str]:
        def work(tx: Transaction) -> list[Fact | Episode | WorkingEntry]:
            return [
                *(tx.get_many(layout.semantic, ids) if layout.semantic else ()),
                *(tx.get_many(layout.episodic, ids) if layout.episodic else ()),
                *(entry for entry in tx.read(layout.working).entries if entry.id in ids),
            ]

        return {fact.id: about(fact.subject, fact.content) for fact in await ctx.transact(work)}

    return statements


class Recalled(BaseModel):
    """A memory that was recalled, and the messages it rests on."""

    memory: RankedMemory
    said: list[Turn]


def recalled_block(mem: MemorySystem) -> Block[RecallRequest, list[Recalled]]:
    """Return the block that recalls memories together with the messages they rest on."""

    @handler(name=f"{mem.layout.name}/recall-with-sources", uses=mem.layout.resources)
    async def recalled(asked: RecallRequest, ctx: Context) -> list[Recalled]:
        memories = await recall_request(ctx, mem.layout, asked)
        ids = list(dict.fromkeys(source.turn_id for memory in memories for source in memory.sources))
        turns = {turn.id: turn for turn in await ctx.transact(lambda tx: tx.get_many(mem.layout.turns, ids))}
        return [
            Recalled(
                memory=memory, said=[turns[source.turn_id] for source in memory.sources if source.turn_id in turns]
            )
            for memory in memories
        ]

    return recalled
