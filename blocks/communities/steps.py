"""The steps: build communities of what is remembered, and search them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from capabilities.cognitive.memory import CognitiveMemory
from capabilities.communities import Built, CommunityMemory, GlobalAnswer, GlobalSearch, LocalSearch
from capabilities.communities.extracting import Material
from capabilities.communities.record import Community
from capabilities.communities.tables import SHELVES
from capabilities.traces.consolidation.one_at_a_time import reserved
from capabilities.traces.tables import View, views
from fabric.errors import ModelError
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.generation.generator import ModelChoice
from fabric.narrowing import is_mapping
from fabric.slices import chunks
from fabric.telling import error_text
from fabric.text.words import is_blank

from ..cue import cue_of
from .asking import answer_block, extract_block, graphs_told, summary_block

Memory = Capability[CommunityMemory]
PER_CALL = 10
"""How many memories a model is asked about at once."""
MEMORIES_PER_BUILD, SUMMARIES_PER_BUILD = 100, 10
"""How many of them one build asks about at most, and how many summaries; the rest waits for the next."""
BUSY = "read: another build is asking the model; what it leaves is read in the next"
BEHIND = 20
"""How many of the memories behind a community a model is shown."""


def build_block(
    name: str, memory: Memory, traces: Capability[CognitiveMemory], model: ModelChoice | None
) -> Block[object, Built]:
    """Return the step that reads what is new, groups it, and summarises the groups; for ``.work(...)``, too.

    Rules do all of it first; then ``model``, where there is one, is asked about a bounded part. Where it fails, what
    rules found stands, and the build goes on with the rest of its steps. A graph that has not changed costs nothing.
    """
    asking = None if model is None else _Asking(name, memory, traces, model)

    @handler(name=f"{name}/communities/build", uses=[memory, traces])
    async def build(_: object, ctx: Context) -> Built:
        mine = ctx[memory]
        read = await mine.read()
        if asking is None:
            written = await mine.group()
            await mine.note_built()
            return Built(read=read, communities=written)
        with reserved(ctx, "communities") as free:
            if len(free) < len(views(ctx.ids)):
                waiting = await mine.count_untold()
                return Built(read=read, communities=await mine.group(), waiting=waiting, failed=(BUSY,))
            told, failed = await asking.read(ctx)
            written = await mine.group()
            summarised, unsummarised = await asking.summarise(ctx)
            await mine.note_built()
        return Built(
            read=read,
            told=told,
            communities=written,
            summarised=summarised,
            waiting=await mine.count_untold(),
            failed=(*failed, *unsummarised),
        )

    return build


def built_at(tx: Transaction, view: View) -> datetime | None:
    """Return when the communities of one owner were built last; None for never."""
    return tx.read(SHELVES[view.tables.owner].state).built_at


class _Asking:
    """What a model does for one memory's communities. It stops at the first call that fails."""

    def __init__(self, name: str, memory: Memory, traces: Capability[CognitiveMemory], model: ModelChoice) -> None:
        self._memory = memory
        self._traces = traces
        self._extract = extract_block(f"{name}/communities", model)
        self._summarise = summary_block(f"{name}/communities", model)

    async def read(self, ctx: Context) -> tuple[int, list[str]]:
        """Ask about memories that only rules have read; return how many were told, and what failed."""
        mine, count = ctx[self._memory], 0
        for some in chunks(await mine.untold(MEMORIES_PER_BUILD), PER_CALL):
            try:
                told = await self._extract(some, Context(ctx.run))
            except ModelError as error:
                return count, [await self._failed(ctx, "read", error, some)]
            count += await mine.store_read(some, graphs_told(some, told))
        return count, []

    async def summarise(self, ctx: Context) -> tuple[int, list[str]]:
        """Ask for summaries of the largest communities that have none by a model."""
        mine, count = ctx[self._memory], 0
        for community in await mine.unsummarised(SUMMARIES_PER_BUILD):
            try:
                told = await self._summarise((community, await self._behind(ctx, community)), Context(ctx.run))
            except ModelError as error:
                return count, [await self._failed(ctx, "summarise", error, (), community)]
            text = " ".join(told.summary.split())
            if is_blank(text):
                await mine.failed((), community)
                return count, ["summarise: the summary was empty"]
            count += await mine.summarise(community, text)
        return count, []

    async def _behind(self, ctx: Context, community: Community) -> list[str]:
        """Return what the memories behind a community say."""
        wanted = dict.fromkeys(source for relation in community.relations for source in relation.sources)
        found = [await ctx[self._traces].get(source) for source in list(wanted)[:BEHIND]]
        return [memory.content for memory in found if memory is not None and not memory.deleted]

    async def _failed(
        self, ctx: Context, what: str, error: ModelError, some: Sequence[Material], community: Community | None = None
    ) -> str:
        await ctx[self._memory].failed(some, community)
        ctx.log.warning("communities by rules", step=what, error=str(error))
        return f"{what}: {error_text(error)}"


def local_search_block(name: str, memory: Memory) -> Block[Any, LocalSearch]:
    """Return local search as a block: a cue, the user's message, or ``{"cue": ..., "limit": ...}`` in."""

    @handler(name=f"{name}/communities/local", uses=[memory])
    async def local(asked: Any, ctx: Context) -> LocalSearch:
        return await ctx[memory].local_search(**_options("local search", asked))

    return local


def global_search_block(name: str, memory: Memory) -> Block[Any, GlobalSearch]:
    """Return global search as a block: a cue, the user's message, or ``{"cue": ..., "limit": ...}`` in."""

    @handler(name=f"{name}/communities/global", uses=[memory])
    async def over_all(asked: Any, ctx: Context) -> GlobalSearch:
        return await ctx[memory].global_search(**_options("global search", asked))

    return over_all


def global_answer_block(name: str, memory: Memory, model: ModelChoice | None) -> Block[Any, GlobalAnswer]:
    """Return the step that answers a question about all there is, by a model from the summaries that fit it best.

    It takes what global search takes. Without a model, where it fails, and where the summaries do not answer, the
    result is what global search finds, with the reason.
    """
    asking = None if model is None else answer_block(f"{name}/communities", model)

    @handler(name=f"{name}/communities/answer", uses=[memory])
    async def answer(asked: Any, ctx: Context) -> GlobalAnswer:
        found = await ctx[memory].global_search(**_options("global answer", asked))
        plain = GlobalAnswer(**{name: getattr(found, name) for name in type(found).model_fields})
        if asking is None or not found.communities:
            return plain
        try:
            told = await asking((found.cue, [community.summary for community in found.communities]), Context(ctx.run))
        except ModelError as error:
            ctx.log.warning("summaries without an answer", error=str(error))
            return plain.model_copy(update={"failed": error_text(error)})
        used = tuple(community for number, community in enumerate(found.communities, start=1) if number in told.numbers)
        if not told.answer.strip() or not used:
            return plain.model_copy(update={"failed": "the summaries do not answer it"})
        return plain.model_copy(update={"answer": told.answer.strip(), "communities": used})

    return answer


def _options(what: str, asked: Any) -> Mapping[str, Any]:
    if is_mapping(asked) and "cue" in asked and asked.keys() <= {"cue", "limit"}:
        return asked
    return {"cue": cue_of(what, asked, "cue and limit")}
