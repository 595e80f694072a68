"""Keep: the turn's own words are stored whole before anything reads them."""

from collections.abc import Sequence

from capabilities.memory.layout import MemoryLayout
from capabilities.memory.state import MemoryState
from capabilities.turns import Exchange, Turn
from fabric.block import Block
from fabric.context import Context
from fabric.handler import handler
from fabric.resource import Transaction

from .observed import CaptureResult


def keep_block(layout: MemoryLayout) -> Block[Exchange, Exchange | CaptureResult]:
    """Return the block that stores an exchange's turns; a blank or already captured one ends the capture here."""

    @handler(name=f"{layout.name}/keep", uses=[layout.turns, layout.state])
    async def keep(exchange: Exchange, ctx: Context) -> Exchange | CaptureResult:
        if exchange.user is None:
            return CaptureResult.skipped("empty: there is no user message with text")
        said = exchange.user
        # Whoever is slow to ask is asked once a turn, when its observations are known too.
        texts = [turn.text for turn in exchange.turns] if layout.meaning.is_quick else []
        embedded = (await layout.meaning.embed(texts)).by_text(texts)

        def work(tx: Transaction) -> Exchange | CaptureResult:
            tx.embedded = embedded
            known = tx.get_many(layout.turns, [turn.id for turn in (said, *exchange.missed)])
            state = tx.read(layout.state)
            captured = {turn.id for turn in known if turn.captured} - set(state.pending)
            if said.id in captured:
                return CaptureResult.skipped("captured before: this turn was already taken in")
            missed = [turn for turn in exchange.missed if turn.id not in captured]
            fresh = exchange.model_copy(update={"missed": missed})
            keep_turns(tx, layout, fresh.turns, state)
            return fresh

        return await ctx.transact(work)

    return keep


def keep_answers_block(layout: MemoryLayout) -> Block[list[Turn], None]:
    """Return the block that stores answers to a turn that was captured without them.

    An answer is only context to whoever observes: the turn is not read again for it, so that nothing waits.
    """

    @handler(name=f"{layout.name}/keep-answers", input_schema=list[Turn], uses=[layout.turns])
    async def keep_answers(answers: list[Turn], ctx: Context) -> None:
        embedded = await layout.meaning.embed([turn.text for turn in answers])

        def work(tx: Transaction) -> None:
            tx.embedded = embedded.by_text([turn.text for turn in answers])
            tx.put(layout.turns, [turn.model_copy(update={"captured": True}) for turn in answers])

        await ctx.transact(work)

    return keep_answers


def keep_turns(tx: Transaction, layout: MemoryLayout, turns: Sequence[Turn], state: MemoryState) -> None:
    """Store turns from which nothing was taken yet.

    That they wait is said in the state, which every capture writes anyway, so that their rows need no second writing.
    """
    tx.put(layout.turns, [turn.model_copy(update={"captured": True}) for turn in turns])
    tx.write(layout.state, state.keeps(turn.id for turn in turns))
