"""The OpenAI Agents SDK: its sessions in the file, and the memory's tools as its tools."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from fabric.errors import ConfigurationError, ScopeError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Collection, Transaction
from fabric.sessions.lease import File, Lease, Leasing
from fabric.sessions.toolhost import ToolHost

try:
    from agents import Agent, FunctionTool, RunContextWrapper, SessionSettings, TResponseInputItem
    from agents.tool_context import ToolContext
except ImportError as error:
    raise ImportError(
        "this adapter needs a version of the OpenAI Agents SDK that it is tested with: "
        "pip install 'path/to/thought-fabric[openai-agents]'"
    ) from error


class _Entry(BaseModel):
    """One item of a conversation, as the SDK gave it."""

    id: str
    seq: int
    item: dict[str, Any]


_ITEMS = Collection("openai_agents_items", _Entry, "session", columns={"seq": "integer"})


@handler(name="openai-agents/get", uses=[_ITEMS])
async def _get(limit: int | None, ctx: Context) -> list[dict[str, Any]]:
    newest = await ctx.transact(lambda tx: tx.find(_ITEMS, order="-seq", limit=limit))
    return [entry.item for entry in reversed(newest)]


@handler(name="openai-agents/add", uses=[_ITEMS])
async def _add(items: list[dict[str, Any]], ctx: Context) -> None:
    def work(tx: Transaction) -> None:
        last = tx.find(_ITEMS, order="-seq", limit=1)
        first = last[0].seq + 1 if last else 1
        numbered = enumerate((ctx.clean(item) for item in items), first)
        tx.put(_ITEMS, [_Entry(id=str(seq), seq=seq, item=item) for seq, item in numbered])

    await ctx.transact(work)


@handler(name="openai-agents/take", uses=[_ITEMS])
async def _take(limit: int | None, ctx: Context) -> list[dict[str, Any]]:
    """Remove the newest items, all for None, and return them."""

    def work(tx: Transaction) -> list[dict[str, Any]]:
        newest = tx.find(_ITEMS, order="-seq", limit=limit)
        tx.delete(_ITEMS, [entry.id for entry in newest])
        return [entry.item for entry in newest]

    return await ctx.transact(work)


class FabricSession(Leasing):
    """A session of the SDK in a thought-fabric file: pass it as ``session=`` to a run, and close it.

    ``file`` is a path or an open `Fabric`, which is then not closed. The items are the user's, kept as the SDK gave
    them but for secrets in their texts; forgetting all of the user deletes them. ScopeError for a blank id or no user.
    """

    def __init__(
        self,
        session_id: str,
        file: File = ":memory:",
        *,
        user: str,
        org: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        if user is None:  # pyright: ignore[reportUnnecessaryComparison]  an untyped caller's
            raise ScopeError("a session belongs to somebody: give user=..., so that no stranger shares its items")
        self.session_id = session_id
        self.session_settings = session_settings
        self._lease = Lease(file)
        self.fabric = self._lease.fabric
        try:
            self._session = self.fabric.session(session_id, user=user, org=org)
        except ValueError:
            self.close()
            raise

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the newest items, all without a limit, oldest first, without results whose call the limit cut off."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items = await self._run(_get, None if limit is None else max(0, limit))
        whole: list[Any] = list(_without_orphans(items))
        return whole

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items behind those there are."""
        await self._run(_add, to_jsonable_python(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item and return it; None when there is none."""
        taken = await self._run(_take, 1)
        return cast("TResponseInputItem", taken[0]) if taken else None

    async def clear_session(self) -> None:
        """Remove all items."""
        await self._run(_take, None)

    async def _run(self, block: Block[Any, Any], value: Any) -> Any:
        return (await self._session.arun(block, value)).output


def _without_orphans(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the items but for a tool's results whose calls are not among them, which no model takes."""
    called: set[Any] = set()
    for item in items:
        kind, call = str(item.get("type", "")), item.get("call_id")
        if call is not None and kind.endswith("_output") and call not in called:
            continue
        called.add(call)
        yield item


def function_tools(host: ToolHost) -> list[FunctionTool]:
    """Return the host's tools for ``Agent(tools=...)``; a failing call is answered with what is wrong, never raised."""
    _check(host, "function_tools")
    return [_tool(host, schema["function"]) for schema in host.schemas()]


def instructions(host: ToolHost, text: str = "") -> Callable[[RunContextWrapper[Any], Agent[Any]], Awaitable[str]]:
    """Return a function for ``Agent(instructions=...)``: the host's header, read for every run, before the text."""
    _check(host, "instructions")

    async def instruct(_: RunContextWrapper[Any], __: Agent[Any]) -> str:
        return "\n\n".join(filter(None, (await host.aheader(), text)))

    return instruct


def _check(host: object, what: str) -> None:
    if not isinstance(host, ToolHost):
        raise ConfigurationError(
            f"{what}: {host!r} is no host of tools: give ToolHost(file, ScopeIds(session=..., user=...), uses=[...])"
        )


def _tool(host: ToolHost, schema: dict[str, Any]) -> FunctionTool:
    async def call(_: ToolContext[Any], arguments: str) -> str:
        return await host.aanswer(schema["name"], arguments)

    return FunctionTool(
        name=schema["name"],
        description=schema.get("description", ""),
        params_json_schema=schema.get("parameters") or {"type": "object", "properties": {}},
        on_invoke_tool=call,
        strict_json_schema=False,
    )
