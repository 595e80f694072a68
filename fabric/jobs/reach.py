"""Reach: all rows that some scopes own, in whatever table they are, read as they are asked for."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..scope import SCOPE_KINDS, Scope, ScopeIds, ScopeKind
from ..store.base import SYSTEM, Row, Rows
from .job import EFFECTS, JOBS

_SHARED = (JOBS.name, EFFECTS.name)
"""The engine's own tables, whose rows say of which session they are."""


@dataclass(frozen=True, slots=True)
class KeptRow:
    """One row: the table it is in, the scope that owns it, and the session whose it is, "" where it is no session's."""

    table: str
    row: Row
    owner: Scope
    session: str = ""


@dataclass(frozen=True, slots=True)
class Reach:
    """All rows that some scopes own, read as they are asked for: rows, documents, and the jobs of sessions among them.

    It goes by who owns a row, so that what any collection or document holds is in it, declared here or not.
    """

    rows: Rows
    scopes: Mapping[Scope, str]
    """Each scope, with the session that it is, "" for one that is none."""

    def of(self, table: str) -> Iterator[KeptRow]:
        """Yield the rows of one table of the file."""
        for scope, session in self.scopes.items():
            for row in self.rows.scan(scope, table):
                yield KeptRow(table, row, scope, session)
        if table in _SHARED:
            yield from self._own(table, self.rows.scan(SYSTEM, table))

    def containing(self, texts: Sequence[str]) -> Iterator[KeptRow]:
        """Yield the rows of all tables, journaled effects too, that hold one of these texts."""
        for table in self.rows.tables() if texts else ():
            for scope, row in self.rows.containing(list(self.scopes), table, texts):
                yield KeptRow(table, row, scope, self.scopes[scope])
            if table in _SHARED:
                yield from self._own(table, (row for _, row in self.rows.containing([SYSTEM], table, texts)))

    def __iter__(self) -> Iterator[KeptRow]:
        for table in self.rows.tables():
            yield from self.of(table)

    def has_work(self, row: Row) -> bool:
        """Return whether a row of a job or an effect is one of these sessions'."""
        return row["session"] in {scope.key for scope, session in self.scopes.items() if session}

    def _own(self, table: str, rows: Iterator[Row]) -> Iterator[KeptRow]:
        sessions = {scope.key: session for scope, session in self.scopes.items() if session}
        for row in rows:
            if row["session"] in sessions:
                yield KeptRow(table, row, SYSTEM, sessions[row["session"]])


def owned_by(rows: Rows, ids: ScopeIds, *kinds: ScopeKind) -> Reach:
    """Return all that `erase_scope` takes of scopes of these kinds, and for a user, of all the user's sessions.

    Raises ScopeError when the session was opened without an id of such a kind.
    """
    scopes: dict[Scope, str] = {}
    for kind in kinds:
        scopes[ids.scope(kind)] = ids.session if kind == "session" else ""
        for name in sessions_of(rows, ids) if kind == "user" else ():
            scopes[replace(ids, session=name).scope("session")] = name
    return Reach(rows, scopes)


def reach_of(rows: Rows, ids: ScopeIds) -> Reach:
    """Return all that every scope owns which these ids open, and of a user all sessions."""
    kinds: list[ScopeKind] = [kind for kind in SCOPE_KINDS if ids.has(kind)]
    return owned_by(rows, ids, *kinds)


def sessions_of(rows: Rows, ids: ScopeIds) -> list[str]:
    """Return the ids of all sessions of the user who opened this one; only this one when no user is named."""
    if ids.user is None:
        return [ids.session]
    keys = (json.loads(owner.key) for owner in rows.owners() if owner.kind == "session")
    found = {session for _, org, user, session in keys if (org, user) == (ids.org, ids.user)}
    return sorted(found | {ids.session})
