"""Reopens facts that only a forgotten fact had ended."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from capabilities.keys import MEMORY, system_of
from capabilities.semantic import FACT_SCOPES, create_semantic_memory_resource
from capabilities.semantic.state import REOPENED
from fabric.jobs.reach import KeptRow, Reach
from fabric.scope import Scope
from fabric.store.base import Row, Table, Where

from ..owned_records import kind_of
from .links import Node


def hold_again(
    reach: Reach, gone: Iterable[Node], also_saying: Callable[[Node, Node], Iterable[Mapping[str, Any]]]
) -> None:
    """Let each fact hold again whose place was taken by one that went; where that had lost its own, by the next.

    ``also_saying(fact, lost)`` are the turns of the one that went which say the fact: it rests on them, too.
    """
    lost = {node.id: node for node in gone if node.kind == "fact"}
    for table, owner in _fact_tables(reach):
        closed = reach.rows.find(table, owner, [Where("status", "=", "superseded")])
        for row in [row for row in closed if row["superseded_by"] in lost]:
            fact = Node("fact", row, KeptRow(table.name, row, owner))
            more = [source for source in also_saying(fact, lost[row["superseded_by"]]) if source not in row["sources"]]
            again = {**_without(row, lost, reach, table, owner), "sources": [*row["sources"], *more]}
            reach.rows.put(table, owner, [again])


def _without(row: Row, lost: Mapping[str, Node], reach: Reach, table: Table, owner: Scope) -> Row:
    following, seen = row["superseded_by"], set[str]()
    while following in lost and following not in seen:
        seen.add(following)
        following = str(lost[following].record.get("superseded_by") or "")
    found = reach.rows.get(table, owner, [following]) if following not in seen else []
    if not found:
        return {**row, **REOPENED}
    return {**row, "superseded_by": following, "valid_to": found[0]["valid_from"]}


def _fact_tables(reach: Reach) -> Iterator[tuple[Table, Scope]]:
    tables = [table for table in reach.rows.tables() if kind_of(table) == "fact"]
    for table, kind in product(tables, FACT_SCOPES):
        known = create_semantic_memory_resource(kind, system_of(table) or MEMORY).table
        yield from ((known, owner) for owner in reach.scopes if owner.kind == kind)
