"""The memory graph: ties between traces that were of use together, as pure functions over edges."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from .record import Edge, EdgeType

LEARNING_RATE = 0.1
CO_ACTIVATED: EdgeType = "co_activated"
MAX_TOGETHER = 20
"""How many traces of one query are tied to one another at most: the latest."""


def edge_between(one: str, other: str, weight: float, kind: EdgeType = CO_ACTIVATED) -> Edge:
    """Return the edge of two traces; it has the same id whichever is named first.

    >>> edge_between("b", "a", 0.1) == edge_between("a", "b", 0.1)
    True
    """
    source, target = sorted((one, other))
    return Edge(id=f"{source} {target} {kind}", source=source, target=target, type=kind, weight=weight)


def co_activated(together: Iterable[Sequence[str]], known: Iterable[Edge], rate: float = LEARNING_RATE) -> list[Edge]:
    """Return the edges that change when these groups of traces were of use together.

    An edge that is there gains ``rate``, up to 1; a new one begins with it. Source: Hebb, "The Organization of
    Behavior" (1949), as the specification words it.

    >>> [round(edge.weight, 1) for edge in co_activated([["a", "b"], ["b", "a"]], [])]
    [0.2]
    """
    edges = {edge.id: edge for edge in known}
    changed: dict[str, Edge] = {}
    for group in together:
        for one, other in combinations(list(dict.fromkeys(group))[-MAX_TOGETHER:], 2):
            edge = edge_between(one, other, rate)
            held = edges.get(edge.id)
            stronger = edge if held is None else held.model_copy(update={"weight": min(1.0, held.weight + rate)})
            edges[edge.id] = changed[edge.id] = stronger
    return list(changed.values())


def pair_ids(together: Iterable[Sequence[str]]) -> list[str]:
    """Return the ids of the edges that `co_activated` may change."""
    return [edge.id for edge in co_activated(together, [])]


def repointed(edges: Iterable[Edge], moved: Mapping[str, str]) -> list[Edge]:
    """Return the edges with every id in ``moved`` replaced, again and again while it is in there.

    None leads from a trace to itself; of two that become one the heavier is left.

    >>> [edge.id for edge in repointed([edge_between("a", "b", 0.5), edge_between("b", "c", 0.1)], {"b": "a"})]
    ['a c co_activated']
    """
    kept: dict[str, Edge] = {}
    for edge in edges:
        one, other = _last(edge.source, moved), _last(edge.target, moved)
        if one == other:
            continue
        new = edge_between(one, other, edge.weight, edge.type)
        held = kept.get(new.id)
        if held is None or held.weight < new.weight:
            kept[new.id] = new
    return list(kept.values())


def _last(trace_id: str, moved: Mapping[str, str]) -> str:
    while trace_id in moved:
        trace_id = moved[trace_id]
    return trace_id


def clusters(edges: Iterable[Edge], smallest: int) -> list[list[str]]:
    """Return the connected groups of at least ``smallest`` traces, the largest first, ids in order.

    >>> clusters([edge_between("a", "b", 1), edge_between("b", "c", 1), edge_between("x", "y", 1)], 3)
    [['a', 'b', 'c']]
    """
    near: dict[str, list[str]] = {}
    for edge in edges:
        near.setdefault(edge.source, []).append(edge.target)
        near.setdefault(edge.target, []).append(edge.source)
    seen: set[str] = set()
    found: list[list[str]] = []
    for start in near:
        waiting, group = [start], set[str]()
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                group.add(node)
                waiting += near[node]
        if len(group) >= smallest:
            found.append(sorted(group))
    return sorted(found, key=lambda group: (-len(group), group))
