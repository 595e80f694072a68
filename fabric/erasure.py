"""What a session holds of a turn, or of everything a scope owns: listed, or taken out of every table of the engine."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from .jobs import JOBS, TURNS, drop_effects, forget_jobs, job_of
from .log import ERASED, ITEMS
from .scope import Scope, ScopeIds, ScopeKind
from .store.base import SYSTEM, Row, Rows, Where


@dataclass(slots=True)
class Erased:
    """What was taken out: a count per table, and the items of each session, for the logs that are in memory."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    items: dict[Scope, set[str] | None] = field(default_factory=dict[Scope, set[str] | None])
    """The items that were erased in each session, None for all of them."""

    def count(self, table: str, number: int) -> None:
        """Add to a table's count."""
        if number:
            self.counts[table] = self.counts.get(table, 0) + number


def erase_turns(rows: Rows, ids: ScopeIds, turns: Collection[int], erased: Erased) -> None:
    """Take what was said and done in these turns of a session out of the engine's tables.

    Messages stay as empty places, marked ``[forgotten]``, so that a conversation keeps its form; outcomes, waiting jobs
    and journals go altogether. A named turn stays known, without its output, so that it is not run again.
    """
    scope = ids.scope("session")
    found = [row for turn in turns for row in rows.find(ITEMS, scope, [Where("turn", "=", turn)])]
    outcomes = [row["id"] for row in found if row["kind"] in ("outcome", "error")]
    said = [row for row in found if row["kind"] not in ("outcome", "error")]
    rows.delete(ITEMS, scope, outcomes)
    rows.put(ITEMS, scope, [{**row, "text": ERASED, "data": {}, "parts": []} for row in said])
    named = [row for turn in turns for row in rows.find(TURNS, scope, [Where("turn", "=", turn)])]
    rows.put(TURNS, scope, [{**row, "output": ERASED} for row in named])
    erased.count("items", len(found))
    erased.count("turns' outputs", len(named))
    erased.items[scope] = (erased.items.get(scope) or set()) | {row["id"] for row in found}
    _erase_jobs(rows, scope, turns, erased)


def erase_outcomes(rows: Rows, ids: ScopeIds, said: AbstractSet[str], erased: Erased) -> None:
    """Take the outcomes and errors out of a session that hold any of these ids or texts as a value.

    What a run did with a memory is told where the run stands, which may be turns after the memory was made.
    """
    scope = ids.scope("session")
    found = rows.find(ITEMS, scope, [Where("kind", "in", ["outcome", "error"])])
    gone = {row["id"] for row in found if not said.isdisjoint(_texts_of(row["data"]))} if said else set()
    if gone:
        erased.count("items", rows.delete(ITEMS, scope, sorted(gone)))
        erased.items[scope] = (erased.items.get(scope) or set()) | gone


def _texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        inside: Iterable[object] = value.values() if isinstance(value, dict) else value
        yield from (text for one in inside for text in _texts_of(one))


def erase_scope(rows: Rows, ids: ScopeIds, kind: ScopeKind, erased: Erased) -> None:
    """Take everything out that a session, a user or a project owns; a user's sessions are the user's.

    Raises ScopeError when the session was opened without an id of that kind.
    """
    owner = ids.scope(kind)
    for table, number in rows.purge(owner).items():
        erased.count(table, number)
    if owner.kind == "session":
        erased.items[owner] = None
        erased.count("jobs", forget_jobs(rows, owner))


@dataclass(frozen=True, slots=True)
class KeptRow:
    """One row: the table it is in, the scope that owns it, and the session whose it is, "" where it is no session's."""

    table: str
    row: Row
    owner: Scope
    session: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """All that some scopes own, read as it is asked for: rows and documents, and the jobs of those that are sessions.

    It goes by who owns a row, so that what any collection or document holds is in it, declared here or not.
    """

    rows: Rows
    scopes: Mapping[Scope, str]
    """Each scope, with the session that it is, "" for one that is none."""

    def of(self, table: str) -> Iterator[KeptRow]:
        """Yield what is held in one table of the file."""
        for scope, session in self.scopes.items():
            for row in self.rows.held(scope, table):
                yield KeptRow(table, row, scope, session)
        if table == JOBS.name:
            sessions = {scope.key: session for scope, session in self.scopes.items() if session}
            for row in self.rows.held(SYSTEM, table):
                if row["session"] in sessions:
                    yield KeptRow(table, row, SYSTEM, sessions[row["session"]])

    def __iter__(self) -> Iterator[KeptRow]:
        for table in self.rows.tables():
            yield from self.of(table)


def held_by(rows: Rows, ids: ScopeIds, *kinds: ScopeKind) -> Held:
    """Return all that `erase_scope` takes of scopes of these kinds, and for a user, of all the user's sessions.

    Raises ScopeError when the session was opened without an id of such a kind.
    """
    scopes: dict[Scope, str] = {}
    for kind in kinds:
        scopes[ids.scope(kind)] = ids.session if kind == "session" else ""
        for name in sessions_of(rows, ids) if kind == "user" else ():
            scopes[replace(ids, session=name).scope("session")] = name
    return Held(rows, scopes)


def sessions_of(rows: Rows, ids: ScopeIds) -> list[str]:
    """Return the ids of all sessions of the user who opened this one; only this one when no user is named."""
    if ids.user is None:
        return [ids.session]
    keys = (json.loads(owner.key) for owner in rows.owners() if owner.kind == "session")
    found = {session for _, org, user, session in keys if (org, user) == (ids.org, ids.user)}
    return sorted(found | {ids.session})


def _erase_jobs(rows: Rows, session: Scope, turns: Collection[int], erased: Erased) -> None:
    jobs = [job_of(row) for row in rows.find(JOBS, SYSTEM, [Where("session", "=", session.key)])]
    gone = [job.id for job in jobs if job.turn in turns]
    drop_effects(rows, gone)
    erased.count("jobs", rows.delete(JOBS, SYSTEM, gone))
