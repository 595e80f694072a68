"""Tick: the turn is over, so everything in working memory is one turn older."""

from capabilities.memory.layout import MemoryLayout
from capabilities.working import state as working
from fabric.block import Block
from fabric.context import Context
from fabric.handler import handler
from fabric.resource import Transaction


def tick_block(layout: MemoryLayout) -> Block[object, int]:
    """Return the block that advances the decay clock and scores every entry again; its output is the new turn."""

    @handler(name=f"{layout.name}/tick", uses=[layout.working, layout.state])
    async def tick(ctx: Context) -> int:
        def work(tx: Transaction) -> int:
            state = working.advance(tx.read(layout.working), layout.working_config)
            tx.write(layout.working, state)
            counters = tx.read(layout.state).ticked()
            if layout.semantic is None and counters.due(layout.semantic_config.consolidation):
                counters = counters.reset(consolidated=False)
            tx.write(layout.state, counters)
            return state.current_turn

        return await ctx.transact(work, once="tick")

    return tick
