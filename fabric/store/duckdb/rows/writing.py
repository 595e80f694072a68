"""How rows are written: into the file, into the index in memory, and into the row cache."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.slices import chunks
from fabric.store.base import Row, RowVectors

from ..catalog import MANY_KEYS, StoredCollection
from ..columns import to_json
from ..sql import Sql, among
from .inserting import SEARCHED, Cells, New, Search, cells_of, insert, row_key
from .row_cache import RowKey, Texts
from .searching import Searching, entry_of, stored, tokens_of

if TYPE_CHECKING:
    from fabric.search.index import TextIndex

CHUNK = 1000
"""How many rows one statement handles at most."""


class Prepared(NamedTuple):
    """Rows that can be written as they are: nothing in them is refused any more."""

    rows: Sequence[Row]
    texts: list[str]
    tokens: list[str | None]
    cells: Cells
    space: str
    vectors: dict[str, tuple[bytes, bytes]]


def prepare(collection: StoredCollection, rows: Sequence[Row], vectors: RowVectors | None) -> Prepared:
    """Make of rows, at most `CHUNK`, all that is written of them; StoreError when one of them cannot be stored.

    This comes before anything is removed: a program may catch the error and go on in the same transaction.
    """
    texts = [to_json(row, f"row {row['id']!r} of {collection.name!r}") for row in rows]
    tokens = [tokens_of(collection, row) for row in rows]
    cells = cells_of(collection, rows, texts)
    by_id: Mapping[str, Any] = vectors.by_id if vectors is not None else {}
    packed = {row["id"]: stored(by_id[row["id"]]) for row in rows if row["id"] in by_id}
    return Prepared(rows, texts, tokens, cells, vectors.space if vectors is not None else "", packed)


class Writing:
    """The writes of one transaction; what they change in memory is noted, so that a rollback can forget it."""

    def __init__(self, sql: Sql, searching: Searching, texts: Texts) -> None:
        self._sql = sql
        self._searching = searching
        self._texts = texts
        self.touched: set[tuple[str, int]] = set()

    def put(self, collection: StoredCollection, owner: int, prepared: Prepared, *, new: bool = False) -> int:
        """Insert rows, or replace those of the same id in their place; return how many are new.

        ``new`` says that all of them are.
        """
        keys = {row_key(owner, row["id"]): row["id"] for row in prepared.rows}
        self._learn_keys(collection, owner)
        replaced = {} if new else self._taken_out(collection, owner, self.there(collection, owner, keys))
        space = self._searching.space(prepared.space, make=True) if prepared.vectors else None
        inserted: list[New] = []
        changed: list[int] = []
        for (key, row_id), tokens in zip(keys.items(), prepared.tokens, strict=True):
            old = replaced.get(key)
            place = collection.next_place if old is None else old.place
            collection.next_place = max(collection.next_place, place + 1)
            if old is not None and old.tokens != tokens:
                changed.append(place)
            search = old if old is not None and old.tokens == tokens else Search()
            own = prepared.vectors.get(row_id)
            vector = (search.space, search.vector, search.parts) if own is None else (space, *own)
            inserted.append(New(key, owner, Search(place, tokens, *vector)))
        insert(self._sql, collection, inserted, prepared.cells)
        for row, text in zip(inserted, prepared.texts, strict=True):
            self._texts.change(RowKey(collection.name, row.key), owner, text, row.search)
        self._reindex(collection, owner, inserted, prepared.rows, replaced)
        self._drop_runs(collection, owner, changed)
        return len(inserted) - len(replaced)

    def delete(self, collection: StoredCollection, owner: int, ids: Sequence[str]) -> int:
        """Delete the rows with these ids; return how many there were."""
        keys = {row_key(owner, wanted): wanted for wanted in ids}
        gone = self._taken_out(collection, owner, self.there(collection, owner, keys))
        for key in keys:
            self._texts.change(RowKey(collection.name, key), owner, "")
        self._drop_runs(collection, owner, [old.place for old in gone.values()])
        index = self._changed(collection, owner, gone, ())
        if index is not None:
            for key, old in gone.items():
                index.remove(keys[key], old.tokens or "")
        return len(gone)

    def clear(self, collection: StoredCollection, owner: int) -> int:
        """Delete all rows of a scope; return how many there were."""
        self.touched.add((collection.name, owner))
        self._searching.drop(collection, owner)
        self._texts.clear(collection.name, owner)
        if collection.is_empty(owner):
            return 0
        collection.sizes.pop(owner, None)
        collection.keys.pop(owner, None)
        if collection.text:
            self._searching.runs.clear(collection, owner)
        return self._sql.run(f"DELETE FROM {collection.sql} WHERE _scope = ?", [owner])

    def fill(self, collection: StoredCollection) -> None:
        """Fill the columns that a wider definition added, from the rows themselves."""
        query = f"SELECT _key, _scope, _seq, _row FROM {collection.sql} WHERE _seq > ? ORDER BY _seq LIMIT {CHUNK * 10}"
        last = -1
        while page := self._sql.rows(query, [last]):
            old = self._remove(collection, [key for key, *_ in page])
            new = [New(key, owner, old[key]) for key, owner, _, _ in page]
            texts = [row for *_, row in page]
            insert(self._sql, collection, new, cells_of(collection, [json.loads(text) for text in texts], texts))
            last = page[-1][2]

    def there(self, collection: StoredCollection, owner: int, ids: Mapping[int, str]) -> list[int]:
        """Return those of the keys that may be in the file: where it is known in memory, without asking."""
        index = self._searching.cached_index(collection, owner)
        if index is not None:
            return [key for key, row_id in ids.items() if row_id in index]
        keys = collection.keys.get(owner)
        return list(ids) if keys is None else [key for key in ids if key in keys]

    def _learn_keys(self, collection: StoredCollection, owner: int) -> None:
        """Know from now on which rows a scope of few has: a new one is then inserted without a look for an old one."""
        if owner in collection.keys or self._searching.cached_index(collection, owner) is not None:
            return
        query = f"SELECT _key FROM {collection.sql} WHERE _scope = ? LIMIT {MANY_KEYS + 1}"
        keys = [] if collection.is_empty(owner) else self._sql.rows(query, [owner])
        collection.learn_keys(owner, [key for (key,) in keys])

    def _reindex(
        self,
        collection: StoredCollection,
        owner: int,
        new: Sequence[New],
        rows: Sequence[Row],
        replaced: Mapping[int, Search],
    ) -> None:
        index = self._changed(collection, owner, replaced, [inserted.key for inserted in new])
        if index is None:
            return
        for inserted, row in zip(new, rows, strict=True):
            old, search = replaced.get(inserted.key), inserted.search
            index.put(entry_of(collection, row, search.place, search.tokens or ""), old.tokens if old else None)
        index.note_vectors({row["id"]: inserted.search[2:] for inserted, row in zip(new, rows, strict=True)})

    def _taken_out(self, collection: StoredCollection, owner: int, keys: Sequence[int]) -> dict[int, Search]:
        """Do what `_remove` does; of rows that were written lately, memory tells what the file would."""
        searches = {key: self._texts.search(RowKey(collection.name, key), owner) for key in keys}
        removed = {key: search for key, search in searches.items() if search is not None}
        if len(removed) < len(searches):
            return self._remove(collection, keys)
        for some in chunks(removed, CHUNK):
            keyed, values = among(some)
            self._sql.run(f"DELETE FROM {collection.sql} WHERE _key IN {keyed}", values)
        return removed

    def _remove(self, collection: StoredCollection, keys: Sequence[int]) -> dict[int, Search]:
        """Delete rows and return by key their places and what they are searched by.

        A changed row is deleted and inserted, because updates in place make checkpoints slow.
        """
        removed: dict[int, Search] = {}
        columns = ", ".join(["_key", "_seq", *(SEARCHED if collection.text else ())])
        for some in chunks(keys, CHUNK):
            keyed, values = among(some)
            query = f"DELETE FROM {collection.sql} WHERE _key IN {keyed} RETURNING {columns}"
            removed |= {key: Search(*rest) for key, *rest in self._sql.rows(query, values)}
        return removed

    def _drop_runs(self, collection: StoredCollection, owner: int, places: Collection[int]) -> None:
        if collection.text and places:
            self._searching.runs.drop(collection, owner, places)

    def _changed(
        self, collection: StoredCollection, owner: int, gone: Collection[int], new: Collection[int]
    ) -> "TextIndex | None":
        """Note which rows the scope lost and got, and return its index if there is one to keep true."""
        collection.changed(owner, gone, new)
        self.touched.add((collection.name, owner))
        return self._searching.cached_index(collection, owner)
