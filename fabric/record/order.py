"""Order: what was said after what in a file, whatever the machine's clock says in between."""

import threading
from collections.abc import Iterable
from datetime import datetime, timedelta

from ..clock import Clock

SLACK = timedelta(seconds=1)
"""A clock that falls behind by less was read a moment before another thread read it, and is right."""
STEP = timedelta(microseconds=1)


class Order:
    """The order of what is said while a file is open, after all that was said before; any thread may use it.

    Times are those of the clock as long as it goes forward. Where it was set back, what is said next bears its time,
    and counts as said right after what came before it. What was said elsewhere, and is imported or replayed with a
    clock that is set to then (``is_set``), has its own time and no part in this.

    >>> from datetime import UTC
    >>> from fabric.testing import FrozenClock
    >>> noon, order = datetime(2026, 5, 1, 12, tzinfo=UTC), Order()
    >>> print(order.counts_as(noon, FrozenClock()))
    None
    >>> print(order.counts_as(noon.replace(hour=9), FrozenClock()))
    2026-05-01 12:00:00.000001+00:00
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: datetime | None = None
        self._is_behind = False

    def learn(self, moments: Iterable[datetime]) -> None:
        """Take note of moments that came before all that is said from now on."""
        with self._lock:
            self._newest = max([*moments, *([self._newest] if self._newest else [])], default=None)

    def counts_as(self, at: datetime, clock: Clock) -> datetime | None:
        """Return when something counts as said that is said now, at this time of the clock; None for that very time."""
        if getattr(clock, "is_set", False):
            return None
        with self._lock:
            newest = self._newest or at
            self._is_behind = at < newest - (timedelta() if self._is_behind else SLACK)
            self._newest = newest + STEP if self._is_behind else max(at, newest)
            return self._newest if self._is_behind else None
