"""Each step of a cognitive memory as a block of its own."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from capabilities.cognitive.config import HOUR
from capabilities.cognitive.memory import CognitiveMemory
from capabilities.cognitive.results import Retrieval, Swept
from capabilities.cognitive.wakefulness import CLOCKS
from capabilities.hypothesis import REPLY_SECONDS
from capabilities.sources import is_forgotten
from capabilities.traces.record import MAX_CONTENT_CHARS
from capabilities.traces.tables import View, views
from fabric.errors import RefusedError
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.generation.generator import ModelChoice
from fabric.narrowing import is_mapping
from fabric.text.words import is_blank

from ..capture.exchange import exchange_from_text
from ..cue import cue_of
from ..hyde import NO_HYDE, Hyde, Search, policy, search_with
from .features import features_block, features_until

Memory = Capability[CognitiveMemory]


def encode_block(
    name: str,
    memory: Memory,
    model: ModelChoice | None = None,
    *,
    seconds: float = REPLY_SECONDS,
    reclassify: bool = False,
) -> Block[Any, Any]:
    """Return the step that encodes the user's message, a text or message content in any form, and hands it on.

    What the message holds is told by ``model``, for which so many seconds are waited. Where that fails, and with
    ``reclassify``, its words tell until `reclassify_block` asks a model; without any, they tell for good. Messages
    before it whose runs failed are encoded with it. Of a message that is longer than a trace may be its beginning is: a
    pasted book gets an answer.
    """
    asked = None if model is None else features_block(name, model)

    @handler(name=f"{name}/encode", uses=[memory])
    async def encode(message: Any, ctx: Context) -> Any:
        said, end = exchange_from_text(message, ctx).said, asyncio.get_running_loop().time() + seconds
        await ctx.run.recording.said_stored()  # a process that ends leaves no trace of a message that nobody holds
        for turn in said:
            if not turn.is_wordless and not is_blank(turn.text):
                text = turn.text[:MAX_CONTENT_CHARS]
                features = None if asked is None else await features_until(end, text, asked, ctx)
                try:
                    await ctx[memory].encode(
                        text,
                        features=features,
                        role=turn.role,
                        speaker=turn.speaker,
                        said_at=turn.said_at,
                        source=turn.source(),
                        reclassify=reclassify or asked is not None,
                    )
                except RefusedError:
                    if not is_forgotten(turn.source(), ctx):
                        raise
        return message

    return encode


def retrieve_block(name: str, memory: Memory, hyde: Hyde = NO_HYDE) -> Block[Any, Retrieval]:
    """Return retrieval as a block: a cue, a message, or a mapping of what `CognitiveMemory.retrieve` takes, in.

    Such a mapping may have ``hyde``, too: whether a hypothetical answer is looked for, in place of what ``hyde`` says.
    """

    @handler(name=f"{name}/retrieve", uses=[memory])
    async def retrieve(asked: Any, ctx: Context) -> Retrieval:
        options = asked if is_mapping(asked) and "cue" in asked else {"cue": cue_of("retrieve", asked, "cue")}
        return await retrieve_by(ctx, ctx[memory], hyde, options)

    return retrieve


async def retrieve_by(ctx: Context, mind: CognitiveMemory, hyde: Hyde, asked: Mapping[str, Any]) -> Retrieval:
    """Return what a cue brings to mind: by the options of `CognitiveMemory.retrieve`, and ``hyde``."""
    options: dict[str, Any] = dict(asked)
    how = policy(hyde, options)
    if how is None:
        return await mind.retrieve(**options)
    own: dict[str, Any] = {key: given for key, given in options.items() if key != "hypothesis"}
    search = Search(
        options["cue"],
        lambda hypothesis: mind.retrieve(**own, hypothesis=hypothesis),
        sureness=lambda found: max((result.signals.similarity for result in found.results), default=0.0),
        degraded=lambda found, reason: found.model_copy(update={"degraded": reason}),
        has_embedder=mind.meaning.embedder is not None,
    )
    found: Retrieval = await search_with(hyde.block, how, search, ctx)
    return found


def use_block(name: str, memory: Memory) -> Block[Sequence[str], list[str]]:
    """Return the step that takes the ids of traces that were of use; the ids of those that are there, out."""

    @handler(name=f"{name}/use", uses=[memory])
    async def use(trace_ids: Sequence[str], ctx: Context) -> list[str]:
        return [trace.id for trace in await ctx[memory].use(trace_ids)]

    return use


def sweep_block(name: str, memory: Memory) -> Block[object, Swept]:
    """Return the step that removes what has faded."""

    @handler(name=f"{name}/sweep", uses=[memory])
    async def sweep(_: object, ctx: Context) -> Swept:
        return await ctx[memory].sweep()

    return sweep


@dataclass(frozen=True, slots=True)
class Periodic:
    """Work of a memory between turns: every so many hours, counted for each owner from what ``last`` tells."""

    block: Block[object, Any]
    every_hours: float
    last: Callable[[Transaction, View], datetime | None]
    uses: tuple[Capability[Any], ...] = ()

    def is_due(self, tx: Transaction, now: datetime) -> bool:
        """Return whether it is time again for one of the owners."""
        before = [self.last(tx, view) for view in views(tx.ids)]
        return any(at is None or (now - at).total_seconds() >= self.every_hours * HOUR for at in before)


def consolidated_at(tx: Transaction, view: View) -> datetime | None:
    """Return when the traces of one owner were consolidated last; None for never."""
    return tx.read(CLOCKS[view.tables.owner]).consolidated


def end_turn_block(name: str, memory: Memory, periodic: Sequence[Periodic]) -> Block[Any, list[str]]:
    """Return the step behind a turn, for ``.work(...)``: what was shown counts as used, then what is due is done."""
    uses = [memory, *(use for work in periodic for use in work.uses)]

    @handler(name=f"{name}/end-turn", uses=uses)
    async def end_turn(_: Any, ctx: Context) -> list[str]:
        gone = await ctx.transact(ctx[memory].turn_ended, once="end")
        for work in periodic:
            if await ctx.transact(partial(work.is_due, now=ctx.clock.now())):
                await work.block(None, ctx)
        return gone

    return end_turn
