"""What an agent keeps in mind: goals it pursues, beliefs it holds, reflections on how it worked."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ..claims.record import Claimed
from ..formulas.mind_score import CONFIDENCE
from ..sources import Source
from ..vocabulary import Moment, Unit

GoalStatus = Literal["active", "completed"]
GoalPriority = Literal["low", "normal", "high"]
ConfidenceLevel = Literal["low", "medium", "high"]
MindEntryType = Literal["goal", "belief", "reflection"]

LEVELS: tuple[ConfidenceLevel, ...] = ("low", "medium", "high")
"""Confidence, least first."""


class _Entry(BaseModel):
    """What every kind of entry has. ``tags`` are exact words to filter by; ``source`` is the turn it was written in."""

    model_config = ConfigDict(frozen=True)

    id: str
    namespace: str
    """Whose mind: ``mind/<agent>`` unless it was named."""
    tags: tuple[str, ...] = ()
    created_at: Moment
    updated_at: Moment
    source: Source | None = None
    made_by: str = ""
    """The path of the block that wrote it."""


class MindGoal(_Entry):
    """Something to achieve across sessions. ``due_by`` is an ISO date; nothing happens by itself when it passes."""

    type: Literal["goal"] = "goal"
    description: str
    priority: GoalPriority = "normal"
    status: GoalStatus = "active"
    due_by: str | None = None
    progress: tuple[str, ...] = ()
    """Notes, oldest first."""
    outcome: str | None = None
    """What came of it, once it is completed."""

    @property
    def text(self) -> str:
        """What the entry says."""
        return self.description


class Revision(BaseModel):
    """What a belief said before it was updated."""

    model_config = ConfigDict(frozen=True)

    content: str
    confidence: ConfidenceLevel
    until: Moment
    source: Source | None = None


class _Passing(_Entry):
    """What has a time after which it is over. ``error`` says that it was written in a run that failed."""

    content: str
    expires_at: Moment | None = None
    error: bool = False

    @property
    def text(self) -> str:
        """What the entry says."""
        return self.content

    def is_expired(self, now: datetime) -> bool:
        """Return whether its time is over; it stays in the file, and is found with ``include_expired``."""
        return self.expires_at is not None and self.expires_at <= now


class MindBelief(_Passing, Claimed):
    """Something held true, with what it claims. ``error`` says that it was written in a run that failed."""

    type: Literal["belief"] = "belief"
    confidence: ConfidenceLevel = "medium"
    earlier: tuple[Revision, ...] = ()
    """What it said before, oldest first."""


class MindReflection(_Passing):
    """An observation about the agent's own work. ``pinned`` makes it a standing rule of every prompt.

    A pinned one does not expire: its time begins when it is unpinned. ``related_to`` is information
    only, such as a task id; filter by tags. ``error``: written in a run that failed.
    """

    type: Literal["reflection"] = "reflection"
    pinned: bool = False
    related_to: str | None = None
    lasts: str | None = None
    """How long it is kept once it is no standing rule any more, such as "90d"; None for ever."""


MindEntry = MindGoal | MindBelief | MindReflection
KINDS: Mapping[MindEntryType, type[MindEntry]] = {"goal": MindGoal, "belief": MindBelief, "reflection": MindReflection}


def sureness(entry: MindBelief | MindReflection) -> float:
    """Return what an entry's confidence counts in a score: a reflection as medium, a failed run's belief as low."""
    if isinstance(entry, MindReflection):
        return CONFIDENCE["medium"]
    return CONFIDENCE["low" if entry.error else entry.confidence]


class ScoreParts(BaseModel):
    """What a score is made of: ``0.6 * similarity + 0.2 * recency + 0.2 * confidence``, each between 0 and 1.

    The default threshold of .35 filters almost nothing recent: a new belief of high confidence gets 0.4 from recency
    and confidence alone. Look at ``similarity`` to tell whether a result has to do with the query.
    """

    model_config = ConfigDict(frozen=True)

    similarity: float
    recency: Unit
    confidence: Unit


class MindRecallResult(BaseModel):
    """One entry that was recalled; fields that its type does not have are None. Goals have no score."""

    model_config = ConfigDict(frozen=True)

    id: str
    type: MindEntryType
    content: str
    score: float | None = None
    parts: ScoreParts | None = None
    tags: tuple[str, ...] = ()
    created_at: Moment
    updated_at: Moment
    priority: GoalPriority | None = None
    status: GoalStatus | None = None
    progress: tuple[str, ...] | None = None
    outcome: str | None = None
    due_by: str | None = None
    confidence: ConfidenceLevel | None = None
    expires_at: Moment | None = None
    expired: bool | None = None
    pinned: bool | None = None
    related_to: str | None = None
    error: bool | None = None


class Done(BaseModel):
    """What a write answers."""

    model_config = ConfigDict(frozen=True)

    status: Literal["ok"] = "ok"


class Believed(Done):
    """What became of a belief: new, or an update of the one with this id, in the store or in a draft."""

    action: Literal["created", "updated_store", "updated_draft"]
    id: str


class Reflected(Done):
    """The id of a reflection, and a warning when few places for standing rules are left."""

    id: str
    warning: str | None = None


class GoalSet(Done):
    """The id of a goal."""

    id: str


class MindFailure(BaseModel):
    """An operation that could not be applied: which, on what, and why. It stays in the draft."""

    model_config = ConfigDict(frozen=True)

    id: str
    target: str
    action: str
    reason: str


class MindStatus(BaseModel):
    """How a mind stands: what it holds, what room is left, how entries are compared, what could not be written.

    ``drafts`` counts the operations of runs that are not flushed yet. ``compared`` is the embedder's name, or "by
    words"; ``degraded`` says why vectors are missing although there is an embedder.
    """

    model_config = ConfigDict(frozen=True)

    namespace: str
    active_goals: int
    max_goals: int
    completed_goals: int
    beliefs: int
    reflections: int
    pinned_reflections: int
    max_pinned_reflections: int
    drafts: int
    compared: str
    degraded: str = ""
    failed: tuple[MindFailure, ...] = ()
