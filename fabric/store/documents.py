"""Documents of one transaction: written together at its end, and kept in memory from one transaction to the next."""

import json
from collections import OrderedDict
from typing import Any

from .columns import storable, to_json
from .sql import Sql, marks

KEPT = 1_000
"""How many documents are kept in memory."""
LONGEST = 20_000
"""The length of a document's JSON from which on it is not kept."""


class KeptDocuments:
    """What committed transactions left of the documents that were used last: JSON by key, "" for one that is not."""

    def __init__(self) -> None:
        self._texts: OrderedDict[int, tuple[int, str]] = OrderedDict()

    def get(self, key: int) -> str | None:
        """Return the JSON, or None when it is not known here."""
        found = self._texts.get(key)
        return None if found is None else found[1]

    def keep(self, key: int, owner: int, text: str) -> None:
        """Keep what is in the file now."""
        self._texts.pop(key, None)
        if len(text) <= LONGEST:
            self._texts[key] = (owner, text)
        if len(self._texts) > KEPT:
            self._texts.popitem(last=False)

    def drop(self, owner: int) -> None:
        """Forget everything of a scope."""
        for key in [key for key, (whose, _) in self._texts.items() if whose == owner]:
            del self._texts[key]


class Documents:
    """The documents as one transaction sees them. Its writes are stored by `flush`, and kept once it is committed."""

    def __init__(self, sql: Sql, kept: KeptDocuments) -> None:
        self._sql = sql
        self._kept = kept
        self._written: dict[int, tuple[int, str]] = {}
        self._waiting: dict[int, tuple[int, str, str]] = {}
        self._purged: set[int] = set()

    def read(self, key: int, owner: int) -> Any:
        """Return the document's value, or None."""
        text = self._written[key][1] if key in self._written else self._committed(key, owner)
        return json.loads(text) if text else None

    def write(self, key: int, owner: int, name: str, value: Any) -> None:
        """Take the document's value in; None removes it."""
        text = "" if value is None else to_json(value, f"document {name!r}")
        self._written[key] = (owner, text)
        self._waiting[key] = (owner, storable(name), text)

    def flush(self) -> None:
        """Store what was written."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, {}
        self._sql.run(f"DELETE FROM _documents WHERE _key IN ({marks(list(waiting))})", list(waiting))  # noqa: S608
        rows = [(key, *document) for key, document in waiting.items() if document[2]]
        if rows:
            places = ", ".join("(?, ?, ?, ?)" for _ in rows)
            self._sql.run(f"INSERT INTO _documents VALUES {places}", [cell for row in rows for cell in row])  # noqa: S608

    def purge(self, owner: int) -> int:
        """Delete every document of a scope; return how many there were."""
        self.flush()
        self._purged.add(owner)
        self._written = {key: one for key, one in self._written.items() if one[0] != owner}
        return self._sql.run("DELETE FROM _documents WHERE _scope = ?", [owner])

    def committed(self) -> None:
        """Keep for later transactions what this one wrote."""
        for owner in self._purged:
            self._kept.drop(owner)
        for key, (owner, text) in self._written.items():
            self._kept.keep(key, owner, text)

    def _committed(self, key: int, owner: int) -> str:
        known = self._kept.get(key) if owner not in self._purged else None
        if known is not None:
            return known
        found = self._sql.rows("SELECT value FROM _documents WHERE _key = ?", [key])
        text = str(found[0][0]) if found else ""
        if owner not in self._purged:
            self._kept.keep(key, owner, text)
        return text
