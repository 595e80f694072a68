"""Semantic memory as a capability: the resource it installs, and its functions on a running context."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Literal

from fabric.flow.capability import Capability, define_capability
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction
from fabric.record.meanwhile import drawn
from fabric.text.prompt import data_block

from ..keys import MEMORY, capability_name, key_of
from ..sources import Outcome, Source, content_terms
from .format import format_facts
from .record import DEFAULT_SEMANTIC_CONFIG, Fact, FactInput, SemanticConfig
from .table import FactTable

FactScope = Literal["user", "project"]
FACT_SCOPES: tuple[FactScope, ...] = ("user", "project")
"""What may own facts."""


def create_semantic_memory_resource(scope: FactScope = "user", system: str = MEMORY) -> Collection[Fact]:
    """Return the collection that holds the facts of a user or of a project."""
    return Collection(
        key=key_of("semantic_memory", system),
        schema=Fact,
        scope=scope,
        columns={
            "subject": "text",
            "category": "text",
            "status": "text",
            "reinforcement_count": "integer",
            "recorded_at": "time",
            "superseded_by": "text",
            "slot": "text",
            "attribute": "text",
        },
        text="content",
        terms=content_terms,
        kept=("subject", "category", "status", "recorded_at", "slot", "attribute"),
    )


class SemanticMemory:
    """``ctx.cap.semantic_memory``: the facts of the context's user or project."""

    def __init__(self, ctx: Context, facts: Collection[Fact], episodes: Collection[Any] | None = None) -> None:
        self._ctx = ctx
        self._facts = facts
        self._episodes = episodes

    def table(self, tx: Transaction) -> FactTable:
        """Return the facts inside a transaction of the caller's own."""
        return FactTable(tx, self._facts, self._ctx.clock, self._ctx.path, self._episodes)

    async def add(self, offered: FactInput) -> Outcome:
        """Take a fact in: stored, merged into what is known, or superseding it."""
        clean = offered.model_copy(update={"content": self._ctx.redact(offered.content)})
        return await self._ctx.transact(lambda tx: self.table(tx).reconcile(clean))

    async def update(
        self,
        fact_id: str,
        content: str,
        *,
        sources: Sequence[Source] = (),
        confidence: float | None = None,
    ) -> Fact | None:
        """Supersede a current fact by a new text; the new version, or None when there is no such current fact."""
        clean = self._ctx.redact(content)
        return await self._ctx.transact(
            lambda tx: self.table(tx).update(fact_id, clean, sources=sources, confidence=confidence)
        )

    async def reinforce(self, fact_id: str, sources: Sequence[Source] = ()) -> Fact | None:
        """Count one more repetition; the fact, or None when there is no such current fact."""
        return await self._ctx.transact(lambda tx: self.table(tx).reinforce(fact_id, sources))

    async def remove(self, fact_id: str, reason: str = "removed") -> bool:
        """Invalidate a current fact, keeping its history; False when there is no such current fact."""
        return await self._ctx.transact(lambda tx: self.table(tx).remove(fact_id, reason))

    async def all(self, subject: str = "") -> list[Fact]:
        """Return the current facts, of one subject if named, most reinforced first."""
        return drawn(await self._ctx.transact(lambda tx: self.table(tx).current(subject)))

    async def query(self, predicate: Callable[[Fact], bool]) -> list[Fact]:
        """Return the current facts for which ``predicate`` holds, most reinforced first."""
        return [fact for fact in await self.all() if predicate(fact)]

    async def history(self, fact_id: str) -> list[Fact]:
        """Return every version of a fact, oldest first; [] for an unknown id."""
        return drawn(await self._ctx.transact(lambda tx: self.table(tx).history(fact_id)))

    async def at(self, *, as_of: datetime | None = None, known_at: datetime | None = None) -> list[Fact]:
        """Return the facts that were true at ``as_of``, by what was known at ``known_at`` (None: now)."""
        known = known_at or self._ctx.clock.now()
        if as_of is None:
            return drawn(await self._ctx.transact(lambda tx: self.table(tx).known_at(known)))
        return drawn(await self._ctx.transact(lambda tx: self.table(tx).valid_at(as_of, known)))

    async def format(self) -> str:
        """Return the current facts as lines for a prompt, grouped by subject; "" when there are none."""
        return format_facts(await self.all())


def create_semantic_memory_capability(
    config: SemanticConfig | Mapping[str, Any] = DEFAULT_SEMANTIC_CONFIG,
    episodes: Collection[Any] | None = None,
    system: str = MEMORY,
) -> Capability[SemanticMemory]:
    """Return the semantic tier as a capability; its ``context`` preset puts the facts into a generator's prompt.

    ``config`` may be a mapping of its fields; ConfigurationError when a value cannot work. Where the ``episodes`` that
    facts rest on are given, those of facts that are found to be over are noted as superseded. ``system`` is the name of
    the memory system that it is a tier of.
    """
    limits = SemanticConfig.of(config) or DEFAULT_SEMANTIC_CONFIG
    scope = limits.scope or "user"
    return _capability(scope, system) if episodes is None else _define(scope, episodes, system)


@cache
def _capability(scope: FactScope, system: str) -> Capability[SemanticMemory]:
    return _define(scope, None, system)


def _define(scope: FactScope, episodes: Collection[Any] | None, system: str) -> Capability[SemanticMemory]:
    facts = create_semantic_memory_resource(scope, system)

    async def context(ctx: Context) -> str:
        text = await SemanticMemory(ctx, facts).format()
        return data_block("memory", text) if text else ""

    return define_capability(
        capability_name("semantic_memory", system),
        resources=[facts, *([episodes] if episodes is not None else [])],
        helpers=lambda ctx: SemanticMemory(ctx, facts, episodes),
        context=[context],
    )


semantic_memory_capability = create_semantic_memory_capability()
