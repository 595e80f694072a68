"""What the cognitive memory returns."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ..formulas.priority import Signals
from ..traces.record import EdgeType, Trace


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True)


class Encoding(_Result):
    """What became of a text: the trace that holds it, and whether it is new; ``weakened`` are older ones like it.

    ``contradicts`` are the ids of traces that it says otherwise than.
    """

    trace: Trace
    is_new: bool = True
    weakened: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()


class Retrieved(_Result):
    """A trace that came to mind: its score, 0 to 1, the six signals it is made of, and the strength that is left."""

    trace: Trace
    score: float
    signals: Signals
    strength: float
    is_outdated: bool = False
    """Whether a newer trace says otherwise."""


class PartlyRetrieved(_Result):
    """A trace on the tip of the tongue: its begin, how sure it is, and cues that may bring it back."""

    id: str
    begin: str
    confidence: float
    cues: tuple[str, ...] = ()


class FeltKnown(_Result):
    """A trace that was not retrieved and yet is felt to be known: how strongly, and what of it comes to mind."""

    id: str
    feeling: float
    kind: Literal["high_confidence", "tip_of_tongue"]
    entities: tuple[str, ...] = ()
    mood: str = ""
    """The name of the mood in which it was encoded."""
    said_at: datetime | None = None


class Associated(_Result):
    """A trace that activation reached: how much, and over how many ties."""

    trace: Trace
    activation: float
    hops: int


class Retrieval(_Result):
    """What a cue brought to mind, best first. Nothing was changed by it: see `CognitiveMemory.use`."""

    cue: str
    results: list[Retrieved] = []
    partial: list[PartlyRetrieved] = []
    felt: list[FeltKnown] = []
    associated: list[Associated] = []
    rivals: tuple[str, ...] = ()
    """The ids of traces that the cue brought up, too, and that had no room; only where retrieving them not counts."""
    degraded: str = ""
    """Why nothing was found by its meaning, or not by that of a hypothetical answer; "" where that worked."""

    @property
    def ids(self) -> list[str]:
        """The ids of the results."""
        return [result.trace.id for result in self.results]


class Tie(_Result):
    """An edge of the graph, seen from one of its traces."""

    other: str
    type: EdgeType
    weight: float


class Swept(_Result):
    """What a sweep did: how many traces it looked at, which faded, and how many were erased for good."""

    looked_at: int = 0
    faded: tuple[str, ...] = ()
    erased: int = 0
