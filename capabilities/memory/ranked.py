"""What recall returns: a memory with its score, every part of the score, and the turns that it rests on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ..sources import Source

Tier = Literal["turn", "working", "episodic", "semantic"]
TIERS: tuple[Tier, ...] = ("turn", "working", "episodic", "semantic")
RELEVANT = 0.5
"""From this relevance on, the best result likely answers the cue; below it, likely nothing that does is stored."""


class Parts(BaseModel):
    """What a result's score is made of, before it is brought to the scale of ``relevance``. All are at least 0."""

    model_config = ConfigDict(frozen=True)

    text: float = 0.0
    """The words of the cue, and words of like meaning, found in it."""
    dense: float = 0.0
    """Its meaning, by its vector."""
    speaker: float = 0.0
    """That the cue names who said it."""
    neighbours: float = 0.0
    """The turns around it."""
    session: float = 0.0
    """The best turn of its session."""
    time: float = 0.0
    """That it was said when the cue says."""
    recency: float = 0.0
    """That it is put above an older one that it replaces."""
    exact: float = 0.0
    """That it holds exact tokens of the cue: an id, a version, a file name, an error code."""
    standing: float = 0.0
    """Its relevance without a cue, by its tier's formula; with one, a tenth of it."""


class RankedMemory(BaseModel):
    """One memory that was recalled: what it says, how relevant it is (0 to 1), and where it comes from.

    With a cue the best result's ``relevance`` says how sure it is that anything fits (see `RELEVANT`); the others' are
    shares of it. ``degraded`` says why the ranking is by words only, or is "".
    """

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    relevance: float
    source: Tier
    subject: str = ""
    category: str = ""
    durability: str = "persistent"
    standing: float = 0.0
    """Its relevance without the cue, by its tier's formula; 0 for a turn."""
    overlap: float = 0.0
    """The share of the cue's words found in it."""
    sources: list[Source] = []
    """The turns it rests on."""
    session: str = ""
    turn: int = 0
    said_at: datetime | None = None
    role: str = ""
    speaker: str = ""
    parts: Parts = Parts()
    degraded: str = ""


def explain(found: Sequence[RankedMemory]) -> str:
    """Return why each result stands where it does, one paragraph each; "" for no results.

    >>> print(explain([RankedMemory(id="f1", content="Works at Stripe", relevance=0.8, source="semantic",
    ...     parts=Parts(text=1.0, dense=0.5))]))
    1. 0.80 semantic f1: Works at Stripe
       text 1.00 + dense 0.50
    """
    lines: list[str] = []
    for place, one in enumerate(found, 1):
        content = " ".join(one.content.split())
        lines.append(f"{place}. {one.relevance:.2f} {one.source} {one.id}: {content[:100]}")
        parts = [f"{name} {value:.2f}" for name, value in one.parts.model_dump().items() if value > 0]
        if parts:
            lines.append(f"   {' + '.join(parts)}")
    degraded = next((one.degraded for one in found if one.degraded), "")
    return "\n".join([*lines, *([degraded] if degraded else [])])
