"""Keep: the turn's own words are stored whole before anything reads them."""

from collections.abc import Mapping, Sequence

from capabilities.memory.layout import MemoryLayout
from capabilities.memory.state import MemoryState
from capabilities.turns import Exchange, Turn
from fabric.block import Block
from fabric.context import Context
from fabric.handler import handler
from fabric.resource import Transaction

from .observed import CaptureResult


def keep_block(layout: MemoryLayout) -> Block[Exchange, Exchange | CaptureResult]:
    """Return the block that stores an exchange's turns; a blank or already captured one ends the capture here.

    What was imported before is captured now, and keeps the time, the speaker and the tags that it came with.
    """

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
            known = {turn.id: turn for turn in tx.get_many(layout.turns, [turn.id for turn in exchange.turns])}
            state = tx.read(layout.state)
            captured = {turn.id for turn in known.values() if turn.captured} - set(state.pending)
            if said.id in captured:
                return CaptureResult.skipped("captured before: this turn was already taken in")
            fresh = Exchange(
                user=_merged(said, known),
                assistant=_merged(exchange.assistant, known) if exchange.assistant else None,
                missed=[_merged(turn, known) for turn in exchange.missed if turn.id not in captured],
                background=exchange.background,
            )
            keep_turns(tx, layout, fresh.turns, state)
            return fresh

        return await ctx.transact(work)

    return keep


def _merged(turn: Turn, known: Mapping[str, Turn]) -> Turn:
    held = known.get(turn.id)
    if held is None:
        return turn
    tags = list(dict.fromkeys([*turn.tags, *held.tags]))
    speaker = turn.speaker or held.speaker
    return turn.model_copy(update={"said_at": held.said_at, "speaker": speaker, "tags": tags})


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
