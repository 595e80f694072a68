"""Documents of one transaction: read from memory where they are kept, and written together at its end."""

import json
from collections.abc import Sequence
from typing import Any

from fabric.store.base import Row

from ..columns import original, storable, to_json
from ..sql import Sql, marks
from .containing import containing
from .row_cache import RowKey, Texts

DOCUMENTS = ""
"""The collection that documents count as in `RowKey`."""


class Documents:
    """The documents as one transaction sees them; its writes are stored by `flush`."""

    def __init__(self, sql: Sql, texts: Texts) -> None:
        self._sql = sql
        self._texts = texts
        self._waiting: dict[int, tuple[int, str, str]] = {}
        self._absent: set[int] = set()

    def read(self, key: int, owner: int) -> Any:
        """Return the document's value, or None."""
        text = self._text(key, owner)
        return json.loads(text) if text else None

    def write(self, key: int, owner: int, name: str, value: Any) -> None:
        """Take the document's value in; None removes it."""
        text = "" if value is None else to_json(value, f"document {name!r}")
        place = RowKey(DOCUMENTS, key)
        if key not in self._waiting and self._texts.get(place, owner) == "":
            self._absent.add(key)
        self._texts.change(place, owner, text)
        self._waiting[key] = (owner, storable(name), text)

    def flush(self) -> None:
        """Store what was written."""
        waiting, self._waiting = self._waiting, {}
        stored = [key for key in waiting if key not in self._absent]
        self._absent = set()
        if stored:
            self._sql.run(f"DELETE FROM _documents WHERE _key IN ({marks(stored)})", stored)
        rows = [(key, *document) for key, document in waiting.items() if document[2]]
        if rows:
            places = ", ".join("(?, ?, ?, ?)" for _ in rows)
            self._sql.run(f"INSERT INTO _documents VALUES {places}", [cell for row in rows for cell in row])

    def purge(self, owner: int) -> int:
        """Delete every document of a scope; return how many there were."""
        self.flush()
        self._texts.clear(DOCUMENTS, owner)
        return self._sql.run("DELETE FROM _documents WHERE _scope = ?", [owner])

    def scan(self, owner: int) -> list[Row]:
        """Return every document of a scope, by name."""
        self.flush()
        found = self._sql.rows("SELECT name, value FROM _documents WHERE _scope = ? ORDER BY name", [owner])
        return [{"id": original(name), "value": json.loads(value)} for name, value in found]

    def containing(self, owners: Sequence[int], texts: Sequence[str]) -> list[tuple[int, Row]]:
        """Return the documents of these scopes that hold one of the texts, each with its scope."""
        self.flush()
        found = containing(self._sql, "_documents", "value", owners, texts, more="name")
        return [(owner, {"id": original(name), "value": json.loads(value)}) for owner, value, name in found]

    def _text(self, key: int, owner: int) -> str:
        place = RowKey(DOCUMENTS, key)
        cached = self._texts.get(place, owner)
        if cached is not None:
            return cached
        found = self._sql.rows("SELECT value FROM _documents WHERE _key = ?", [key])
        text = str(found[0][0]) if found else ""
        self._texts.found(place, owner, text)
        return text
