"""Time, ids and chance as one value handed in, so that every test can decide all three."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from .lazy import lazy

if TYPE_CHECKING:
    import random
else:
    random = lazy("random")


class Clock(Protocol):
    """Where a block gets the time, a new id and a random number from."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        ...

    def new_id(self, prefix: str) -> str:
        """Return a new unique id, ``<prefix>_<...>``, later ids sorting after earlier ones."""
        ...

    def chance(self) -> float:
        """Return a random number in [0, 1)."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)

    def new_id(self, prefix: str) -> str:
        """Return ``<prefix>_<12 hex digits of time><8 random hex digits>``."""
        milliseconds = int(self.now().timestamp() * 1000)
        return f"{prefix}_{milliseconds:012x}{uuid.uuid4().hex[:12]}"

    def chance(self) -> float:
        """Return a random number in [0, 1)."""
        return random.random()  # chance, not secrecy


def not_before(last: datetime | None, now: datetime, clock: Clock) -> datetime:
    """Return ``now``, as the clock told it, or a microsecond after ``last`` where the clock was set back behind it.

    What was said after something bears a later time, whatever the machine's clock says. A clock that is set to when
    things were said, as a replay's is (``is_set``), is taken at its word.
    """
    if last is None or now >= last or getattr(clock, "is_set", False):
        return now
    return last + timedelta(microseconds=1)


def utc(moment: datetime) -> datetime:
    """Return ``moment`` in UTC; a naive time is taken as UTC.

    >>> utc(datetime(2026, 1, 2, 3, 4)).isoformat()
    '2026-01-02T03:04:00+00:00'
    """
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)
