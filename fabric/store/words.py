"""Which rows hold which words: an index in memory per collection and scope, built from the rows at first use."""

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from ..text import words
from .base import Match

MAX_ROWS = 300_000
"""How many rows all indexes together may hold before the least recently used ones are dropped."""


class WordIndex:
    """The words of one scope's rows in one collection.

    Every version of a row has a slot of its own; a slot that was replaced or removed is dead, and dead slots are
    cleared away once they are the majority.
    """

    def __init__(self, rows: Iterable[tuple[str, int, str]]) -> None:
        self._slots: dict[str, int] = {}  # by row id, those alive
        self._ids: list[str] = []
        self._places = array("q")
        self._lengths = array("l")
        self._holders: dict[str, array[int]] = {}
        for row_id, place, text in rows:
            self._add(row_id, place, set(words(text)))

    def __len__(self) -> int:
        return len(self._slots)

    def put(self, row_id: str, place: int, text: str) -> None:
        """Add the row, or replace its words."""
        self.remove(row_id)
        self._add(row_id, place, set(words(text)))

    def remove(self, row_id: str) -> None:
        """Remove the row, if it is there."""
        slot = self._slots.pop(row_id, None)
        if slot is not None:
            self._lengths[slot] = -1
            if len(self._ids) > 2 * len(self._slots) + 100:
                self._compact()

    def match(self, asked: Sequence[str], limit: int) -> list[Match]:
        """Return the rows with most of the asked words, ties by insertion."""
        import numpy as np  # noqa: PLC0415  too slow to import for those who never search

        held = [np.frombuffer(self._holders[word], np.uint32) for word in set(asked) if word in self._holders]
        if not held:
            return []
        counts = np.bincount(np.concatenate(held), minlength=len(self._ids))
        slots = np.flatnonzero((counts > 0) & (np.frombuffer(self._lengths, np.dtype("l")) >= 0))
        places = np.frombuffer(self._places, np.int64)[slots]
        best = slots[np.lexsort((places, -counts[slots]))[:limit]]
        return [Match(self._ids[slot], int(counts[slot]), self._lengths[slot]) for slot in best.tolist()]

    def _add(self, row_id: str, place: int, held: set[str]) -> None:
        slot = len(self._ids)
        self._slots[row_id] = slot
        self._ids.append(row_id)
        self._places.append(place)
        self._lengths.append(len(held))
        for word in held:
            holders = self._holders.get(word)
            if holders is None:
                self._holders[word] = holders = array("I")
            holders.append(slot)

    def _compact(self) -> None:
        alive = sorted(self._slots.values())
        new = {old: slot for slot, old in enumerate(alive)}
        self._ids = [self._ids[old] for old in alive]
        self._slots = {row_id: slot for slot, row_id in enumerate(self._ids)}
        self._places = array("q", [self._places[old] for old in alive])
        self._lengths = array("l", [self._lengths[old] for old in alive])
        kept = ((word, [new[old] for old in slots if old in new]) for word, slots in self._holders.items())
        self._holders = {word: array("I", slots) for word, slots in kept if slots}


class WordIndexes:
    """The indexes in use, by collection and scope number, least recently used first."""

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows
        self._indexes: OrderedDict[tuple[str, int], WordIndex] = OrderedDict()

    def get(self, table: str, scope: int) -> WordIndex | None:
        """Return the index if it is in memory."""
        index = self._indexes.get((table, scope))
        if index is not None:
            self._indexes.move_to_end((table, scope))
        return index

    def add(self, table: str, scope: int, index: WordIndex) -> None:
        """Keep a newly built index and drop the least recently used ones over the bound."""
        self._indexes[table, scope] = index
        rows = sum(map(len, self._indexes.values()))
        while rows > self._max_rows and len(self._indexes) > 1:
            rows -= len(self._indexes.popitem(last=False)[1])

    def drop(self, table: str, scope: int) -> None:
        """Forget one index; the next look-up builds it again."""
        self._indexes.pop((table, scope), None)
