"""Room: how many jobs run side by side, and one that may have ended a process alone."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

ALONE_SECONDS = 30.0
"""How long others wait at most for a job that runs alone."""


class Room:
    """Places for jobs; others wait ``patience`` seconds at most for one that runs alone.

    It belongs to the loop of background work, apart from ``free``.
    """

    def __init__(self, places: int, *, patience: float = ALONE_SECONDS) -> None:
        self._patience = patience
        self._places = asyncio.Semaphore(places)
        self._all = places
        self._door = asyncio.Lock()
        self.free = places
        """How many places nobody has or waits for; negative where some wait."""

    @asynccontextmanager
    async def place(self, *, alone: bool) -> AsyncGenerator[None]:
        """Have a place while the block runs; ``alone`` all of them, as long as others wait."""
        places = _Places(self, self._all if alone else 1)
        try:
            if alone:
                async with self._door:  # two that want all of them would wait for each other
                    await places.acquire()
            else:
                await places.acquire()
            later = asyncio.get_running_loop().call_later(self._patience, places.give_back, 1)
            try:
                yield
            finally:
                later.cancel()
        finally:
            places.give_back(0)

    async def acquire(self) -> None:
        """Wait for one place."""
        await self._places.acquire()

    def release(self) -> None:
        """Give one place back."""
        self._places.release()


class _Places:
    def __init__(self, room: Room, wanted: int) -> None:
        self._room, self._wanted, self._taken = room, wanted, 0
        room.free -= wanted

    async def acquire(self) -> None:
        while self._taken < self._wanted:
            await self._room.acquire()
            self._taken += 1

    def give_back(self, keep: int) -> None:
        """Give back all places but so many."""
        while self._taken > keep:
            self._taken -= 1
            self._room.release()
        self._room.free += max(0, self._wanted - keep)
        self._wanted = min(self._wanted, keep)
