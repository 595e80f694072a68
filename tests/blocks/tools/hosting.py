"""Memory tools over a file in memory, as the tests of this folder call them."""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from blocks.tools import MemoryTools, memory_tools
from capabilities.traces import Trace, TraceMemory
from capabilities.traces.tables import USER
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.sessions.fabric import Fabric
from fabric.sessions.toolhost import ToolHost
from fabric.testing import FrozenClock

T = TypeVar("T")


class Tools:
    """One host and its pack; an output instead of an envelope, and the traces themselves."""

    def __init__(self, pack: MemoryTools, host: ToolHost, ids: Mapping[str, Any]) -> None:
        self.pack = pack
        self.host = host
        self.ids = ids

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        done = self.host.call(f"memory_{name}", arguments)
        assert done["success"], done
        output: dict[str, Any] = done["output"]
        return output

    def add(self, content: str, **arguments: Any) -> str:
        trace_id: str = self("add", content=content, **arguments)["trace_id"]
        return trace_id

    def found(self, query: str, **arguments: Any) -> list[str]:
        return [record["content"] for record in self("search", query=query, **arguments)["results"]]

    def refused(self, name: str, **arguments: Any) -> str:
        done = self.host.call(f"memory_{name}", arguments)
        assert not done["success"], done
        assert done["do"]
        reason: str = done["error"]
        return reason

    def trace(self, trace_id: str) -> Trace:
        found = self.within(lambda traces, _: traces.get(trace_id))
        assert found is not None
        return found

    def within(self, work: Callable[[TraceMemory, Context], Awaitable[T]]) -> T:
        """Return what ``work`` gives, done on the traces of the same session."""

        @handler(name="within", uses=[self.pack.traces])
        async def block(_: object, ctx: Context) -> T:
            return await work(ctx[self.pack.traces], ctx)

        output: T = self.host.fabric.session(**self.ids).run(block).output
        return output

    def of(self, **ids: Any) -> "Tools":
        """Return the tools of another session of the same file."""
        named = {"session": "default", **ids}
        return Tools(self.pack, self.pack.host(self.host.fabric, **named), named)


@contextmanager
def tools(
    pack: MemoryTools | None = None, clock: FrozenClock | None = None, models: Any = None, **ids: Any
) -> Generator[Tools]:
    """Give the tools of one session, of user ``jake`` unless other ids are given, without an embedder."""
    pack = pack or memory_tools(embedder=None)
    named = {"session": "default", **(ids or {"user": "jake"})}
    with Fabric(clock=clock or FrozenClock(), models=models) as fabric:
        yield Tools(pack, pack.host(fabric, **named), named)


async def edges_of(_: TraceMemory, ctx: Context) -> list[tuple[str, str, float]]:
    found = await ctx.transact(lambda tx: tx.find(USER.edges))
    return [(edge.source, edge.target, edge.weight) for edge in found]
