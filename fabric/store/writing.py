"""How rows are written: into the file, into the index in memory, and into what is kept of them."""
# ruff: noqa: S608  identifiers are checked, values are parameters

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from .base import Row, RowVectors
from .catalog import MANY_KEYS, Known
from .columns import to_json
from .inserting import New, Search, insert, row_key
from .kept import Place, Texts
from .searching import Searching, entry_of, half, tokens_of
from .sql import Sql, chunks, marks

if TYPE_CHECKING:
    from .index import TextIndex

CHUNK = 1000
"""How many rows one statement handles at most."""


class Writing:
    """The writes of one transaction; what they change in memory is noted, so that a rollback can forget it."""

    def __init__(self, sql: Sql, searching: Searching, texts: Texts) -> None:
        self._sql = sql
        self._searching = searching
        self._texts = texts
        self.touched: set[tuple[str, int]] = set()

    def put(self, known: Known, owner: int, rows: dict[str, Row], vectors: RowVectors | None) -> None:
        """Insert rows, at most `CHUNK`, or replace those of the same id in their place."""
        keys = {row_key(owner, row_id): row for row_id, row in rows.items()}
        self._learn_keys(known, owner)
        held = self._remove(known, self.there(known, owner, {key: row["id"] for key, row in keys.items()}))
        given = dict(vectors.by_id) if vectors is not None else {}
        space = self._searching.space(vectors.space, make=True) if vectors is not None and given else None
        new: list[New] = []
        for key, row in keys.items():
            old = held.get(key)
            place = known.next_place if old is None else old.place
            known.next_place = max(known.next_place, place + 1)
            tokens = tokens_of(known, row)
            kept = old if old is not None and old.tokens == tokens else Search()
            own = given.get(row["id"])
            search = Search(place, tokens, kept.space, kept.vector)
            if own is not None:
                search = Search(place, tokens, space, half(own).tobytes())
            new.append(New(key, owner, search, row, to_json(row, f"row {row['id']!r} of {known.name!r}")))
        insert(self._sql, known, new)
        for one in new:
            self._texts.change(Place(known.name, one.key), owner, one.text)
        self._reindex(known, owner, new, held)

    def delete(self, known: Known, owner: int, ids: Sequence[str]) -> int:
        """Delete the rows with these ids; return how many there were."""
        keys = {row_key(owner, wanted): wanted for wanted in ids}
        gone = self._remove(known, self.there(known, owner, keys))
        for key in keys:
            self._texts.change(Place(known.name, key), owner, "")
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
        return self._sql.run(f"DELETE FROM {known.sql} WHERE _scope = ?", [owner])

    def fill(self, known: Known) -> None:
        """Fill the columns that a wider definition added, from the rows themselves."""
        query = f"SELECT _key, _scope, _seq, _row FROM {known.sql} WHERE _seq > ? ORDER BY _seq LIMIT {CHUNK * 10}"
        last = -1
        while found := self._sql.rows(query, [last]):
            old = self._remove(known, [key for key, *_ in found])
            new = [New(key, owner, old[key], json.loads(row), row) for key, owner, _, row in found]
            insert(self._sql, known, new)
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
        found = self._sql.rows(f"SELECT _key FROM {known.sql} WHERE _scope = ? LIMIT {MANY_KEYS + 1}", [owner])
        known.learn_keys(owner, [key for (key,) in found])

    def _reindex(self, known: Known, owner: int, new: list[New], held: dict[int, Search]) -> None:
        index = self._changed(known, owner, held, [one.key for one in new])
        if index is None:
            return
        for one in new:
            old = held.get(one.key)
            index.put(entry_of(known, one.row, one.search.place, one.search.tokens or ""), old.tokens if old else None)
            index.note_vector(one.row["id"], one.search.space, one.search.vector)

    def _remove(self, known: Known, keys: Sequence[int]) -> dict[int, Search]:
        """Delete rows and return by key their places and what they are searched by.

        A changed row is deleted and inserted, because updates in place make checkpoints slow.
        """
        found: dict[int, Search] = {}
        for some in chunks(keys, CHUNK):
            query = (
                f"DELETE FROM {known.sql} WHERE _key IN ({marks(some)}) RETURNING _key, _seq, _terms, _space, _vector"
            )
            found |= {key: Search(*rest) for key, *rest in self._sql.rows(query, some)}
        return found

    def _changed(self, known: Known, owner: int, gone: Collection[int], new: Collection[int]) -> "TextIndex | None":
        """Note which rows the scope lost and got, and return its index if there is one to keep true."""
        known.changed(owner, gone, new)
        self.touched.add((known.name, owner))
        return self._searching.known(known, owner)
