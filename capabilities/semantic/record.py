"""The fact: what is held true, how firmly, since when, on whose word, and what it replaced."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fabric.clock import utc
from fabric.narrowing import is_dict

from ..claims.record import Claimed
from ..settings import Settings
from ..sources import Source
from ..vocabulary import FactCategory, Moment, Subject, Unit

ClosedAs = Literal["", "over", "reworded", "tidied"]
"""What a closing says of the fact: nothing, since it is current; that it is no longer so; that another version says the
same in other words; or only that it was not worth keeping."""


class Fact(Claimed, BaseModel):
    """One version of one fact. A changed fact is closed and a new version written; nothing is overwritten.

    Two times are kept. When it was true: from ``valid_from`` until ``valid_to``. When we knew: from ``recorded_at``
    until ``superseded_at``. A closed version names the one that took its place in ``superseded_by``, or nothing when
    it was invalidated.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    subject: Subject = "user"
    content: str
    confidence: Unit
    category: FactCategory
    source_episode_ids: list[str] = []
    sources: list[Source] = []
    extracted_at: Moment
    last_reinforced: Moment | None = None
    reinforcement_count: int = 1
    valid_from: Moment
    valid_to: Moment | None = None
    recorded_at: Moment
    superseded_at: Moment | None = None
    superseded_by: str = ""
    status: Literal["current", "superseded", "invalidated"] = "current"
    slot: str = ""
    """The key of its claim (`capabilities.claims.slot`): "home", "home of mother", "likes=tea"; "" for none."""
    made_by: str = ""
    """The path of the block that wrote this version."""
    reason: str = ""
    """Why it was closed, once it was: for people to read, a model may have written it."""
    closed_as: ClosedAs = ""

    @model_validator(mode="before")
    @classmethod
    def _stored_without_closed_as(cls, given: Any) -> Any:
        """Tell by its reason how a fact was closed in a file from before ``closed_as`` was kept."""
        if not is_dict(given) or given.get("closed_as") or given.get("status", "current") == "current":
            return given
        return {**given, "closed_as": _closed_as(str(given.get("reason", "")))}

    @property
    def is_over(self) -> bool:
        """Whether what it says was found to be no longer so, and not only said better or tidied away."""
        return self.closed_as == "over"

    def known_at(self, known_at: datetime) -> bool:
        """Return whether this version was held at that time."""
        known_at = utc(known_at)
        return self.recorded_at <= known_at and (self.superseded_at is None or known_at < self.superseded_at)

    def valid_at(self, as_of: datetime, known_at: datetime) -> bool:
        """Return whether, by what was known at ``known_at``, the fact was true at ``as_of``."""
        as_of, known_at = utc(as_of), utc(known_at)
        if self.recorded_at > known_at or self.valid_from > as_of:
            return False
        closing_known = self.superseded_at is not None and self.superseded_at <= known_at
        if not closing_known:
            return True
        return self.valid_to is not None and as_of < self.valid_to


def _closed_as(reason: str) -> ClosedAs:
    if reason.startswith(("refined", "merged")):
        return "reworded"
    return "tidied" if reason.startswith("pruned") and "contradicted" not in reason else "over"


class ConsolidationConfig(Settings):
    """When episodes are distilled into facts: enough new episodes, or a lasting entry left working memory."""

    episodic_threshold: int = Field(default=5, ge=1)
    on_eviction: bool = True
    min_interval: int = Field(default=4, ge=0)
    """Turns between two consolidations."""


PRUNED_FROM = 20
"""From how many facts on they are reviewed."""


class PruneConfig(Settings):
    """When the facts are reviewed, and which are out of a review's reach."""

    prune_threshold: int = Field(default=PRUNED_FROM, ge=0)
    """A number of facts, from which on pruning runs; 0 never. Of traces the option of this name is a strength."""
    protected_reinforcements: int = Field(default=5, ge=1)
    protected_confidence: Unit = 0.8


class SemanticConfig(Settings):
    """Options of semantic memory. ``scope`` None takes the scope of episodic memory."""

    scope: Literal["user", "project"] | None = None
    consolidation: ConsolidationConfig = ConsolidationConfig()
    prune_threshold: int = Field(default=PRUNED_FROM, ge=0)
    """A number of facts, as in `PruneConfig`."""

    @property
    def prune(self) -> PruneConfig:
        """The options of pruning."""
        return PruneConfig(prune_threshold=self.prune_threshold)


DEFAULT_SEMANTIC_CONFIG = SemanticConfig()
DEFAULT_CONSOLIDATION_CONFIG = ConsolidationConfig()
DEFAULT_PRUNE_CONFIG = PruneConfig()
REINFORCEMENT = 0.05
"""What one repetition adds to a fact's confidence."""


class FactInput(Claimed, BaseModel):
    """A fact that is offered to semantic memory, before it is compared with what is known.

    ``replaces`` is the id of the current fact that it takes the place of, or "". ``valid_from`` None means since now.
    """

    model_config = ConfigDict(frozen=True)

    subject: Subject = "user"
    content: str
    confidence: Unit
    category: FactCategory
    sources: list[Source] = []
    source_episode_ids: list[str] = []
    valid_from: Moment | None = None
    replaces: str = ""
