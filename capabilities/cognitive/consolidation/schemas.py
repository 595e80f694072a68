"""Schemas: what a model draws from a cluster of tied traces becomes a trace, with its instances tied to it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from capabilities.traces.consolidation.steps import Cluster, cluster_key
from capabilities.traces.graph import edge_between
from capabilities.traces.record import Trace
from capabilities.traces.seen import look
from capabilities.traces.table import TraceTable
from capabilities.traces.tables import Place, View
from fabric.lazy import lazy
from fabric.search.views import ids_at, texts_of

from ..config import HOUR, CognitiveConfig
from ..encoder import Encoder
from ..graph import WEIGHTS
from ..mechanisms.on_encode import SCHEMA

if TYPE_CHECKING:
    import networkx as nx
else:
    nx = lazy("networkx")

STRENGTH, CONFIDENCE = 0.7, 0.8
STABILITY = 2.0
"""Of a schema, as a multiple of the profile's base; its interval is as long."""
SEED = 7
"""Of the communities that a large cluster is divided into: equal graphs are divided equally."""


def clusters(table: TraceTable, view: View, config: CognitiveConfig) -> list[Cluster]:
    """Return the largest groups of tied traces of one scope that are in no schema yet.

    A cluster that is larger than a schema may be is divided into communities.
    """
    limits = config.consolidation
    graphs = _graphs(table, view)
    groups = [group for graph in graphs for group in _groups(graph, limits.min_cluster, limits.max_cluster)]
    groups = sorted(groups, key=lambda group: (-len(group), group))[: limits.max_schemas]
    tables = view.tables
    return [Cluster(cluster_key(group), tuple(table.tx.get_many(tables.traces, group))) for group in groups]


def _graphs(table: TraceTable, view: View) -> "Iterator[nx.Graph[str]]":
    """Yield for each scope the graph of its live traces that are in no schema; what contradicts is no tie."""
    seen, edges = look(table.tx, view), table.tx.index(view.tables.edges)
    if seen is None or edges is None or not len(edges):
        return
    sources, targets, kinds = texts_of(edges, "source"), texts_of(edges, "target"), edges.columns["type"]
    rows = np.flatnonzero(edges.alive)
    cells: list[list[Any]] = [
        edges.columns[name].values[rows].tolist() for name in ("source", "target", "type", "weight")
    ]
    told: list[tuple[str, str, int, float]] = [
        (sources[int(one)], targets[int(other)], kind, weight) for one, other, kind, weight in zip(*cells, strict=True)
    ]
    no_tie = {kinds.names.get(kind, -2) for kind in ("contradicts", "supersedes")}
    instance = kinds.names.get("schema_instance", -2)
    in_schema = {end for one, other, kind, _ in told if kind == instance for end in (one, other)}
    places = zip(seen.cells("scope").tolist(), seen.cells("persona").tolist(), strict=True)
    scopes = dict(zip(ids_at(seen.index, seen.positions), places, strict=True))
    graphs: dict[Any, nx.Graph[str]] = {}
    for one, other, kind, weight in sorted(told):
        place = scopes.get(one)
        if place is None or place != scopes.get(other) or kind in no_tie or not in_schema.isdisjoint((one, other)):
            continue
        graph = graphs.setdefault(place, nx.Graph())
        held = graph.edges[one, other]["weight"] if graph.has_edge(one, other) else 0.0
        graph.add_edge(one, other, weight=max(held, weight))
    yield from graphs.values()


def _groups(graph: "nx.Graph[str]", least: int, most: int) -> Iterator[list[str]]:
    for component in nx.connected_components(graph):
        parts: list[set[str]] = [component]
        if len(component) > most:
            found: Any = nx.community.louvain_communities(graph.subgraph(sorted(component)), weight="weight", seed=SEED)
            parts = list(found)
        for part in parts:
            if len(part) >= least:
                yield _core(graph, part, most)


def _core(graph: "nx.Graph[str]", part: set[str], most: int) -> list[str]:
    """Return the members of a community that are tied most, at most so many, in order."""
    inner = graph.subgraph(part)
    weights: dict[str, float] = dict(inner.degree(weight="weight"))
    return sorted(sorted(part, key=lambda node: (-weights[node], node))[:most])


def add_schema(
    table: TraceTable, view: View, cluster: Cluster, text: str, encoder: Encoder, config: CognitiveConfig
) -> Trace | None:
    """Store what was drawn from a cluster, tied to each of its traces; None where one of them changed meanwhile."""
    tables, now = view.tables, table.clock.now()
    held = {trace.id: trace for trace in table.tx.get_many(tables.traces, [trace.id for trace in cluster.traces])}
    if any(
        (still := held.get(trace.id)) is None or still.deleted or still.content != trace.content
        for trace in cluster.traces
    ):
        return None
    first = cluster.traces[0]
    place, hours = Place(first.scope, tables, first.persona), STABILITY * config.profile.base_hours
    made = encoder.fields(text, now, source_type="reflection")
    made |= {
        "strength": STRENGTH,
        "confidence": CONFIDENCE,
        "stability": hours * HOUR,
        "interval": hours * HOUR,
        "verification_count": len(cluster.traces),
        "derived_from": tuple(trace.id for trace in cluster.traces),
        "cluster": cluster.key,
        "consolidated_at": now,
        "session": first.session if first.scope == "thread" else "",
    }
    trace, is_new = table.add(place, text, "semantic", (SCHEMA,), **made)
    if not is_new:
        return None
    weight = WEIGHTS["schema_instance"]
    table.tx.put(tables.edges, [edge_between(trace.id, node.id, weight, "schema_instance") for node in cluster.traces])
    return trace
