"""What decides about episodes: which observation becomes one, and which episode leaves when the log is full."""

from collections.abc import Sequence

from ..vocabulary import LASTING, Durability
from .record import DEFAULT_EPISODIC_CONFIG, Episode, EpisodicConfig


def qualifies(durability: Durability, significance: float, config: EpisodicConfig = DEFAULT_EPISODIC_CONFIG) -> bool:
    """Return whether an observation is lasting and significant enough to become an episode.

    >>> qualifies("persistent", 0.6), qualifies("session", 0.9), qualifies("permanent", 0.59)
    (True, False, False)
    """
    return durability in LASTING and significance >= config.significance_threshold


def surplus(held: int, offered: int, config: EpisodicConfig = DEFAULT_EPISODIC_CONFIG) -> int:
    """Return how many of ``held`` episodes must leave so that ``offered`` more fit.

    >>> surplus(199, 5), surplus(10, 5)
    (4, 0)
    """
    return min(held, max(0, held + offered - config.max_episodes))


def to_evict(episodes: Sequence[Episode], number: int) -> list[Episode]:
    """Return the ``number`` episodes that leave first: the oldest consolidated ones, then the oldest of the others."""
    return sorted(episodes, key=lambda episode: (not episode.consolidated, episode.sequence))[:number]
