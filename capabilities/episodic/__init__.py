"""Episodic memory: a log of significant experiences that lasts across sessions.

Not here: how it is ranked (``capabilities/retrieval``), the turns word for word (``capabilities/turns``), and how facts
are made of episodes (``blocks/consolidation``).
"""

from .capability import (
    Encoded,
    EpisodicMemory,
    create_episodic_memory_capability,
    episodic_memory_capability,
)
from .log import EpisodeLog, create_episodic_memory_resource
from .record import DEFAULT_EPISODIC_CONFIG, Episode, EpisodicConfig, EpisodicScope
from .state import qualifies

__all__ = [
    "DEFAULT_EPISODIC_CONFIG",
    "Encoded",
    "Episode",
    "EpisodeLog",
    "EpisodicConfig",
    "EpisodicMemory",
    "EpisodicScope",
    "create_episodic_memory_capability",
    "create_episodic_memory_resource",
    "episodic_memory_capability",
    "qualifies",
]
