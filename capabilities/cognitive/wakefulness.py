"""How long ago a trace was used: in time that passed, or in time that its memory was awake."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from fabric.flow.resource import Document, Transaction

from ..formulas.retention import Retention, current_strength
from ..traces.record import Trace
from ..traces.tables import Owner, by_owner
from .config import CognitiveConfig

LONGEST_NAP = 3_600.0
"""How many seconds without any use still count as being awake; of a longer pause only so many do."""


class Wakefulness(BaseModel):
    """How many seconds the memory of one owner has been awake, when it was in use last, and when it was swept."""

    model_config = ConfigDict(frozen=True)

    awake: float = 0.0
    seen: datetime | None = None
    swept: datetime | None = None
    days: float = 0.0
    """How many days it has been swept: of a longer pause only one counts."""
    consolidated: datetime | None = None
    """When it was consolidated last."""
    doubted: datetime | None = None
    """Up to which trace, by when it was made, sources were doubted: there it goes on."""

    def at(self, now: datetime) -> "Wakefulness":
        """Return it as it is now, in use; a clock that went back adds nothing.

        >>> from datetime import UTC, timedelta
        >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
        >>> Wakefulness(seen=noon).at(noon + timedelta(days=2)).awake
        3600.0
        """
        gap = 0.0 if self.seen is None else (now - self.seen).total_seconds()
        return self.model_copy(update={"awake": self.awake + min(max(0.0, gap), LONGEST_NAP), "seen": now})

    def swept_at(self, now: datetime) -> "Wakefulness":
        """Return it as it is once it was swept; a clock that jumps adds a day at most.

        >>> from datetime import UTC, timedelta
        >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
        >>> Wakefulness(swept=noon).swept_at(noon + timedelta(days=400)).days
        1.0
        """
        gap = 0.0 if self.swept is None else (now - self.swept).total_seconds() / 86_400
        return self.model_copy(update={"days": self.days + min(max(0.0, gap), 1.0), "swept": now})


def _clock(owner: Owner, name: str) -> Document[Wakefulness]:
    return Document(f"trace_clock_{name}", Wakefulness, owner, required=False)


CLOCKS = by_owner(_clock)


@dataclass(frozen=True, slots=True)
class Elapsed:
    """The present time of one owner's traces, by the clock or in seconds awake: what their decay is computed with."""

    now: datetime
    awake: float
    counts_awake: bool

    def since_use(self, trace: Trace) -> float:
        """Return the milliseconds since a trace was used last, or made; never below 0."""
        if self.counts_awake:
            return max(0.0, self.awake - trace.last_awake) * 1000
        return max(0.0, (self.now - (trace.last_accessed or trace.created_at)).total_seconds()) * 1000

    def strength(self, trace: Trace) -> float:
        """Return a trace's strength after decay since its last use, 0 to 1."""
        return current_strength(trace.strength, self.since_use(trace), trace.stability * 1000)


def elapsed(tx: Transaction, owner: Owner, config: CognitiveConfig, now: datetime) -> Elapsed:
    """Return the present time of one owner's traces, as the profile counts it; nothing is written."""
    if config.profile.time == "wall":
        return Elapsed(now, 0.0, counts_awake=False)
    return Elapsed(now, tx.read(CLOCKS[owner]).at(now).awake, counts_awake=True)


def awaken(tx: Transaction, owner: Owner, config: CognitiveConfig, now: datetime) -> Elapsed:
    """Return the present of one owner, whose memory is in use: that is noted where waking time counts."""
    if config.profile.time == "awake":
        tx.write(CLOCKS[owner], tx.read(CLOCKS[owner]).at(now))
    return elapsed(tx, owner, config, now)


def retention_of(trace: Trace) -> Retention:
    """Return a trace's strength, stability, uses and interval as the formulas take them: times in milliseconds."""
    return Retention(trace.strength, trace.stability * 1000, trace.retrieval_count, trace.interval * 1000)
