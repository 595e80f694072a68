"""What the memory system itself remembers between turns: the counters that trigger work."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict

from ..semantic import ConsolidationConfig
from ..vocabulary import Moment
from ..working import WorkingState

HELD_FOR = timedelta(minutes=10)
"""How long a consolidation that does not end keeps its episodes from others."""


class Taken(BaseModel):
    """The episodes that one session is consolidating, and since when."""

    model_config = ConfigDict(frozen=True)

    session: str
    since: Moment
    episodes: list[str]


class MemoryState(BaseModel):
    """Counters of one user or project, across sessions."""

    model_config = ConfigDict(frozen=True)

    turns: int = 0
    episodic_writes_since_last_consolidation: int = 0
    evicted_lasting_since_last_consolidation: int = 0
    last_consolidation_turn: int = 0
    total_extracted: int = 0
    total_consolidations: int = 0
    extracted_at_last_prune: int = 0
    pending: list[str] = []
    """The ids of the turns that are kept, and from which nothing was taken yet."""
    consolidating: list[Taken] = []
    """What consolidations under way have taken; a later one of the same session takes its own over."""

    def taken_by_others(self, session: str, now: datetime) -> frozenset[str]:
        """Return the episodes that other sessions are consolidating."""
        held = (record for record in self.consolidating if record.session != session and now - record.since < HELD_FOR)
        return frozenset(episode for record in held for episode in record.episodes)

    def takes(self, session: str, episodes: Iterable[str], now: datetime) -> "MemoryState":
        """Return the state while a session consolidates these episodes; none for when it has ended."""
        others = [record for record in self.consolidating if record.session != session]
        own = [Taken(session=session, since=now, episodes=list(episodes))]
        return self.model_copy(update={"consolidating": [*others, *(record for record in own if record.episodes)]})

    def keeps(self, turns: Iterable[str]) -> "MemoryState":
        """Return the state after these turns were kept, of which nothing was taken yet."""
        return self.model_copy(update={"pending": list(dict.fromkeys([*self.pending, *turns]))})

    def took(self, turns: Iterable[str]) -> "MemoryState":
        """Return the state after what is worth remembering was taken from these turns, or they were erased."""
        gone = set(turns)
        return self.model_copy(update={"pending": [turn for turn in self.pending if turn not in gone]})

    def prune_due(self, facts: int, threshold: int) -> bool:
        """Return whether ``facts`` should be reviewed: the threshold is reached, and a quarter of it is new since.

        Without the second condition a store of good facts above the threshold would be reviewed again every turn.
        """
        if threshold == 0 or facts < threshold:
            return False
        return (
            self.extracted_at_last_prune == 0 or 4 * (self.total_extracted - self.extracted_at_last_prune) >= threshold
        )

    def pruned(self) -> "MemoryState":
        """Return the state after a prune."""
        return self.model_copy(update={"extracted_at_last_prune": max(1, self.total_extracted)})

    def due(self, config: ConsolidationConfig) -> bool:
        """Return whether consolidation should run: enough time since the last, and enough evidence or an eviction."""
        waited = self.turns - self.last_consolidation_turn >= config.min_interval
        evidence = self.episodic_writes_since_last_consolidation >= config.episodic_threshold
        eviction = config.on_eviction and self.evicted_lasting_since_last_consolidation > 0
        return waited and (evidence or eviction)

    def reflected(self, *, episodic_writes: int, evicted_lasting: int, facts: int) -> "MemoryState":
        """Return the state after one capture wrote this much."""
        return self.model_copy(
            update={
                "episodic_writes_since_last_consolidation": self.episodic_writes_since_last_consolidation
                + episodic_writes,
                "evicted_lasting_since_last_consolidation": self.evicted_lasting_since_last_consolidation
                + evicted_lasting,
                "total_extracted": self.total_extracted + facts,
            }
        )

    def counting(self, working: WorkingState) -> tuple["MemoryState", WorkingState]:
        """Return the state with what left a session's working memory outside a capture, and that memory without it."""
        if not working.lasting_evicted:
            return self, working
        known = self.reflected(episodic_writes=0, evicted_lasting=working.lasting_evicted, facts=0)
        return known, working.model_copy(update={"lasting_evicted": 0})

    def ticked(self) -> "MemoryState":
        """Return the state one turn later."""
        return self.model_copy(update={"turns": self.turns + 1})

    def reset(self, *, consolidated: bool) -> "MemoryState":
        """Return the state after a consolidation, which also resets when it found nothing."""
        return self.model_copy(
            update={
                "episodic_writes_since_last_consolidation": 0,
                "evicted_lasting_since_last_consolidation": 0,
                "last_consolidation_turn": self.turns,
                "total_consolidations": self.total_consolidations + int(consolidated),
            }
        )
