"""Tools without a generator: the schemas and the calls, for an agent loop of one's own or a server."""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from ..errors import ConfigurationError, StoreError
from ..flow.block import Block
from ..flow.capability import Capability, Use, merge_capabilities
from ..flow.context import Context
from ..generation.messages import header_text
from ..generation.toolbox import Toolbox, ToolOutcome, refusal
from ..lazy import lazy
from ..models.base import ToolCall
from ..scope import ScopeIds
from ..telling import error_text
from .lease import File, Lease, Leasing
from .session import Session

if TYPE_CHECKING:
    from ..flow import wiring
else:
    wiring = lazy("..flow.wiring", __package__)

Arguments = str | Mapping[str, Any] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class _Answer(Block[ToolCall | None, ToolOutcome]):
    """Carries out one call, or gives the header for None: a mind is one block's, so both are the same block's work.

    The blocks that are tools are inside it: their background work is found again by it.
    """

    toolbox: Toolbox

    def children(self) -> Sequence[tuple[str, Block[Any, Any]]]:
        """Return the blocks of rescues, then those that are tools."""
        blocks = [(f"tool {name}", tool.block) for name, tool in self.toolbox.tools.items() if tool.block is not None]
        return [*super().children(), *blocks]

    async def execute(self, value: ToolCall | None, ctx: Context) -> ToolOutcome:
        """Return what became of the call, or what the capabilities put before a prompt."""
        if value is None:
            return ToolOutcome(text=await header_text(None, ctx))
        return await self.toolbox.outcome(value, ctx)


class ToolHost(Leasing):
    """Tools of capabilities and single tools, run on a file for those whom ``ids`` name.

    ``file`` is a path or an open `Fabric`; each call is a run of its own, in the session of ``ids``. ``owns`` says
    whether closing the host closes the file, by default when the host has opened it; use it as a context manager then.
    ConfigurationError when there is no tool or ``ids`` are none, DuplicateNameError when two tools share a name,
    ScopeError when ``ids`` lack one that the tools need; no file is opened then.
    """

    def __init__(
        self,
        file: File,
        ids: ScopeIds,
        *,
        tools: Sequence[Any] = (),
        uses: Sequence[Use] = (),
        name: str = "tools",
        owns: bool | None = None,
    ) -> None:
        if not isinstance(ids, ScopeIds):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(
                f"{name}: ids={ids!r} do not say whose data it is: give ScopeIds(session='monday', user='jake')"
            )
        declared = merge_capabilities((name, use) for use in uses if isinstance(use, Capability))
        offered = [
            (f"capability {key!r}", tool) for key, capability in declared.items() for tool in _tools_of(capability)
        ]
        self.toolbox = Toolbox([*((name, tool) for tool in tools), *offered])
        if not self.toolbox.tools:
            raise ConfigurationError(f"{name}: there is no tool to offer: give tools, or capabilities that have some")
        self.ids = ids
        self.block: Block[ToolCall | None, ToolOutcome] = _Answer(name=name, uses=tuple(uses), toolbox=self.toolbox)
        """Carries out one call; ``fabric.register`` it so that background work left by tools goes on."""
        _check_scopes(self.block, ids)
        self._lease = Lease(file, owns=owns)
        self.fabric = self._lease.fabric

    def of(self, ids: ScopeIds) -> "ToolHost":
        """Return the same tools for another owner; closing this one closes nothing."""
        other = copy(self)
        other.ids, other._lease = ids, Lease(self.fabric)  # noqa: SLF001  its own kind
        return other

    def schemas(self) -> list[dict[str, Any]]:
        """Return the tools as OpenAI function schemas, as ``tools=`` of a chat completion takes them."""
        return [dict(schema) for schema in self.toolbox.schemas()]

    def header(self, *, session: str = "") -> str:
        """Return what the capabilities put before a prompt, such as what is pinned in a mind; "" when there is nothing.

        It belongs at the beginning of the system text, read anew for each run.
        """
        done: ToolOutcome = self._in(session).run(self.block, None).output
        return done.text

    async def aheader(self, *, session: str = "") -> str:
        """Do what `header` does, on the caller's own event loop."""
        done: ToolOutcome = (await self._in(session).arun(self.block, None)).output
        return done.text

    def call(self, name: str, arguments: Arguments = None, *, session: str = "") -> dict[str, Any]:
        """Carry out one call: ``{"success": True, "output": ...}``, or ``{"success": False, "error", "do"}``.

        ``arguments`` is the JSON text that a model wrote, or a mapping; None for none. Neither a model's mistakes nor a
        failing store raise; StoreError when the file is closed. ``session`` names another session of the same owner.
        """
        return _envelope(self._run(name, arguments, session))

    async def acall(self, name: str, arguments: Arguments = None, *, session: str = "") -> dict[str, Any]:
        """Do what `call` does, on the caller's own event loop."""
        return _envelope(await self._arun(name, arguments, session))

    def answer(self, name: str, arguments: Arguments = None, *, session: str = "") -> str:
        """Carry out one call, and return what a model is to be shown of it, as a generator shows it to its own.

        Stored text stands inside a data block there: use it as the content of the message that answers the call.
        """
        return self._run(name, arguments, session).shown

    async def aanswer(self, name: str, arguments: Arguments = None, *, session: str = "") -> str:
        """Do what `answer` does, on the caller's own event loop."""
        return (await self._arun(name, arguments, session)).shown

    def _run(self, name: str, arguments: Arguments, session: str) -> ToolOutcome:
        where = self._in(session)
        try:
            done: ToolOutcome = where.run(self.block, _call(name, arguments)).output
        except StoreError as error:
            return _failed(error)
        return done

    async def _arun(self, name: str, arguments: Arguments, session: str) -> ToolOutcome:
        where = self._in(session)
        try:
            done: ToolOutcome = (await where.arun(self.block, _call(name, arguments))).output
        except StoreError as error:
            return _failed(error)
        return done

    def _in(self, session: str) -> Session:
        ids = self.ids.as_dict()
        return self.fabric.session(session or self.ids.session, **{key: ids[key] for key in ids if key != "session"})


def _check_scopes(block: Block[Any, Any], ids: ScopeIds) -> None:

    for resource in wiring.survey(block).resources.values():
        if resource.required:
            ids.scope(resource.scope)


def _tools_of(capability: Capability[Any]) -> list[Any]:
    return [tool for bundle in capability.active() for tool in bundle.tools]


def _call(name: str, arguments: Arguments) -> ToolCall:
    given: Arguments = {} if arguments is None else arguments
    return ToolCall("", name, given if isinstance(given, str) else json.dumps(to_jsonable_python(given, fallback=repr)))


def _failed(error: StoreError) -> ToolOutcome:
    return ToolOutcome(error=error_text(error), do="Go on without this tool.")


def _envelope(done: ToolOutcome) -> dict[str, Any]:
    if done.error:
        return {"success": False, **refusal(done.error, done.do)}
    return {"success": True, "output": to_jsonable_python(done.value, fallback=repr)}
