"""Tick: the turn is over, so everything in working memory is one turn older."""

from typing import Any

from capabilities.memory.layout import MemoryLayout
from capabilities.memory.state import MemoryState
from capabilities.working import WorkingState
from capabilities.working import state as working
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction


def tick_block(layout: MemoryLayout) -> Block[Any, int]:
    """Return the block that ends a turn which `reflect_block` left open; its output is the turn reached."""

    @handler(name=f"{layout.name}/tick", uses=layout.resources)
    async def tick(ctx: Context) -> int:
        def work(tx: Transaction) -> int:
            entries, counters = ticked(layout, tx.read(layout.working), tx.read(layout.state))
            tx.write(layout.working, entries)
            tx.write(layout.state, counters)
            return entries.current_turn

        return await ctx.transact(work, once="tick")

    return tick


def ticked(layout: MemoryLayout, state: WorkingState, counters: MemoryState) -> tuple[WorkingState, MemoryState]:
    """Return working memory with every entry scored again, and the counters, both one turn later.

    In a capture it belongs to the transaction that reflects, so that a turn is either taken in and over, or neither.
    """
    later = counters.ticked()
    if layout.semantic is None and later.due(layout.semantic_config.consolidation):
        later = later.reset(consolidated=False)
    return working.advance(state, layout.working_config), later
