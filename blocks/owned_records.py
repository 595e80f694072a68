"""All that is kept of an owner as portable records: for an export, and for what forgetting a name leaves."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from capabilities.keys import system_of, tier_of
from fabric.jobs.job import JOBS, TURNS
from fabric.jobs.reach import KeptRow, Reach
from fabric.lazy import lazy
from fabric.record.forgotten import ERASED
from fabric.record.log import ITEMS
from fabric.scope import SCOPE_KINDS
from fabric.text.json_text import redacted
from fabric.text.words import printable

if TYPE_CHECKING:
    from capabilities.cognitive.consolidation import result as consolidated
    from capabilities.cognitive.observing import record as observed
    from capabilities.communities import tables as community_tables
    from capabilities.mind import store
    from capabilities.prospective import tables as intention_tables
    from capabilities.retain.hindsight import outbox as queued
    from capabilities.retain.local import tables as retained
    from capabilities.traces import archive
    from capabilities.traces import tables as trace_tables
else:
    archive = lazy("capabilities.traces.archive")
    community_tables = lazy("capabilities.communities.tables")
    consolidated = lazy("capabilities.cognitive.consolidation.result")
    intention_tables = lazy("capabilities.prospective.tables")
    queued = lazy("capabilities.retain.hindsight.outbox")
    retained = lazy("capabilities.retain.local.tables")
    observed = lazy("capabilities.cognitive.observing.record")
    store = lazy("capabilities.mind.store")
    trace_tables = lazy("capabilities.traces.tables")

DOCUMENTS = "documents"
TIERS: Mapping[str, str] = {"semantic_memory": "fact", "episodic_memory": "episode", "turns": "turn"}
"""What one record of a memory system's tier is called, whichever system's it is."""
NOT_TEXT = frozenset({"id", "kind", "session", "made_by", "block", "root", "user", "memory"})
"""Fields whose words are no mention of anybody."""


@cache
def kinds() -> Mapping[str, str]:
    """Return what one record of a collection is called, those of the default memory system first; see `kind_of`."""
    named = dict(TIERS)
    for scope in SCOPE_KINDS:
        mind = store.mind_collections(scope)
        named |= {mind.goals.key: "goal", mind.beliefs.key: "belief"}
        named |= {mind.reflections.key: "reflection", mind.drafts.key: "draft"}
    for tables in trace_tables.ALL_TABLES.values():
        named |= {tables.traces.key: "trace", tables.edges.key: "trace edge"}
        named |= {tables.feedback.key: "trace feedback", tables.log.key: "consolidation"}
    named |= {table.key: "intention" for table in intention_tables.TABLES.values()}
    for desk in observed.DESKS:
        named |= {desk.heard.key: "heard message", desk.notes.key: "observation"}
    for shelf in archive.SHELVES.values():
        named |= {shelf.texts.key: "archived trace", shelf.log.key: "archive access"}
    for kept in community_tables.SHELVES.values():
        named |= {kept.graph.key: "memory graph", kept.communities.key: "community"}
    named |= {log.key: "cognitive consolidation" for log in consolidated.LOGS.values()}
    named |= {retained.MEMORIES.key: "retained memory", queued.RETAIN_OUTBOX.key: "queued memory"}
    return named | {ITEMS.name: "item", TURNS.name: "run", JOBS.name: "job"}


def kind_of(table: str) -> str:
    """Return what one record of a table is called; where nothing else is known, by the table's own name.

    >>> kind_of("turns"), kind_of("turns__team"), kind_of("fabric_jobs"), kind_of("recipes")
    ('turn', 'turn', 'job', 'recipes')
    """
    return TIERS.get(tier_of(table)) or kinds().get(table, table)


def is_working(kept: KeptRow) -> bool:
    """Return whether a row is the working memory of a session, of whichever memory system."""
    return kept.table == DOCUMENTS and tier_of(kept.row["id"]) == "working_memory"


def is_state(kept: KeptRow) -> bool:
    """Return whether a row holds the counters of a memory system, and which turns it has yet to read."""
    return kept.table == DOCUMENTS and tier_of(kept.row["id"]) == "memory_state"


def records(reach: Reach) -> Iterator[dict[str, Any]]:
    """Yield rows as records that each name their ``kind``, the tiers' first, without the places of forgotten messages.

    A working memory is one record per entry. A record's own ``kind`` is called ``<kind>_kind``; one of a memory system
    with a name of its own has that as ``memory``. Half a character (a lone surrogate), which no reader of JSON need
    take, is replaced by U+FFFD.
    """
    states = ((system_of(row.row["id"]), row.row["value"]) for row in reach.of(DOCUMENTS) if is_state(row))
    pending = {(system, pending_id) for system, state in states for pending_id in state.get("pending") or ()}
    for table, wants_working in _parts(reach.rows.tables()):
        for row in reach.of(table):
            if is_working(row) == wants_working:
                yield from (redacted(record, printable) for record in _records(row, pending))


def _parts(tables: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the tables in the order of their records' kinds; of the documents, working memories are one of them."""
    others = [*dict.fromkeys(kinds().values())][2:]
    places = {kind: place for place, kind in enumerate(["fact", "episode", "working", *others])}
    parts = [(table, False) for table in tables] + [(DOCUMENTS, True)]
    return sorted(parts, key=lambda part: places.get("working" if part[1] else kind_of(part[0]), len(places)))


def _records(kept: KeptRow, pending: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    row = kept.row
    if ERASED in (row.get("text"), row.get("output")):
        return
    if is_working(kept):
        own = _named(row["id"])
        for entry in row["value"].get("entries", ()):
            yield {"kind": "working", **own, **entry, "session": kept.session}
        return
    kind = "document" if kept.table == DOCUMENTS else kind_of(kept.table)
    own = _named(kept.table) if kind in TIERS.values() else {}
    record = {"kind": kind, **own, **{f"{kind}_kind" if name == "kind" else name: value for name, value in row.items()}}
    if kind == "turn":
        record["captured"] = bool(row.get("captured")) and (system_of(kept.table), row["id"]) not in pending
    if kept.session:
        record.setdefault("session", kept.session)
    yield record


def _named(key: str) -> dict[str, str]:
    """Return which memory system a key is of, as a record tells it."""
    system = system_of(key)
    return {"memory": system} if system else {}
