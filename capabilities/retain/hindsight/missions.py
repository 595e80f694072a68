"""Which banks were given their mission by this process: each once, as many as are remembered."""

from collections.abc import Hashable

MOST_REMEMBERED = 10_000


class Missions:
    """A set of what was done that forgets the older half of itself when it is full.

    >>> missions = Missions(most=2)
    >>> [missions.is_new(name) for name in ("a", "a", "b", "c", "a")]
    [True, False, True, True, True]
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._done: dict[Hashable, None] = {}

    def __len__(self) -> int:
        return len(self._done)

    def is_new(self, key: Hashable) -> bool:
        """Return whether this is asked for the first time, and remember it."""
        if key in self._done:
            return False
        if len(self._done) >= self._most:
            for old in list(self._done)[: (self._most + 1) // 2]:
                del self._done[old]
        self._done[key] = None
        return True
