"""Keep: the turn's own words are stored whole before anything reads them, in one transaction with the job that will."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from capabilities.meaning import Embedded
from capabilities.memory.layout import MemoryLayout
from capabilities.memory.state import MemoryState
from capabilities.turns import Exchange, Turn
from fabric.flow.block import Block, Keeper
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.jobs.job import JOBS
from fabric.narrowing import is_mapping
from fabric.store.base import SYSTEM, RowVectors, Where

from .observed import CaptureResult

WAITING = 200
"""How many turns the state names as kept and not read. Where more wait, as while a model is away, their rows say so."""


def keep_block(layout: MemoryLayout) -> Block[Exchange, Exchange | CaptureResult]:
    """Return the block that stores an exchange's turns; a blank or already captured one ends the capture here.

    What was imported before is captured now, and keeps the time, the speaker and the tags that it came with. What was
    stored with the job gets the vectors that it lacks, and nothing when it was forgotten since.
    """

    @handler(name=f"{layout.name}/keep", uses=[layout.turns, layout.state])
    async def keep(exchange: Exchange, ctx: Context) -> Exchange | CaptureResult:
        if exchange.user is None:
            return CaptureResult.skipped(exchange.reason or "empty: there is no user message with text")
        # Whoever is slow to ask is asked once a turn, when its observations are known too.
        lacks = layout.meaning.is_quick and exchange.stored != "vectors"
        embedded = await _embedded(layout, exchange.turns if lacks else [])
        return await ctx.transact(lambda tx: _kept(tx, layout, exchange, embedded))

    return keep


def keep_with_job(layout: MemoryLayout) -> Keeper:
    """Return what stores an exchange's turns with the job that captures them, so that recall finds them at once.

    A quick embedder that is not loaded yet is left to the job: until then the turns are found by their words.
    """

    async def keeper(value: Any) -> tuple[Exchange, Callable[[Transaction], None]]:
        exchange = Exchange.model_validate(value)
        embedded = await _embedded(layout, exchange.turns if layout.meaning.is_ready else [])

        def store(tx: Transaction) -> None:
            if exchange.user is not None:
                _kept(tx, layout, exchange, embedded)

        stored = "words" if embedded.vectors is None else "vectors"
        return exchange.model_copy(update={"stored": stored}), store

    return keeper


async def _embedded(layout: MemoryLayout, turns: Sequence[Turn]) -> Embedded:
    return await layout.meaning.embed_stored([turn.text for turn in turns]) if turns else Embedded()


def _kept(tx: Transaction, layout: MemoryLayout, exchange: Exchange, embedded: Embedded) -> Exchange | CaptureResult:
    assert exchange.user is not None  # noqa: S101  whoever calls has looked
    known = {turn.id: turn for turn in tx.get_many(layout.turns, [turn.id for turn in exchange.turns])}
    state = tx.read(layout.state)
    captured = {turn.id for turn in known.values() if turn.captured} - set(state.pending)
    if exchange.user.id in captured:
        if exchange.assistant is not None and exchange.assistant.id not in known and not exchange.stored:
            tx.put(layout.turns, [exchange.assistant.model_copy(update={"captured": True})])
        return CaptureResult.skipped("captured before: this turn was already taken in")
    if exchange.stored and exchange.user.id not in known:
        return CaptureResult.skipped("forgotten: the turn was erased before it was taken in")
    # What was stored with the job and is not there any more was forgotten since.
    missed = [turn for turn in exchange.missed if turn.id not in captured and (turn.id in known or not exchange.stored)]
    waiting = _waiting_in_jobs(tx, layout) if missed else set[str]()
    fresh = exchange.model_copy(
        update={
            "user": _merged(exchange.user, known),
            "assistant": _merged(exchange.assistant, known) if exchange.assistant else None,
            "missed": [_merged(turn, known) for turn in missed if turn.id not in waiting],
        }
    )
    tx.embedded = embedded.by_text([turn.text for turn in exchange.turns])
    if exchange.stored:
        give_vectors(tx, layout, list(known.values()))
        return fresh
    keep_turns(tx, layout, fresh.turns, state)
    return fresh


def _waiting_in_jobs(tx: Transaction, layout: MemoryLayout) -> set[str]:
    """Return the ids of the user's messages that a job of this system and session will read, or could not read yet."""
    rows = tx.rows.find(JOBS, SYSTEM, [Where("session", "=", tx.ids.scope("session").key)])
    own = [row["input"] for row in rows if row["block"].split(" > ")[-1].startswith(f"{layout.name}/")]
    users = [value.get("user") for value in own if is_mapping(value)]
    return {user["id"] for user in users if is_mapping(user) and "id" in user}


def keep_turns(tx: Transaction, layout: MemoryLayout, turns: Sequence[Turn], state: MemoryState) -> None:
    """Store turns from which nothing was taken yet.

    That they wait is said in the state, which every capture writes anyway, so that their rows need no second writing.
    """
    waiting = state.keeps(turn.id for turn in turns)
    is_named = len(waiting.pending) <= WAITING
    tx.put(layout.turns, [turn.model_copy(update={"captured": is_named}) for turn in turns])
    if is_named:
        tx.write(layout.state, waiting)


def _merged(turn: Turn, known: Mapping[str, Turn]) -> Turn:
    held = known.get(turn.id)
    if held is None:
        return turn
    tags = list(dict.fromkeys([*turn.tags, *held.tags]))
    speaker = turn.speaker or held.speaker
    when = {"said_at": held.said_at, "counts_as": held.counts_as}
    return turn.model_copy(update={**when, "speaker": speaker, "tags": tags})


def give_vectors(tx: Transaction, layout: MemoryLayout, turns: Sequence[Turn]) -> None:
    """Give stored turns the vectors that the transaction has of their texts."""
    if tx.embedded is not None:
        by_text = tx.embedded.by_id
        vectors = {turn.id: by_text[turn.text] for turn in turns if turn.text in by_text}
        tx.set_vectors(layout.turns, RowVectors(tx.embedded.space, vectors))


def keep_answers_block(layout: MemoryLayout) -> Block[list[Turn], None]:
    """Return the work that gives vectors to answers to a turn that was captured without them, stored with its job.

    An answer is only context to whoever observes: the turn is not read again for it, so that nothing waits.
    """

    @handler(name=f"{layout.name}/keep-answers", input_schema=list[Turn], uses=[layout.turns])
    async def keep_answers(answers: list[Turn], ctx: Context) -> None:
        embedded = await _embedded(layout, answers)

        def work(tx: Transaction) -> None:
            tx.embedded = embedded.by_text([turn.text for turn in answers])
            give_vectors(tx, layout, tx.get_many(layout.turns, [turn.id for turn in answers]))

        await ctx.transact(work)

    async def keeper(value: Any) -> tuple[Any, Callable[[Transaction], None]]:
        answers = [Turn.model_validate(turn).model_copy(update={"captured": True}) for turn in value]
        return answers, lambda tx: tx.put(layout.turns, answers)

    return keep_answers.store_with_job(keeper)
