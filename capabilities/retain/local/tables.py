"""Where memories and their facts are kept: two collections of a project, which a bank is (`..banks.in_bank`)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from capabilities.semantic import Fact, create_semantic_memory_resource
from capabilities.vocabulary import written_day
from fabric.flow.resource import Collection, Resource, Transaction
from fabric.search.base import ColumnType
from fabric.store.base import Row
from fabric.text.terms import terms

from .record import Memory

ABSENT = -2
"""The number of a text that stands in no row."""
_KEPT: Mapping[str, ColumnType] = {
    "session": "text",
    "said_at": "time",
    "content_hash": "text",
    "document": "text",
    "source": "text",
    "tier": "text",
    "waits": "boolean",
    "consolidated": "boolean",
    "created_at": "time",
    "valid_until": "time",
    "superseded_by": "text",
    "importance": "real",
}
"""What a search keeps of each memory in memory; in the file they are packed, so that retaining is quick."""


def memory_terms(row: Row) -> list[str]:
    r"""Return what a stored memory is found by: its words, those of its context, and its day.

    >>> memory_terms({"content": "Uses tabs", "context": "style", "said_at": "2026-01-21T10:00:00Z"})
    ['use\tuses', 'tab\ttabs', 'style', '21', 'januari\tjanuary', '2026']
    """
    day = written_day(datetime.fromisoformat(row["said_at"]))
    return terms(row.get("plain") or row["content"], f"{row.get('context') or ''} {day}")


MEMORIES: Collection[Memory] = Collection(
    "retain_memories",
    Memory,
    "project",
    _KEPT,
    text="content",
    terms=memory_terms,
    kept=tuple(_KEPT),
    thread="session",
    packed=tuple(_KEPT),
    required=False,
)
FACTS: Collection[Fact] = replace(create_semantic_memory_resource("project", "retain"), required=False)
"""What memories state, in all versions; each fact names the memories that it rests on as its episodes."""
LOCAL_RESOURCES: tuple[Resource, ...] = (MEMORIES, FACTS)


def where(tx: Transaction, until: datetime | None = None, /, **wanted: str | bool) -> list[str]:
    """Return the ids of a bank's memories whose columns hold these values, oldest first, read from memory alone.

    ``until`` leaves out what was said after it.
    """
    index = tx.index(MEMORIES)
    if index is None:
        return []
    found = index.alive.copy()
    for name, value in wanted.items():
        column = index.columns[name]
        found &= column.values == (column.names.get(value, ABSENT) if isinstance(value, str) else value)
    if until is not None:
        found &= index.columns["said_at"].values <= until.timestamp()
    return [index.ids[position] for position in found.nonzero()[0].tolist()]
