"""All that is kept of an owner as portable records: for an export, and for what forgetting a name leaves."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from capabilities.memory.layout import MemoryLayout
from fabric.jobs import JOBS, TURNS
from fabric.json_text import redacted
from fabric.log import ERASED, ITEMS
from fabric.reach import Held, KeptRow
from fabric.scope import SCOPE_KINDS
from fabric.text import printable

DOCUMENTS = "documents"
NOT_TEXT = frozenset({"id", "kind", "session", "made_by", "block", "root", "user"})
"""Fields whose words are no mention of anybody."""


@cache
def kinds() -> Mapping[str, str]:
    """Return what one record of a collection is called; one that is not here is called by its collection's key."""
    from capabilities.mind.store import mind_collections  # noqa: PLC0415  minds and traces need numpy, which few imports need
    from capabilities.traces.tables import ALL_TABLES  # noqa: PLC0415

    named = {"semantic_memory": "fact", "episodic_memory": "episode", "turns": "turn"}
    for scope in SCOPE_KINDS:
        mind = mind_collections(scope)
        named |= {mind.goals.key: "goal", mind.beliefs.key: "belief"}
        named |= {mind.reflections.key: "reflection", mind.drafts.key: "draft"}
    for tables in ALL_TABLES.values():
        named |= {tables.traces.key: "trace", tables.edges.key: "trace edge"}
        named |= {tables.feedback.key: "trace feedback", tables.log.key: "consolidation"}
    return named | {ITEMS.name: "item", TURNS.name: "run", JOBS.name: "job"}


def records(held: Held, layout: MemoryLayout) -> Iterator[dict[str, Any]]:
    """Yield rows as records that each name their ``kind``, the tiers' first, without the places of forgotten messages.

    A working memory is one record per entry. A record's own ``kind`` is called ``<kind>_kind``. Half
    a character (a lone surrogate), which no reader of JSON need take, is replaced by U+FFFD.
    """
    states = (row.row["value"] for row in held.of(DOCUMENTS) if row.row["id"] == layout.state.key)
    pending = {one for state in states for one in state.get("pending") or ()}
    for table, is_working in _parts(held.rows.tables()):
        for row in held.of(table):
            if _is_document(row, layout.working.key) == is_working:
                yield from (redacted(record, printable) for record in _records(row, layout, pending))


def _parts(tables: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the tables in the order of their records' kinds; of the documents, working memories are one of them."""
    others = [*dict.fromkeys(kinds().values())][2:]
    places = {kind: place for place, kind in enumerate(["fact", "episode", "working", *others])}
    parts = [(table, False) for table in tables] + [(DOCUMENTS, True)]
    return sorted(parts, key=lambda part: places.get("working" if part[1] else kinds().get(part[0], ""), len(places)))


def _is_document(held: KeptRow, key: str) -> bool:
    return held.table == DOCUMENTS and held.row["id"] == key


def _records(held: KeptRow, layout: MemoryLayout, pending: set[str]) -> Iterator[dict[str, Any]]:
    row = held.row
    if ERASED in (row.get("text"), row.get("output")):
        return
    if _is_document(held, layout.working.key):
        yield from ({"kind": "working", **entry, "session": held.session} for entry in row["value"].get("entries", ()))
        return
    kind = "document" if held.table == DOCUMENTS else kinds().get(held.table, held.table)
    record = {"kind": kind, **{f"{kind}_kind" if name == "kind" else name: value for name, value in row.items()}}
    if kind == "turn":
        record["captured"] = bool(row.get("captured")) and row["id"] not in pending
    if held.session:
        record.setdefault("session", held.session)
    yield record
