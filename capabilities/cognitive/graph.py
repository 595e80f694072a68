"""The memory graph: ties of traces, read from the store's index of one owner, without loading those of others."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fabric.errors import RefusedError
from fabric.flow.resource import Transaction
from fabric.lazy import lazy
from fabric.search.views import texts_of

from ..formulas.activation import Activated, Spread, spread
from ..traces.graph import edge_between
from ..traces.record import Edge, EdgeType, Trace
from ..traces.tables import Place, Tables
from .results import Tie

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray

    from fabric.search.base import ColumnView

    from ..traces.table import TraceTable
else:
    nx = lazy("networkx")

WEIGHTS: dict[EdgeType, float] = {
    "shared_entity": 0.5,
    "temporal_sequence": 0.3,
    "contradicts": 0.8,
    "supersedes": 0.8,
    "schema_instance": 0.6,
}
"""What a new edge of each type weighs, where nothing else says so."""
Adjacency = dict[str, list[tuple[str, float]]]


def around(tx: Transaction, tables: Tables, nodes: Iterable[str]) -> Adjacency:
    """Return the neighbours of some traces with the weight of each edge, in the order in which edges came."""
    index = tx.index(tables.edges)
    found: Adjacency = {node: [] for node in nodes}
    if index is None or not found:
        return found
    sources, targets = index.columns["source"], index.columns["target"]
    weights = index.columns["weight"].values
    at_source, at_target = _mask(sources, found)[sources.values], _mask(targets, found)[targets.values]
    rows = np.flatnonzero((at_source | at_target) & index.alive)
    names, others = texts_of(index, "source"), texts_of(index, "target")
    for row in rows.tolist():
        one, other = names[int(sources.values[row])], others[int(targets.values[row])]
        weight = float(weights[row])
        if one in found:
            found[one].append((other, weight))
        if other in found:
            found[other].append((one, weight))
    return found


def activate(tx: Transaction, tables: Tables, seeds: Sequence[str], how: Spread) -> list[Activated]:
    """Return what activation reaches from the seeds; edges are read hop by hop, only those of what it reached."""
    known: Adjacency = {}

    def neighbours(node: str) -> list[tuple[str, float]]:
        return known.get(node, [])

    waiting = set(seeds)
    reached: list[Activated] = []
    for depth in range(1, how.depth + 1):
        if not waiting:
            break
        known.update(around(tx, tables, sorted(waiting)))
        full = Spread(depth, how.per_hop, how.threshold, len(known) + sum(map(len, known.values())), how.echoes)
        reached = spread(seeds, neighbours, full)
        waiting = {hop.node for hop in reached} - known.keys()
    return reached[: how.limit]


def graph_of(edges: Iterable[Edge]) -> "nx.MultiGraph[str]":
    """Return edges as a networkx graph: an edge per pair and type, keyed by its type, with its weight.

    >>> from ..traces.graph import edge_between
    >>> graph_of([edge_between("a", "b", 0.5, "shared_entity")]).edges["a", "b", "shared_entity"]["weight"]
    0.5
    """
    made: nx.MultiGraph[str] = nx.MultiGraph()
    for edge in edges:
        made.add_edge(edge.source, edge.target, key=edge.type, weight=edge.weight)
    return made


def ties_of(table: "TraceTable", trace_id: str) -> list[Tie]:
    """Return the edges of a trace, the heaviest first; none for a trace that is not there."""
    held = table.live(trace_id)
    if held is None:
        return []
    edges = table.edges_of(held.view.tables, [trace_id])
    return [_tie(edge, trace_id) for edge in sorted(edges, key=lambda edge: (-edge.weight, edge.id))]


def tie_traces(table: "TraceTable", trace_id: str, other_id: str, type: EdgeType, weight: float) -> bool:
    """Tie two traces of one scope; False where one is not there. RefusedError for traces of different scopes."""
    one, other = table.live(trace_id), table.live(other_id)
    if one is None or other is None or trace_id == other_id:
        return False
    if (one.trace.scope, one.trace.persona) != (other.trace.scope, other.trace.persona):
        raise RefusedError(
            f"these traces are of different scopes: {one.trace.scope}, {other.trace.scope}",
            do="Tie traces of one scope.",
        )
    table.tx.put(one.view.tables.edges, [edge_between(trace_id, other_id, weight, type)])
    return True


def edges_in(tx: Transaction, where: Place) -> list[Edge]:
    """Return the edges between the live traces of one place."""
    mine = {trace.id for trace in tx.find(where.tables.traces) if _is_of(trace, where)}
    return [edge for edge in tx.find(where.tables.edges) if edge.source in mine and edge.target in mine]


def _is_of(trace: Trace, where: Place) -> bool:
    return not trace.deleted and trace.scope == where.scope and trace.persona == where.persona


def _tie(edge: Edge, trace_id: str) -> Tie:
    other = edge.target if edge.source == trace_id else edge.source
    return Tie(other=other, type=edge.type, weight=edge.weight)


def _mask(column: "ColumnView", nodes: Iterable[str]) -> "NDArray[np.bool_]":
    """Return which numbers of a column stand for one of the nodes; the last cell is that of -1, none."""
    mask = np.zeros(len(column.names) + 1, np.bool_)
    mask[[column.names[node] for node in nodes if node in column.names]] = True
    return mask
