"""What is left of a memory of traces once some of them went: what they contradicted, and what was in mind."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from fabric.jobs.reach import KeptRow
from fabric.lazy import lazy
from fabric.narrowing import is_list
from fabric.store.base import Rows

from ..owned_records import DOCUMENTS
from .links import nodes_of

if TYPE_CHECKING:
    from capabilities.cognitive import slots
    from capabilities.traces import tables as trace_tables
else:
    slots = lazy("capabilities.cognitive.slots")
    trace_tables = lazy("capabilities.traces.tables")


def let_count_again(rows: Rows, held: Iterable[KeptRow], gone: AbstractSet[str]) -> None:
    """Let traces count again that only traces which went said otherwise, and name none of these any more."""
    for node in (node for kept in held for node in nodes_of(kept)):
        paths = (*node.links.against, *node.links.versions)
        lists = {path: ids for path in paths if is_list(ids := node.record.get(path))}
        left = {path: [one for one in ids if one not in gone] for path, ids in lists.items()}
        if node.kind == "trace" and left != lists:
            tables = {tables.traces.key: tables.traces.table for tables in trace_tables.ALL_TABLES.values()}
            rows.put(tables[node.kept.table], node.kept.owner, [{**node.record, **left}])


def take_out_of_mind(rows: Rows, held: Iterable[KeptRow], gone: AbstractSet[str]) -> None:
    """Take traces that went out of the slots of sessions, and out of what their prompts showed."""
    for kept in held:
        if kept.table == DOCUMENTS and kept.row["id"] == slots.IN_MIND.key:
            mind: dict[str, Any] = kept.row["value"]
            still = [slot for slot in mind["held"] if slot["trace"] not in gone]
            shown = {name: [one for one in mind.get(name, ()) if one not in gone] for name in ("prompted", "rivals")}
            rows.write(kept.row["id"], kept.owner, {**mind, "held": still, **shown})
