"""What is kept beside the memory, in minds, traces and messages: forgotten by id, and looked through for a name."""

from collections import Counter
from dataclasses import dataclass, field, replace

from capabilities.memory.layout import MemoryLayout
from fabric.erasure import Erased, Held, KeptRow, erase_turns, held_by
from fabric.log import ITEMS
from fabric.resource import Transaction
from fabric.scope import ScopeKind
from fabric.store.base import Table

from .held import kinds, names, records

ENTRIES = ("goal", "belief", "reflection", "draft", "trace")
_LINKED = {"trace edge": ("source", "target"), "trace feedback": ("trace_id",)}


@dataclass(frozen=True, slots=True)
class Beside:
    """How many records of each kind were looked through for a name, and the ids of those that hold it."""

    searched: dict[str, int] = field(default_factory=dict[str, int])
    left: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def look_beside(tx: Transaction, layout: MemoryLayout, subject: str) -> Beside:
    """Look through all that is kept of the memory's owner for a name; "" and ``user`` are no names."""
    if subject in ("", "user"):
        return Beside()
    searched: Counter[str] = Counter()
    left: dict[str, list[str]] = {}
    for one in records(_held(tx, layout), layout):
        searched[one["kind"]] += 1
        if names(one, subject):
            left.setdefault(one["kind"], []).append(str(one["id"]))
    return Beside(dict(searched), left)


def forget_beside(tx: Transaction, layout: MemoryLayout, record_id: str, erased: Erased) -> None:
    """Take an entry of a mind, a trace with its edges and feedback, or a message with its turn out of the file."""
    held = _held(tx, layout)
    for one in [row for row in held if row.row["id"] == record_id]:
        kind = kinds().get(one.table)
        if kind in ENTRIES:
            erased.count(f"{kind}s", _delete(tx, one))
            for other in _linked(held, record_id) if kind == "trace" else ():
                erased.count("trace edges and feedback", _delete(tx, other))
        elif one.table == ITEMS.name and one.row["turn"] > 0:
            erase_turns(tx.rows, replace(tx.ids, session=one.session), {one.row["turn"]}, erased)


def _linked(held: Held, trace_id: str) -> list[KeptRow]:
    """Return the edges and the feedback of a trace."""
    return [
        row
        for table in held.rows.tables()
        if (fields := _LINKED.get(kinds().get(table, "")))
        for row in held.of(table)
        if any(row.row[name] == trace_id for name in fields)
    ]


def _held(tx: Transaction, layout: MemoryLayout) -> Held:
    owner: ScopeKind = "user" if tx.ids.has("user") else "session"
    return held_by(tx.rows, tx.ids, owner, *(("project",) if layout.turns.scope == "project" else ()))


def _delete(tx: Transaction, held: KeptRow) -> int:
    return tx.rows.delete(Table(held.table, {}), held.owner, [held.row["id"]])
