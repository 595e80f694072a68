"""Tables, scopes and texts that the contract is tried with."""

from collections.abc import Callable
from typing import Any, TypeVar

from fabric.scope import Scope, ScopeIds
from fabric.store.base import Row, Rows, Store, Table

T = TypeVar("T")
NOTES = Table("notes", {"label": "text", "n": "integer", "weight": "real", "done": "boolean", "at": "time"}, "content")
OTHER = Table("others", {"n": "integer"}, "content")
JAKE = ScopeIds(session="monday", user="jake").scope("user")
RUTH = ScopeIds(session="monday", user="ruth").scope("user")

HOSTILE = [
    "",
    " ",
    "'",
    '"',
    "''; DROP TABLE notes; --",
    '") or true or ("',
    "%",
    "_",
    "*",
    "\\",
    "\x00",
    "a\x00b",
    "a\x00c",
    "\ud83d",
    "\udc00\ud800",
    "\U0010ffff",
    "\U0010ffff\U0010ffff",
    "\U0010ffff\ue000",
    "👩‍👩‍👧‍👦",
    "\u202eright to left\u202c \u200f",
    "e\u0301",
    "é",
    "今日は成語しりとりをした",
    "a" * 10_000,
    "{}[]:,$1?",
    "\r\n\t",
    "NULL",
]


def run(store: Store, work: Callable[[Rows], T]) -> T:
    return store.transact_sync(work)


def put(store: Store, *rows: Row, table: Table = NOTES, scope: Scope = JAKE) -> None:
    run(store, lambda tx: tx.put(table, scope, rows))


def note(note_id: str, **fields: Any) -> Row:
    return {"id": note_id, **fields}


def all_held(rows: Any, scope: Scope) -> dict[str, list[Row]]:
    """Return what a scope owns by table, those without anything left out."""
    found = {table: list(rows.scan(scope, table)) for table in rows.tables()}
    return {table: held for table, held in found.items() if held}


def ids(rows: list[Row]) -> list[str]:
    return [row["id"] for row in rows]
