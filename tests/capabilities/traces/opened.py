"""Traces over a file in memory, for tests of the capability itself."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from capabilities.traces import Trace, TraceMemory, create_traces_capability
from capabilities.traces.record import content_hash
from capabilities.traces.tables import place_of
from capabilities.traces.words import count_words
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.sessions.fabric import Fabric
from fabric.testing import FrozenClock

T = TypeVar("T")
GOLDEN = Path(__file__).parents[3] / ".." / "shared" / "golden" / "agentos" / "store_tools.json"


def golden(function: str) -> dict[str, Any]:
    """Return the whole file's ``function``, and skip the test where it is absent."""
    if not GOLDEN.exists():
        pytest.skip("the reference's cases are not beside this checkout")
    held: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return {**held["functions"][function], "corpus": held["search_corpus"]}


async def within(
    work: Callable[[TraceMemory, Context], Awaitable[T]],
    *,
    clock: FrozenClock | None = None,
    embedder: Any = None,
    **config: Any,
) -> T:
    """Return what ``work`` gives on new traces of user ``jake`` with agent ``nova`` in organisation ``acme``."""
    traces = create_traces_capability(config, embedder)

    @handler(name="within", uses=[traces])
    async def block(_: object, ctx: Context) -> T:
        return await work(ctx[traces], ctx)

    async with Fabric(clock=clock or FrozenClock()) as fabric:
        output: T = (await fabric.session("monday", user="jake", agent="nova", org="acme").arun(block)).output
        return output


def trace(ctx: Context, trace_id: str, content: str, **fields: Any) -> Trace:
    """Return a trace as it would be stored."""
    now = ctx.clock.now()
    made = {"id": trace_id, "content": content, "created_at": now, "updated_at": now, "stability": 1e7, **fields}
    made["persona"] = ctx.agent if made.get("scope") == "persona" else ""
    made["content_hash"] = content_hash(content)
    return Trace(**made, length=count_words(content, made.get("tags", ())))


async def put(ctx: Context, *traces: Trace) -> None:
    """Store traces where their scope is kept."""

    def work(tx: Any) -> None:
        for one in traces:
            tx.put(place_of(one.scope, ctx.ids).tables.traces, [one])

    await ctx.transact(work)
