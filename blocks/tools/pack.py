"""The pack of memory tools: all of them for a generator, or each on its own, over one set of traces."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from capabilities.equal import one_for
from capabilities.traces import TraceMemory, create_traces_capability
from fabric.embedding.choose import EmbedderChoice
from fabric.errors import ConfigurationError
from fabric.flow.block import Block
from fabric.flow.capability import Capability, define_capability
from fabric.flow.context import Context
from fabric.generation.generator import ModelChoice
from fabric.models.server import ModelServer
from fabric.narrowing import is_sequence
from fabric.options import names_options
from fabric.scope import ScopeIds
from fabric.sessions.lease import File
from fabric.sessions.toolhost import ToolHost

from ..insight import derive_with, insight_block
from .shapes import (
    Add,
    Added,
    Delete,
    Deleted,
    Merge,
    Merged,
    Reflect,
    Reflected,
    Rehydrate,
    Rehydrated,
    Search,
    SearchResult,
    SearchResults,
    Update,
    Updated,
)
from .tool import MemoryTool

A = TypeVar("A", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, eq=False)
class MemoryTools:
    """What `memory_tools` returns.

    ``capability`` offers all tools to who declares it; any of ``tools`` goes into ``tools=[...]`` alone,
    and runs as a block. ``traces`` is what they work on: ``ctx[pack.traces]``.
    """

    traces: Capability[TraceMemory]
    model: ModelChoice | None
    include_reflect: bool
    identifier: str
    server: ModelServer | None = None
    rehydrate_memory: bool = False

    @cached_property
    def capability(self) -> Capability[TraceMemory]:
        """All tools; declared with ``uses=[...]``."""
        return define_capability(
            self.identifier.replace("-", "_"), uses=[self.traces], helpers=self.traces.helpers, tools=self.tools
        )

    @cached_property
    def tools(self) -> list[Block[Any, Any]]:
        """All tools, in the order of the specification."""
        first: list[Block[Any, Any]] = [self.add, self.update, self.delete, self.merge, self.search]
        more = [self.reflect] if self.include_reflect else []
        return [*first, *more, *([self.rehydrate] if self.rehydrate_memory else [])]

    @cached_property
    def add(self) -> Block[Add, Added]:
        """``memory_add``: store a new trace."""

        async def memory_add(asked: Add, ctx: Context) -> Added:
            traces = ctx[self.traces]
            done = await traces.add(asked.content, type=asked.type, scope=asked.scope, tags=asked.tags)
            return Added(trace_id=done.trace.id, is_new=done.is_new, new_tags=list(done.new_tags))

        return self._tool(
            memory_add,
            Add,
            Added,
            "Store something in your memory, for later conversations; a text that is there already gets the new tags.",
        )

    @cached_property
    def update(self) -> Block[Update, Updated]:
        """``memory_update``: update content or tags of a trace."""

        async def memory_update(asked: Update, ctx: Context) -> Updated:
            done = await ctx[self.traces].update(asked.trace_id, content=asked.content, tags=asked.tags)
            return Updated(updated=done)

        return self._tool(
            memory_update, Update, Updated, "Correct the content or the tags of something in your memory."
        )

    @cached_property
    def delete(self) -> Block[Delete, Deleted]:
        """``memory_delete``: delete a trace softly."""

        async def memory_delete(asked: Delete, ctx: Context) -> Deleted:
            return Deleted(deleted=await ctx[self.traces].delete(asked.trace_id))

        return self._tool(memory_delete, Delete, Deleted, "Delete something from your memory that is wrong or harmful.")

    @cached_property
    def merge(self) -> Block[Merge, Merged]:
        """``memory_merge``: put one trace in the place of several."""

        async def memory_merge(asked: Merge, ctx: Context) -> Merged:
            return await ctx[self.traces].merge(asked.trace_ids, content=asked.content)

        return self._tool(memory_merge, Merge, Merged, "Put one memory in the place of several that belong together.")

    @cached_property
    def search(self) -> Block[Search, SearchResults]:
        """``memory_search``: full-text search; nothing is changed by it."""

        async def memory_search(asked: Search, ctx: Context) -> SearchResults:
            found = await ctx[self.traces].search(asked.query, type=asked.type, scope=asked.scope, limit=asked.limit)
            return SearchResults(results=[SearchResult(**trace.model_dump(include=_SHOWN)) for trace in found])

        about = "Search your memory by words. Ask for few words that matter, or with operators."
        return self._tool(memory_search, Search, SearchResults, about, title="memory search", writes=False)

    @cached_property
    def reflect(self) -> Block[Reflect, Reflected]:
        """``memory_reflect``: consolidate now."""
        inner = () if self.model is None else (insight_block("memory_reflect/insight", self.model, self.server),)

        async def memory_reflect(_: Reflect, ctx: Context) -> Reflected:
            derive = derive_with(inner[0], ctx) if inner else None
            done = await ctx[self.traces].reflect(derive)
            return Reflected(**done.model_dump(include=set(Reflected.model_fields)))

        about = "Tidy your memory: drop what has faded, merge what is said twice, keep what proved useful."
        return self._tool(memory_reflect, Reflect, Reflected, about, inner=inner)

    @cached_property
    def rehydrate(self) -> Block[Rehydrate, Rehydrated]:
        """``rehydrate_memory``: what a trace said, word for word, before only its gist was left."""

        async def rehydrate_memory(asked: Rehydrate, ctx: Context) -> Rehydrated:
            return Rehydrated(content=await ctx[self.traces].rehydrate(asked.trace_id))

        about = "Read in full what a memory said of which only the gist is left, word for word."
        return self._tool(rehydrate_memory, Rehydrate, Rehydrated, about, title="archived memory")

    def host(
        self,
        file: File = ":memory:",
        *,
        session: str = "default",
        user: str | None = None,
        agent: str | None = None,
        org: str | None = None,
        manage_lifecycle: bool | None = None,
    ) -> ToolHost:
        """Return the tools for an agent loop of one's own; whose memory it is comes from these ids alone.

        ``file`` is a path or an open `Fabric`. ``manage_lifecycle`` says whether closing the host closes the file; by
        default it closes what it has opened. ScopeError when an id is no string or blank; no file is opened then.
        """
        ids = ScopeIds(session=session, user=user, agent=agent, org=org)
        return ToolHost(file, ids, uses=[self.capability], name=self.identifier, owns=manage_lifecycle)

    def _tool(
        self,
        fn: Callable[[A, Context], Awaitable[R]],
        takes: type[A],
        gives: type[R],
        about: str,
        *,
        inner: tuple[Block[Any, Any], ...] = (),
        title: str = "",
        writes: bool = True,
    ) -> Block[A, R]:
        return MemoryTool(
            fn=fn,
            name=fn.__name__,
            description=about,
            input_schema=takes,
            output_schema=gives,
            uses=(self.traces,),
            inner=inner,
            title=title,
            has_side_effects=writes,
        )


_SHOWN = set(SearchResult.model_fields)


@names_options()
def memory_tools(
    model: ModelChoice | None = None,
    *,
    include_reflect: bool = True,
    embedder: EmbedderChoice = "default",
    prune_threshold: float = 0.05,
    merge_threshold: float = 0.95,
    stability_days: float = 90.0,
    identifier: str = "memory_tools",
    rehydrate_memory: bool = False,
    server: ModelServer | None = None,
) -> MemoryTools:
    """Return the six memory tools; ConfigurationError for what cannot work. Equal options give the same tools.

    ``model`` draws insights when memory_reflect runs; without one none are drawn. ``embedder`` tells what says the
    same; with None equal and nearly equal words do. ``identifier`` names the capability, with _ for a hyphen.
    ``rehydrate_memory`` adds a seventh tool of that name, which gets back what a cognitive memory archived. ``server``:
    where the model is reached.

    >>> pack = memory_tools()
    >>> [tool.name for tool in pack.tools][:3]
    ['memory_add', 'memory_update', 'memory_delete']
    """
    config = {
        "prune_threshold": prune_threshold,
        "merge_threshold": merge_threshold,
        "stability_days": stability_days,
    }
    _check(model, include_reflect, identifier)
    traces = create_traces_capability(config, embedder)

    def make() -> MemoryTools:
        return MemoryTools(traces, model, include_reflect, identifier, server, rehydrate_memory)

    return one_for(make, "memory_tools", traces, model, include_reflect, identifier, server, rehydrate_memory)


def _check(model: object, include_reflect: object, identifier: object) -> None:
    ids = [model] if isinstance(model, str) else model
    named = (
        is_sequence(ids) and bool(ids) and all(isinstance(record_id, str) and record_id.strip() for record_id in ids)
    )
    if model is not None and not callable(model) and not named:
        raise ConfigurationError(
            f"memory_tools: model={model!r}; expected a litellm model id, a list of ids, a function, or None for none"
        )
    if not isinstance(include_reflect, bool):
        raise ConfigurationError(f"memory_tools: include_reflect={include_reflect!r}; expected True or False")
    if not isinstance(identifier, str) or not identifier.replace("-", "_").isidentifier():
        raise ConfigurationError(
            f"memory_tools: identifier={identifier!r}; it becomes ctx.cap.<identifier>: expected letters, digits, -, _"
        )
