"""The memory: one thing that a bank keeps, as it was given, and how far it is to be trusted."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from capabilities.sources import Source
from capabilities.vocabulary import Moment, Unit

from ..record import MemoryType

Veracity = Literal["stated", "inferred", "tool", "imported", "unknown", "false"]
Trust = Literal["stated", "external", "imported"]
Tier = Literal["working", "episodic"]

RETAINED, TRANSCRIPT = "coding-agent-retain", "coding-agent-transcript"
"""The sources of what a model retained, and of what was kept of a conversation."""
RETAINED_IMPORTANCE, TRANSCRIPT_IMPORTANCE, CONSOLIDATED_IMPORTANCE = 0.75, 0.65, 0.6
_TRUST: Mapping[str, Trust] = {
    "tool": "external",
    "api": "external",
    "system": "external",
    "import": "imported",
    "backup": "imported",
}


class Memory(BaseModel):
    """One memory of a bank. ``tier`` tells what was given ("working") from what was joined of several ("episodic")."""

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    plain: str = ""
    """What it is found by, where that is not the content: a transcript without its markers."""
    context: str = ""
    source: str = RETAINED
    importance: Unit = 0.5
    veracity: Veracity = "unknown"
    trust: Trust = "stated"
    memory_type: MemoryType = "unknown"
    metadata: dict[str, str] = {}
    created_at: Moment
    said_at: Moment
    """When it was said last."""
    valid_until: Moment | None = None
    superseded_by: str = ""
    session: str
    user: str | None = None
    sources: list[Source] = []
    """The turns that it was retained in."""
    content_hash: str
    document: str = ""
    """What a later transcript of this name takes the place of."""
    mined: str = ""
    """The part of a transcript that facts are drawn from: what the user said."""
    drawn: int = 0
    """From how many characters of it, or of the content, facts have been drawn."""
    waits: bool = True
    """Whether facts are still to be drawn from it."""
    outdated: bool = False
    """Whether all that it states was found to be no longer so: it is history, and stands behind what holds."""
    tier: Tier = "working"
    consolidated: bool = False
    """Whether it is part of an episodic memory."""
    consolidated_from: list[str] = []
    """The ids of the memories that an episodic one was joined of."""

    @property
    def searched(self) -> str:
        """The text that a memory is indexed by, for words and for its embedding."""
        return self.plain or self.content

    @property
    def states(self) -> str:
        """The text that facts are extracted from."""
        return self.mined if self.document or self.memory_type == "episode" else self.content

    def is_valid(self, now: datetime) -> bool:
        """Return whether it still holds."""
        return not self.superseded_by and (self.valid_until is None or self.valid_until > now)


def hash_of(content: str) -> str:
    """Return what two memories of the very same content have in common."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def trust_of(source: str) -> Trust:
    """Return how far a source is to be trusted.

    >>> trust_of("coding-agent-retain"), trust_of("api"), trust_of("import")
    ('stated', 'external', 'imported')
    """
    return _TRUST.get(source, "stated")


def clamped(importance: float) -> float:
    """Return an importance as one between 0 and 1.

    >>> clamped(1.7), clamped(-1), clamped(0.2)
    (1.0, 0.0, 0.2)
    """
    return min(1.0, max(0.0, float(importance)))
