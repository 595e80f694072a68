"""Working memory as a capability: the document it installs, its functions on a running context, its prompt lines."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from fabric.flow.capability import Capability, define_capability
from fabric.flow.context import Context
from fabric.flow.resource import Document
from fabric.record.meanwhile import drawn
from fabric.text.prompt import data_block

from ..keys import MEMORY, capability_name
from ..vocabulary import Category, Durability
from . import document
from .format import format_active
from .record import DEFAULT_WORKING_MEMORY_CONFIG, Added, WorkingEntry, WorkingMemoryConfig, WorkingState


class WorkingMemory:
    """``ctx.cap.working_memory``: what the agent is tracking in this session. Each method is one transaction."""

    def __init__(
        self,
        ctx: Context,
        config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG,
        kept: Document[WorkingState] = document.working_memory_resource,
    ) -> None:
        self._ctx = ctx
        self._config = config
        self._kept = kept

    async def add(
        self,
        content: str,
        *,
        importance: float,
        pinned: bool = False,
        durability: Durability = "session",
        category: Category = "identity",
        subject: str = "user",
        metadata: Mapping[str, Any] | None = None,
    ) -> Added:
        """Add an entry; return it as kept and what was evicted. ``importance`` is in [0, 1], else ValueError."""
        entry = WorkingEntry(
            id=self._ctx.clock.new_id("wm"),
            content=self._ctx.redact(content),
            importance=importance,
            pinned=pinned,
            durability=durability,
            category=category,
            subject=subject,
            metadata=dict(metadata or {}),
        )
        return await self._ctx.transact(lambda tx: document.add(tx, entry, self._config, self._kept))

    async def evict(self, entry_id: str) -> bool:
        """Remove an entry, pinned or not; False when there is no such entry."""
        return await self._ctx.transact(lambda tx: document.evict(tx, entry_id, self._kept))

    async def pin(self, entry_id: str) -> bool:
        """Protect an entry from eviction; False when there is no such entry or all pinned slots are taken."""
        return await self._ctx.transact(lambda tx: document.pin(tx, entry_id, self._config, self._kept))

    async def unpin(self, entry_id: str) -> bool:
        """Take an entry's protection away; False when there is no such entry."""
        return await self._ctx.transact(lambda tx: document.unpin(tx, entry_id, self._kept))

    async def refresh(self, entry_id: str) -> bool:
        """Count an entry as used now, which restores its salience; False when there is no such entry."""
        return await self._ctx.transact(lambda tx: document.refresh(tx, entry_id, self._config, self._kept))

    async def advance(self) -> int:
        """Go on by one turn, score every entry again, and return the turn reached."""
        state = await self._ctx.transact(lambda tx: document.advance(tx, self._config, self._kept))
        return state.current_turn

    async def items(self) -> list[WorkingEntry]:
        """Return the entries, most salient first."""
        return drawn(await self._ctx.transact(lambda tx: document.items(tx, self._kept)))

    async def format(self) -> str:
        """Return the entries as a list under "Active memories:", most salient first; "" when there are none."""
        return format_active(await self.items())


def create_working_memory_capability(
    config: WorkingMemoryConfig | Mapping[str, Any] = DEFAULT_WORKING_MEMORY_CONFIG,
    system: str = MEMORY,
) -> Capability[WorkingMemory]:
    """Return the working tier as a capability; its ``context`` preset puts the entries into a generator's prompt.

    ``config`` may be a mapping of its fields; ConfigurationError when a limit cannot work. The same configuration
    always gives the same capability, so that it may be declared in several places. ``system`` is the name of the memory
    system that it is a tier of.
    """
    return _capability((WorkingMemoryConfig.of(config) or DEFAULT_WORKING_MEMORY_CONFIG).model_dump_json(), system)


@cache
def _capability(options: str, system: str) -> Capability[WorkingMemory]:
    limits = WorkingMemoryConfig.model_validate_json(options)
    kept = document.create_working_memory_resource(system)

    async def context(ctx: Context) -> str:
        text = await WorkingMemory(ctx, limits, kept).format()
        return data_block("memory", text) if text else ""

    return define_capability(
        capability_name("working_memory", system),
        resources=[kept],
        helpers=lambda ctx: WorkingMemory(ctx, limits, kept),
        context=[context],
    )


working_memory_capability = create_working_memory_capability()
