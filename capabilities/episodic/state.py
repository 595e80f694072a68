"""What decides about episodes: which observation becomes one, and how many must leave when the log is full."""

from ..vocabulary import LASTING, Durability
from .record import DEFAULT_EPISODIC_CONFIG, EpisodicConfig


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
