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
        # Whoever is slow to ask is asked once a turn, when its observations are known too.
        texts = [turn.text for turn in exchange.turns] if layout.meaning.is_quick else []
        embedded = (await layout.meaning.embed(texts)).by_text(texts)

        def work(tx: Transaction) -> Exchange | CaptureResult:
            known = tx.get_many(layout.turns, [turn.id for turn in (said, *exchange.missed)])
            captured = {turn.id for turn in known if turn.captured}
            if said.id in captured:
                return CaptureResult.skipped("captured before: this turn was already taken in")
            missed = [turn for turn in exchange.missed if turn.id not in captured]
            fresh = exchange.model_copy(update={"missed": missed})
            tx.embedded = embedded
            tx.put(layout.turns, fresh.turns)
            return fresh

        return await ctx.transact(work)

    return keep
