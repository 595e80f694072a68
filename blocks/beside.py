"""What is kept beside the memory, in minds, traces and messages: forgotten by id, and looked through for a name."""

from collections import Counter
from dataclasses import dataclass, field, replace

from capabilities.memory.layout import MemoryLayout
from fabric.erasure import Erased, KeptRow, erase_turns, held_by
from fabric.log import ITEMS
from fabric.resource import Transaction
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
    found = records(_held(tx, layout), layout)
    left: dict[str, list[str]] = {}
    for one in found:
        if names(one, subject):
            left.setdefault(one["kind"], []).append(str(one["id"]))
    return Beside(dict(Counter(str(one["kind"]) for one in found)), left)


def forget_beside(tx: Transaction, layout: MemoryLayout, record_id: str, erased: Erased) -> None:
    """Take an entry of a mind, a trace with its edges and feedback, or a message with its turn out of the file."""
    held = _held(tx, layout)
    for one in [row for row in held if row.row["id"] == record_id]:
        kind = kinds().get(one.table)
        if kind in ENTRIES:
            erased.count(f"{kind}s", _delete(tx, one))
            for other in held if kind == "trace" else ():
                fields = _LINKED.get(kinds().get(other.table, ""), ())
                if any(other.row[name] == record_id for name in fields):
                    erased.count("trace edges and feedback", _delete(tx, other))
        elif one.table == ITEMS.name and one.row["turn"] > 0:
            erase_turns(tx.rows, replace(tx.ids, session=one.session), {one.row["turn"]}, erased)


def _held(tx: Transaction, layout: MemoryLayout) -> list[KeptRow]:
    found = held_by(tx.rows, tx.ids, "user" if tx.ids.has("user") else "session")
    return found + (held_by(tx.rows, tx.ids, "project") if layout.turns.scope == "project" else [])


def _delete(tx: Transaction, held: KeptRow) -> int:
    return tx.rows.delete(Table(held.table, {}), held.owner, [held.row["id"]])
