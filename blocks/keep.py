"""Keep: the turn's own words are stored whole before anything reads them."""

from capabilities.memory.layout import MemoryLayout
from capabilities.turns import Exchange
from fabric.block import Block
from fabric.context import Context
from fabric.handler import handler
from fabric.resource import Transaction

from .observed import CaptureResult


def keep_block(layout: MemoryLayout) -> Block[Exchange, Exchange | CaptureResult]:
    """Return the block that stores an exchange's turns; a blank or already captured one ends the capture here."""

    @handler(name=f"{layout.name}/keep", uses=[layout.turns])
    async def keep(exchange: Exchange, ctx: Context) -> Exchange | CaptureResult:
        if exchange.user is None:
            return CaptureResult.skipped("empty: there is no user message with text")
        said = exchange.user

        def work(tx: Transaction) -> bool:
            known = tx.get(layout.turns, said.id)
            if known is not None and known.captured:
                return False
            tx.put(layout.turns, exchange.turns)
            return True

        if not await ctx.transact(work):
            return CaptureResult.skipped("captured before: this turn was already taken in")
        return exchange

    return keep
