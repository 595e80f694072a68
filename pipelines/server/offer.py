"""The offer: which tools a server has, for everybody or for reading only, and what carries their calls out."""

from dataclasses import dataclass
from typing import Any

from blocks.tools import memory_tools
from capabilities.mind import Mind, mind
from capabilities.mind.tools import TOOLS
from fabric.flow.block import Block
from fabric.flow.capability import Use
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.tool import Tool
from fabric.generation.toolbox import Toolbox
from fabric.scope import ScopeIds
from fabric.sessions.fabric import Fabric
from fabric.sessions.toolhost import ToolHost

from ..system import MemorySystem
from .verbs import verbs

NAME = "mcp"
"""The root of what the server runs, and the agent whose mind it is unless one is named."""
READING = frozenset({"recall", "context", "why", "mind_recall", "memory_search"})
"""The tools that change nothing."""
DESTROYING = frozenset({"forget", "memory_delete", "memory_merge", "memory_update"})
"""The tools after which something is not found any more as it was."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Tools by name, and what they need."""

    tools: dict[str, Tool]
    uses: tuple[Use, ...]
    heading: Block[Any, str]

    @property
    def writes(self) -> bool:
        """Whether any tool changes something."""
        return not READING.issuperset(self.tools)

    async def header(self, host: ToolHost) -> str:
        """Return what the owner of a host has in mind, as a block of background data; "" when it is nothing."""
        ids = {key: one for key, one in host.ids.as_dict().items() if key != "session"}
        session = host.fabric.session(host.ids.session, **ids)
        return str((await session.arun(self.heading, None)).output)

    def host(self, fabric: Fabric, ids: ScopeIds) -> ToolHost:
        """Return what carries out calls for these ids; what tools left undone when the file was closed goes on."""
        host = ToolHost(fabric, ids, tools=list(self.tools.values()), uses=self.uses, name=NAME)
        fabric.register(host.block)
        return host


def offer(mem: MemorySystem, *, read_only: bool = False) -> Offer:
    """Return what a server offers: the verbs of a memory, the tools of the agent's mind, the six memory tools.

    ``read_only`` leaves out every tool that is not among ``READING``.
    """
    embedder = mem.layout.meaning.embedder
    pack = memory_tools(mem.model, embedder=embedder, server=mem.server)
    sources = [("the memory", verbs(mem)), ("the mind", TOOLS), ("the memory tools", pack.tools)]
    offered = Toolbox((place, tool) for place, tools in sources for tool in tools).tools
    kept = {name: tool for name, tool in offered.items() if not read_only or name in READING}
    own_mind = mind(embedder).presets(header=False, tools=False)
    # Under the name of the tools' root, after which the mind is named when no agent is.
    heading: Block[Any, str] = handler(_heading, name=NAME, uses=[own_mind])
    return Offer(kept, (mem.capability.presets(context=False), own_mind, pack.traces), heading)


async def _heading(_: Any, ctx: Context) -> str:
    mind: Mind = ctx.cap.mind
    return await mind.header()
