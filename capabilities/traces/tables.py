"""Where traces are kept, and whose they are: four scopes, resolved from the session's ids and from nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from fabric.errors import RefusedError
from fabric.flow.resource import Collection, Resource
from fabric.scope import ScopeIds
from fabric.search.base import ColumnType

from .record import SCOPES, ConsolidationRun, Edge, FeedbackNote, Trace, TraceScope
from .words import trace_terms

T = TypeVar("T")
Owner = Literal["session", "user", "org"]
_OWNERS: Mapping[TraceScope, Owner] = {"thread": "session", "user": "user", "persona": "user", "organization": "org"}
_NEEDED: Mapping[TraceScope, tuple[Literal["session", "user", "agent", "org"], ...]] = {
    "thread": ("session",),
    "user": ("user",),
    "persona": ("user", "agent"),
    "organization": ("org",),
}


@dataclass(frozen=True, slots=True)
class Tables:
    """The collections of one kind of owner."""

    owner: Owner
    traces: Collection[Trace]
    edges: Collection[Edge]
    feedback: Collection[FeedbackNote]
    log: Collection[ConsolidationRun]

    @property
    def resources(self) -> tuple[Resource, ...]:
        """All of them."""
        return (self.traces, self.edges, self.feedback, self.log)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the traces of one scope are, for one session: the tables of their owner, and the agent they belong to."""

    scope: TraceScope
    tables: Tables
    persona: str = ""


_KEPT: Mapping[str, ColumnType] = {
    "type": "text",
    "scope": "text",
    "attribute": "text",
    "persona": "text",
    "content_hash": "text",
    "deleted": "boolean",
    "strength": "real",
    "stability": "real",
    "intensity": "real",
    "retrieval_count": "integer",
    "created_at": "time",
    "last_accessed": "time",
    "last_awake": "real",
    "due_at": "time",
    "source_type": "text",
    "length": "integer",
    "session": "text",
    "said_at": "time",
    "speaker": "text",
    "role": "text",
    "cluster": "text",
    "faded_on": "real",
    "tries": "integer",
}
"""What a search keeps of each trace in memory. In the file they are packed: a trace is written at every message."""
_TIED: Mapping[str, ColumnType] = {"source": "text", "target": "text", "type": "text", "weight": "real"}


def _tables(owner: Owner, name: str) -> Tables:
    traces = Collection(
        key=f"traces_{name}",
        schema=Trace,
        scope=owner,
        columns=_KEPT,
        text="content",
        terms=trace_terms,
        kept=tuple(_KEPT),
        thread="session",
        packed=tuple(_KEPT),
        required=False,
    )
    return Tables(
        owner,
        traces,
        Collection(
            f"trace_edges_{name}",
            Edge,
            owner,
            _TIED,
            text="type",
            terms=lambda _: (),
            kept=tuple(_TIED),
            packed=tuple(_TIED),
            required=False,
        ),
        Collection(
            f"trace_feedback_{name}",
            FeedbackNote,
            owner,
            {"trace_id": "text", "counted": "boolean"},
            required=False,
        ),
        Collection(f"consolidation_log_{name}", ConsolidationRun, owner, {"at": "time"}, required=False),
    )


def by_owner(make: Callable[[Owner, str], T]) -> Mapping[Owner, T]:
    """Return what there is for each kind of owner; ``make`` takes that, and how its collections are called."""
    return {"session": make("session", "thread"), "user": make("user", "user"), "org": make("org", "organization")}


ALL_TABLES = by_owner(_tables)
USER = ALL_TABLES["user"]
RESOURCES: tuple[Resource, ...] = tuple(resource for tables in ALL_TABLES.values() for resource in tables.resources)


def place_of(scope: TraceScope | None, ids: ScopeIds) -> Place:
    """Return where traces of a scope are: for None the user's own, or where a session has no user the session's.

    RefusedError for a scope that there is not, and one that names the id that the session lacks.
    """
    if scope is None:
        scope = "user" if ids.has("user") else "thread"
    if scope not in _NEEDED:
        usable = ", ".join(place.scope for place in places(ids))
        raise RefusedError(f"there is no scope {scope!r}", do=f"Use one of: {usable}.")
    missing = [kind for kind in _NEEDED[scope] if not ids.has(kind)]
    if missing:
        usable = ", ".join(place.scope for place in places(ids))
        raise RefusedError(
            f"the scope {scope!r} cannot be used: this session was opened without {' and '.join(missing)}=...",
            do=f"Use one of: {usable}.",
        )
    return Place(scope, ALL_TABLES[_OWNERS[scope]], (ids.agent or "") if scope == "persona" else "")


def places(ids: ScopeIds) -> list[Place]:
    """Return every place that a session can use, in the order of `SCOPES`.

    >>> [place.scope for place in places(ScopeIds(session="monday", user="jake"))]
    ['thread', 'user']
    """
    return [place_of(scope, ids) for scope in SCOPES if all(ids.has(kind) for kind in _NEEDED[scope])]


@dataclass(frozen=True, slots=True)
class View:
    """What a session sees of the traces of one owner: those of nobody's persona, and those of its own agent's."""

    tables: Tables
    personas: frozenset[str]

    def sees(self, trace: Trace) -> bool:
        """Return whether a trace of that owner is live, and the session's to see."""
        return not trace.deleted and trace.persona in self.personas


def views(ids: ScopeIds) -> list[View]:
    """Return what a session sees, owner by owner; each trace of its usable scopes is in exactly one view."""
    seen: dict[Owner, set[str]] = {}
    for place in places(ids):
        seen.setdefault(place.tables.owner, set()).add(place.persona)
    return [View(ALL_TABLES[owner], frozenset(personas)) for owner, personas in seen.items()]
