"""How rows are written: into the file, into the index in memory, and into what is kept of them."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fabric.slices import chunks
from fabric.store.base import Row, RowVectors

from ..catalog import MANY_KEYS, Known
from ..columns import to_json
from ..sql import Sql, among
from .inserting import SEARCHED, Cells, New, Search, cells_of, insert, row_key
from .row_cache import Place, Texts
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


def prepare(known: Known, rows: Sequence[Row], vectors: RowVectors | None) -> Prepared:
    """Make of rows, at most `CHUNK`, all that is written of them; StoreError when one of them cannot be stored.

    This comes before anything is removed: a program may catch the error and go on in the same transaction.
    """
    texts = [to_json(row, f"row {row['id']!r} of {known.name!r}") for row in rows]
    tokens = [tokens_of(known, row) for row in rows]
    cells = cells_of(known, rows, texts)
    given = vectors.by_id if vectors is not None else {}
    own = {row["id"]: stored(given[row["id"]]) for row in rows if row["id"] in given}
    return Prepared(rows, texts, tokens, cells, vectors.space if vectors is not None else "", own)


class Writing:
    """The writes of one transaction; what they change in memory is noted, so that a rollback can forget it."""

    def __init__(self, sql: Sql, searching: Searching, texts: Texts) -> None:
        self._sql = sql
        self._searching = searching
        self._texts = texts
        self.touched: set[tuple[str, int]] = set()

    def put(self, known: Known, owner: int, given: Prepared) -> int:
        """Insert rows, or replace those of the same id in their place; return how many are new."""
        keys = {row_key(owner, row["id"]): row["id"] for row in given.rows}
        self._learn_keys(known, owner)
        held = self._taken_out(known, owner, self.there(known, owner, keys))
        space = self._searching.space(given.space, make=True) if given.vectors else None
        new: list[New] = []
        changed: list[int] = []
        for (key, row_id), tokens in zip(keys.items(), given.tokens, strict=True):
            old = held.get(key)
            place = known.next_place if old is None else old.place
            known.next_place = max(known.next_place, place + 1)
            if old is not None and old.tokens != tokens:
                changed.append(place)
            kept = old if old is not None and old.tokens == tokens else Search()
            own = given.vectors.get(row_id)
            vector = (kept.space, kept.vector, kept.parts) if own is None else (space, *own)
            new.append(New(key, owner, Search(place, tokens, *vector)))
        insert(self._sql, known, new, given.cells)
        for one, text in zip(new, given.texts, strict=True):
            self._texts.change(Place(known.name, one.key), owner, text, one.search)
        self._reindex(known, owner, new, given.rows, held)
        self._drop_runs(known, owner, changed)
        return len(new) - len(held)

    def delete(self, known: Known, owner: int, ids: Sequence[str]) -> int:
        """Delete the rows with these ids; return how many there were."""
        keys = {row_key(owner, wanted): wanted for wanted in ids}
        gone = self._taken_out(known, owner, self.there(known, owner, keys))
        for key in keys:
            self._texts.change(Place(known.name, key), owner, "")
        self._drop_runs(known, owner, [old.place for old in gone.values()])
        index = self._changed(known, owner, gone, ())
        if index is not None:
            for key, old in gone.items():
                index.remove(keys[key], old.tokens or "")
        return len(gone)

    def clear(self, known: Known, owner: int) -> int:
        """Delete all rows of a scope; return how many there were."""
        self.touched.add((known.name, owner))
        self._searching.drop(known, owner)
        self._texts.clear(known.name, owner)
        known.sizes.pop(owner, None)
        known.keys.pop(owner, None)
        if known.text:
            self._searching.runs.clear(known, owner)
        return self._sql.run(f"DELETE FROM {known.sql} WHERE _scope = ?", [owner])

    def fill(self, known: Known) -> None:
        """Fill the columns that a wider definition added, from the rows themselves."""
        query = f"SELECT _key, _scope, _seq, _row FROM {known.sql} WHERE _seq > ? ORDER BY _seq LIMIT {CHUNK * 10}"
        last = -1
        while found := self._sql.rows(query, [last]):
            old = self._remove(known, [key for key, *_ in found])
            new = [New(key, owner, old[key]) for key, owner, _, _ in found]
            texts = [row for *_, row in found]
            insert(self._sql, known, new, cells_of(known, [json.loads(text) for text in texts], texts))
            last = found[-1][2]

    def there(self, known: Known, owner: int, ids: Mapping[int, str]) -> list[int]:
        """Return those of the keys that may be in the file: where it is known in memory, without asking."""
        index = self._searching.known(known, owner)
        if index is not None:
            return [key for key, row_id in ids.items() if row_id in index]
        keys = known.keys.get(owner)
        return list(ids) if keys is None else [key for key in ids if key in keys]

    def _learn_keys(self, known: Known, owner: int) -> None:
        """Know from now on which rows a scope of few has: a new one is then inserted without a look for an old one."""
        if owner in known.keys or self._searching.known(known, owner) is not None:
            return
        query = f"SELECT _key FROM {known.sql} WHERE _scope = ? LIMIT {MANY_KEYS + 1}"
        found = [] if known.is_empty(owner) else self._sql.rows(query, [owner])
        known.learn_keys(owner, [key for (key,) in found])

    def _reindex(
        self, known: Known, owner: int, new: Sequence[New], rows: Sequence[Row], held: Mapping[int, Search]
    ) -> None:
        index = self._changed(known, owner, held, [one.key for one in new])
        if index is None:
            return
        for one, row in zip(new, rows, strict=True):
            old = held.get(one.key)
            index.put(entry_of(known, row, one.search.place, one.search.tokens or ""), old.tokens if old else None)
        index.note_vectors({row["id"]: one.search[2:] for one, row in zip(new, rows, strict=True)})

    def _taken_out(self, known: Known, owner: int, keys: Sequence[int]) -> dict[int, Search]:
        """Do what `_remove` does; of rows that were written lately, memory tells what the file would."""
        told = {key: self._texts.search(Place(known.name, key), owner) for key in keys}
        held = {key: search for key, search in told.items() if search is not None}
        if len(held) < len(told):
            return self._remove(known, keys)
        for some in chunks(held, CHUNK):
            keyed, values = among(some)
            self._sql.run(f"DELETE FROM {known.sql} WHERE _key IN {keyed}", values)
        return held

    def _remove(self, known: Known, keys: Sequence[int]) -> dict[int, Search]:
        """Delete rows and return by key their places and what they are searched by.

        A changed row is deleted and inserted, because updates in place make checkpoints slow.
        """
        found: dict[int, Search] = {}
        told = ", ".join(["_key", "_seq", *(SEARCHED if known.text else ())])
        for some in chunks(keys, CHUNK):
            keyed, values = among(some)
            query = f"DELETE FROM {known.sql} WHERE _key IN {keyed} RETURNING {told}"
            found |= {key: Search(*rest) for key, *rest in self._sql.rows(query, values)}
        return found

    def _drop_runs(self, known: Known, owner: int, places: Collection[int]) -> None:
        if known.text and places:
            self._searching.runs.drop(known, owner, places)

    def _changed(self, known: Known, owner: int, gone: Collection[int], new: Collection[int]) -> "TextIndex | None":
        """Note which rows the scope lost and got, and return its index if there is one to keep true."""
        known.changed(owner, gone, new)
        self.touched.add((known.name, owner))
        return self._searching.known(known, owner)
