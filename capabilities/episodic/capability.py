"""Episodic memory as a capability: the collection it installs, and its functions on a running context."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from fabric.flow.capability import Capability, define_capability
from fabric.flow.context import Context
from fabric.flow.resource import Collection, Transaction
from fabric.record.meanwhile import drawn

from ..claims.identity import filed_as
from ..keys import MEMORY, capability_name
from ..vocabulary import Category, Durability
from .log import RECENT, EpisodeLog, create_episodic_memory_resource
from .record import DEFAULT_EPISODIC_CONFIG, Episode, EpisodicConfig


class Encoded(NamedTuple):
    """What encoding an episode did: the episode as written, and those that left because the log is full."""

    episode: Episode
    evicted: list[Episode]


class EpisodicMemory:
    """``ctx.cap.episodic_memory``: the episodes of the context's user or project. Each method is one transaction."""

    def __init__(self, ctx: Context, episodes: Collection[Episode], config: EpisodicConfig) -> None:
        self._ctx = ctx
        self._episodes = episodes
        self._config = config

    def log(self, tx: Transaction) -> EpisodeLog:
        """Return the episodes inside a transaction of the caller's own."""
        return EpisodeLog(tx, self._episodes, self._config)

    async def encode(
        self,
        content: str,
        *,
        significance: float,
        subject: str = "user",
        category: Category = "event",
        durability: Durability = "persistent",
        occurred_at: datetime | None = None,
    ) -> Encoded:
        """Write an episode, whatever the threshold. ``significance`` is in [0, 1], else ValueError.

        The subject "user" is whoever runs this, also where a project shares the episodes.
        """
        episode = Episode(
            id=self._ctx.clock.new_id("ep"),
            content=self._ctx.redact(content),
            subject=filed_as(subject, self._ctx.user, self._episodes.scope),
            category=category,
            durability=durability,
            significance=significance,
            encoded_at=self._ctx.clock.now(),
            occurred_at=occurred_at,
            occurred_at_turn=self._ctx.turn,
            session_id=self._ctx.session,
        )
        written, evicted = await self._ctx.transact(lambda tx: self.log(tx).encode([episode]))
        return Encoded(written[0], evicted)

    async def recent(self, limit: int = RECENT) -> list[Episode]:
        """Return the newest episodes of all sessions, newest first."""
        return drawn(await self._ctx.transact(lambda tx: self.log(tx).recent(limit)))

    async def all(self) -> list[Episode]:
        """Return every episode, newest first."""
        return drawn(await self._ctx.transact(lambda tx: self.log(tx).all()))

    async def unconsolidated(self) -> list[Episode]:
        """Return the episodes that consolidation has not seen, oldest first."""
        return drawn(await self._ctx.transact(lambda tx: self.log(tx).unconsolidated()))

    async def mark_consolidated(self, ids: Iterable[str]) -> int:
        """Note that consolidation has seen these episodes; return how many it had not. Unknown ids are ignored."""
        wanted = list(ids)
        return await self._ctx.transact(lambda tx: self.log(tx).mark_consolidated(wanted))


def create_episodic_memory_capability(
    config: EpisodicConfig | Mapping[str, Any] = DEFAULT_EPISODIC_CONFIG,
    system: str = MEMORY,
) -> Capability[EpisodicMemory]:
    """Return the episodic tier as a capability.

    ``config`` may be a mapping of its fields; ConfigurationError when a value cannot work. ``system`` is the name of
    the memory system that it is a tier of.
    """
    return _capability((EpisodicConfig.of(config) or DEFAULT_EPISODIC_CONFIG).model_dump_json(), system)


@cache
def _capability(options: str, system: str) -> Capability[EpisodicMemory]:
    limits = EpisodicConfig.model_validate_json(options)
    episodes = create_episodic_memory_resource(limits.scope, system)
    return define_capability(
        capability_name("episodic_memory", system),
        resources=[episodes],
        helpers=lambda ctx: EpisodicMemory(ctx, episodes, limits),
    )


episodic_memory_capability = create_episodic_memory_capability()
