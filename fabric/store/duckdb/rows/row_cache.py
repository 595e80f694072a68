"""What committed transactions left of the rows and documents that were used last: read again without a statement."""

from collections import OrderedDict
from typing import NamedTuple

from .inserting import Search

MOST = 16_000_000
"""How many characters of JSON are kept in memory."""
LONGEST = 100_000
"""The length of a JSON text from which on it is not kept."""


class RowKey(NamedTuple):
    """Where a text stands in the file: the collection ("" for documents) and its key there."""

    table: str
    key: int


class _Entry(NamedTuple):
    """A text, the number of the scope that owns it and, where this process wrote the row, what it is searched by."""

    owner: int
    text: str
    search: Search | None = None

    @property
    def size(self) -> int:
        """How many characters and bytes it takes."""
        searched = () if self.search is None else (self.search.tokens, self.search.vector, self.search.parts)
        return len(self.text) + 1 + sum(map(len, filter(None, searched)))


class RowCache:
    """JSON by place, the least recently used dropped first; "" stands for one that is known not to be there.

    >>> cache = RowCache(most=8)
    >>> cache.keep(RowKey("notes", 1), 7, "[1, 2]")
    >>> cache.keep(RowKey("notes", 2), 7, "[3]")
    >>> cache.get(RowKey("notes", 1)), cache.get(RowKey("notes", 2))
    (None, '[3]')
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._length = 0
        self._texts: OrderedDict[RowKey, _Entry] = OrderedDict()

    def get(self, place: RowKey) -> str | None:
        """Return the JSON, or None when it is not known here."""
        entry = self._texts.get(place)
        if entry is None:
            return None
        self._texts.move_to_end(place)
        return entry.text

    def search(self, place: RowKey) -> Search | None:
        """Return what a row is searched by, or None when it is not known here."""
        entry = self._texts.get(place)
        return None if entry is None else entry.search

    def keep(self, place: RowKey, owner: int, text: str, search: Search | None = None) -> None:
        """Keep what is in the file now."""
        self.forget(place)
        if len(text) > LONGEST:
            return
        self._texts[place] = entry = _Entry(owner, text, search)
        self._length += entry.size
        while self._length > self._most:
            self._length -= self._texts.popitem(last=False)[1].size

    def forget(self, place: RowKey) -> None:
        """Forget one text."""
        entry = self._texts.pop(place, None)
        if entry is not None:
            self._length -= entry.size

    def drop(self, table: str, owner: int) -> None:
        """Forget everything that a scope has in a collection."""
        for place in [place for place, entry in self._texts.items() if (place.table, entry.owner) == (table, owner)]:
            self.forget(place)


class Texts:
    """The same as one transaction sees it: its own changes first. They are kept once it is committed."""

    def __init__(self, cache: RowCache) -> None:
        self._cache = cache
        self._changed: dict[RowKey, _Entry] = {}
        self._cleared: set[tuple[str, int]] = set()

    def get(self, place: RowKey, owner: int) -> str | None:
        """Return the JSON, "" when there is none, or None when the file must be asked."""
        changed = self._changed.get(place)
        if changed is not None:
            return changed.text
        return None if (place.table, owner) in self._cleared else self._cache.get(place)

    def search(self, place: RowKey, owner: int) -> Search | None:
        """Return what a row is searched by, or None when the file must be asked."""
        changed = self._changed.get(place)
        if changed is not None:
            return changed.search
        return None if (place.table, owner) in self._cleared else self._cache.search(place)

    def found(self, place: RowKey, owner: int, text: str) -> None:
        """Take note of what the file says."""
        if (place.table, owner) not in self._cleared:
            self._cache.keep(place, owner, text)

    def change(self, place: RowKey, owner: int, text: str, search: Search | None = None) -> None:
        """Take note of a change; "" for a removal."""
        self._changed[place] = _Entry(owner, text, search)

    def searched_anew(self, place: RowKey, owner: int) -> None:
        """Take note that a row is searched by something else from now on, which is to be read from the file."""
        text = self.get(place, owner)
        if text is not None:
            self.change(place, owner, text)

    def clear(self, table: str, owner: int) -> None:
        """Take note that all that a scope has in a collection is gone: from here on the file is asked."""
        self._cleared.add((table, owner))
        self._changed = {
            place: entry for place, entry in self._changed.items() if (place.table, entry.owner) != (table, owner)
        }

    def committed(self) -> None:
        """Keep for later transactions what this one changed."""
        for table, owner in self._cleared:
            self._cache.drop(table, owner)
        for place, entry in self._changed.items():
            self._cache.keep(place, *entry)
