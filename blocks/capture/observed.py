"""What passes between the steps of a capture: the exchange, what was observed in it, and what became of that."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from capabilities.sources import Outcome
from capabilities.turns import Exchange, Turn, turns_behind
from capabilities.vocabulary import MAX_OBSERVATIONS, Observation
from fabric.models.answers.schema import Answer


class Observations(Answer):
    """What an observer returns for one turn."""

    observations: list[Observation] = Field(default_factory=list[Observation], max_length=MAX_OBSERVATIONS)


class Observed(BaseModel):
    """An exchange and what was observed in it. ``shown`` are the ids of the known entries the observer was shown."""

    model_config = ConfigDict(frozen=True)

    exchange: Exchange
    observations: list[Observation] = []
    shown: list[str] = []
    notes: list[str] = []
    """What should be known about the observing: refused observations, a message cut before it was read."""


class CaptureResult(BaseModel):
    """What one capture did: an outcome for everything observed, never an empty success."""

    model_config = ConfigDict(frozen=True)

    outcomes: list[Outcome] = []
    notes: list[str] = []
    episodic_writes: int = 0
    evicted_lasting: int = 0
    """Entries meant to last that left working memory, by capacity or because they were replaced."""
    drawn_from: list[str] = []
    """The ids of known entries that the observer read, where an outcome or a note tells of what has no id."""
    consolidation_due: bool = False
    prune_due: bool = False

    @classmethod
    def skipped(cls, reason: str) -> "CaptureResult":
        """Return the result of a capture that had nothing to do."""
        return cls(outcomes=[Outcome(status="skipped", tier="turn", reason=reason)])


def without_forgotten(observed: Observed, kept: Mapping[str, Turn]) -> Observed:
    """Return what was observed without what rests on messages that were forgotten meanwhile."""
    said = observed.exchange.said
    gone = {turn.id for turn in said} - kept.keys()
    if not gone:
        return observed
    missed = [turn for turn in observed.exchange.missed if turn.id not in gone]
    left = [
        observation
        for observation in observed.observations
        if gone.isdisjoint(turn.id for turn in turns_behind(observation.content, said))
    ]
    exchange = observed.exchange.model_copy(update={"missed": missed})
    return observed.model_copy(update={"exchange": exchange, "observations": left})
