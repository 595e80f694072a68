"""Which rows hold which words: an index in memory per collection and scope, built from the rows at first use."""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import NamedTuple

from ..text import words
from .base import Match

MAX_ROWS = 300_000
"""How many rows all indexes together may hold before the least recently used ones are dropped."""


class Entry(NamedTuple):
    """One row as the index knows it: its place in insertion order and its distinct words."""

    place: int
    words: frozenset[str]


class WordIndex:
    """The words of one scope's rows in one collection."""

    def __init__(self, rows: Iterable[tuple[str, int, str]]) -> None:
        self._entries: dict[str, Entry] = {}
        self._ids: dict[int, str] = {}
        self._holders: dict[str, set[int]] = {}
        for row_id, place, text in rows:
            self.put(row_id, place, text)

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, row_id: str, place: int, text: str) -> None:
        """Add the row, or replace its words."""
        entry = Entry(place, frozenset(words(text)))
        if self._entries.get(row_id) == entry:
            return
        self.remove(row_id)
        self._entries[row_id] = entry
        self._ids[place] = row_id
        for word in entry.words:
            self._holders.setdefault(word, set()).add(place)

    def remove(self, row_id: str) -> None:
        """Remove the row, if it is there."""
        entry = self._entries.pop(row_id, None)
        if entry is None:
            return
        del self._ids[entry.place]
        for word in entry.words:
            holders = self._holders[word]
            holders.discard(entry.place)
            if not holders:
                del self._holders[word]

    def match(self, asked: Sequence[str], limit: int) -> list[Match]:
        """Return the rows with most of the asked words, ties by insertion."""
        shared: Counter[int] = Counter()
        for word in set(asked):
            shared.update(self._holders.get(word, ()))
        best = nsmallest(limit, shared.items(), key=lambda found: (-found[1], found[0]))
        return [self._match(place, count) for place, count in best]

    def _match(self, place: int, shared: int) -> Match:
        row_id = self._ids[place]
        return Match(row_id, shared, len(self._entries[row_id].words))


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
        """Forget one index; the next look-up rebuilds it."""
        self._indexes.pop((table, scope), None)

    def drop_scope(self, scope: int) -> None:
        """Forget every index of the scope."""
        for table, owner in list(self._indexes):
            if owner == scope:
                self.drop(table, owner)
