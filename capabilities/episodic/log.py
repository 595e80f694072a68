"""The log of episodes inside a transaction: what can be read from it and written to it, never more than is needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fabric.flow.resource import Collection, Transaction
from fabric.store.base import Where

from ..claims import claim_of, slot, subject_key
from ..keys import MEMORY, key_of
from ..sources import content_terms
from .record import DEFAULT_EPISODIC_CONFIG, Episode, EpisodicConfig, EpisodicScope
from .state import surplus

RECENT = 10


def create_episodic_memory_resource(scope: EpisodicScope = "user", system: str = MEMORY) -> Collection[Episode]:
    """Return the collection that holds the episodes of a user or of a project."""
    return Collection(
        key=key_of("episodic_memory", system),
        schema=Episode,
        scope=scope,
        columns={
            "sequence": "integer",
            "encoded_at": "time",
            "occurred_at_turn": "integer",
            "consolidated": "boolean",
            "category": "text",
            "subject": "text",
            "session_id": "text",
            "superseded": "boolean",
            "slot": "text",
        },
        text="content",
        terms=content_terms,
        kept=("subject", "category", "session_id", "encoded_at", "superseded", "sequence", "consolidated", "slot"),
    )


@dataclass(frozen=True, slots=True)
class EpisodeLog:
    """The episodes that a transaction sees."""

    tx: Transaction
    episodes: Collection[Episode]
    config: EpisodicConfig = DEFAULT_EPISODIC_CONFIG

    def encode(self, episodes: Sequence[Episode]) -> tuple[list[Episode], list[Episode]]:
        """Write new episodes, in that order; return them as written, and those that left because the log is full.

        Their ids must be new. The oldest consolidated episodes leave first, then the oldest of the others; when more
        come at once than the log holds, the first of them leave too.
        """
        if not episodes:
            return [], []
        start = self.last_sequence() + 1
        written = [
            episode.model_copy(update={"sequence": start + place, "slot": slot_of(episode)})
            for place, episode in enumerate(episodes)
        ]
        left = self._oldest(surplus(self.count(), len(written), self.config))
        if left:
            self.tx.delete(self.episodes, [episode.id for episode in left])
        kept = written[-self.config.max_episodes :]
        self.tx.put(self.episodes, kept)
        return written, [*left, *written[: -len(kept)]]

    def count(self) -> int:
        """Return how many episodes there are."""
        return self.tx.count(self.episodes)

    def last_sequence(self) -> int:
        """Return the newest episode's place in the order of encoding, 0 when there is none."""
        index = self.tx.index(self.episodes)
        if index is None:
            return 0
        return int(index.columns["sequence"].values[index.alive].max(initial=0))

    def recent(self, limit: int = RECENT) -> list[Episode]:
        """Return the newest episodes, newest first."""
        return self.tx.find(self.episodes, order="-sequence", limit=limit)

    def all(self) -> list[Episode]:
        """Return every episode, newest first."""
        return self.tx.find(self.episodes, order="-sequence")

    def unconsolidated(self) -> list[Episode]:
        """Return the episodes that consolidation has not seen, oldest first."""
        return self.tx.find(self.episodes, Where("consolidated", "=", False), order="sequence")

    def mark_consolidated(self, ids: Iterable[str]) -> int:
        """Note that consolidation has seen these episodes; return how many it had not. Unknown ids are ignored."""
        fresh = [
            episode for episode in self.tx.get_many(self.episodes, list(dict.fromkeys(ids))) if not episode.consolidated
        ]
        self.tx.put(self.episodes, [episode.model_copy(update={"consolidated": True}) for episode in fresh])
        return len(fresh)

    def mark_superseded(self, ids: Iterable[str]) -> None:
        """Note that what these episodes say has changed since. Unknown ids are ignored."""
        changed = self.tx.get_many(self.episodes, list(dict.fromkeys(ids)))
        self.tx.put(self.episodes, [episode.model_copy(update={"superseded": True}) for episode in changed])

    def _oldest(self, number: int) -> list[Episode]:
        """Look at no more than ``number`` of each kind, so that a write into a full log reads only what must leave."""
        found: list[Episode] = []
        for consolidated in (True, False):
            if len(found) < number:
                where = Where("consolidated", "=", consolidated)
                found += self.tx.find(self.episodes, where, order="sequence", limit=number - len(found))
        return found


def slot_of(episode: Episode) -> str:
    """Return the slot that an episode's claim fills, "" for none."""
    return slot(claim_of(episode), subject_key(episode.subject))
