"""Activation in a graph of memories: how it spreads from some of them, and how use ties them together.

Weights and activations lie in [0, 1]. Source of the numbers where no other is named: the specification of the cognitive
memory.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Neighbours = Callable[[str], Iterable[tuple[str, float]]]
"""The neighbours of a node with the weight of each edge, in an order that stays the same."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How far activation goes: hops, the factor per hop, from which activation on it counts, and how many are told."""

    depth: int = 3
    per_hop: float = 0.5
    threshold: float = 0.1
    limit: int = 20
    echoes: bool = False
    """Whether a node gives activation back to the one it has it from, and a seed that is named twice gives it twice.

    So the reference does; each pair then counts in both directions.
    """


@dataclass(slots=True)
class Activated:
    """A node that activation reached: how much, after how many hops, and from which seeds."""

    node: str
    activation: float
    hops: int
    seeds: set[str] = field(default_factory=set[str])


def spread(seeds: Sequence[str], neighbours: Neighbours, how: Spread | None = None) -> list[Activated]:
    """Return the nodes that activation reaches from the seeds, most active first, without the seeds.

    Seeds have 1; every hop gives ``activation * weight * per_hop``, several ways add up, to 1 at most. What gives less
    than the threshold is dropped; a node is expanded once. Source: Anderson, "A spreading activation theory of memory",
    Journal of Verbal Learning and Verbal Behavior 22 (1983).

    >>> graph = {"a": [("b", 1.0)], "b": [("a", 1.0), ("c", 0.5)]}
    >>> [(one.node, one.activation) for one in spread(["a"], lambda node: graph.get(node, []))]
    [('b', 0.5), ('c', 0.125)]
    """
    how = how or Spread()
    reached = {seed: Activated(seed, 1.0, 0, {seed}) for seed in seeds}
    parents: dict[str, str] = {}
    wave = list(seeds if how.echoes else reached)
    for hop in range(1, how.depth + 1):
        later: list[str] = []
        for node in wave:
            source = reached[node]
            for other, weight in neighbours(node):
                if not how.echoes and parents.get(node) == other:
                    continue
                given = source.activation * weight * how.per_hop
                if given < how.threshold:
                    continue
                known = reached.get(other)
                if known is None:
                    reached[other] = Activated(other, min(1.0, given), hop, set(source.seeds))
                    parents[other] = node
                    later.append(other)
                else:
                    known.activation = min(1.0, known.activation + given)
                    known.seeds |= source.seeds
        wave = later
    found = [node for node in reached.values() if node.hops and node.activation >= how.threshold]
    return sorted(found, key=lambda node: -node.activation)[: how.limit]


def tied(weight: float | None, rate: float = 0.1) -> float:
    """Return the weight of an edge between two memories that were of use together: ``rate`` more, 1 at most.

    ``weight`` None is no edge yet. Source: Hebb, "The organization of behavior" (1949).

    >>> tied(None), tied(0.95)
    (0.1, 1.0)
    """
    return min(1.0, (weight or 0.0) + rate)


def clusters(
    nodes: Sequence[str], edges: Iterable[tuple[str, str]], least: int = 5
) -> list[tuple[frozenset[str], float]]:
    """Return the connected parts of at least so many nodes, in the order of their first, each with its density.

    Density is the number of edges over that of pairs.

    >>> clusters(["a", "b", "c"], [("a", "b")], least=2) == [(frozenset({"a", "b"}), 1.0)]
    True
    """
    pairs = {frozenset(edge) for edge in edges if edge[0] != edge[1]}
    beside: dict[str, set[str]] = {node: set() for node in nodes}
    for first, second in (tuple(pair) for pair in pairs):
        if first in beside and second in beside:
            beside[first].add(second)
            beside[second].add(first)
    found: list[tuple[frozenset[str], float]] = []
    seen: set[str] = set()
    for node in nodes:
        part = _reachable(node, beside) if node not in seen else frozenset[str]()
        seen |= part
        if len(part) >= max(least, 1) and part:
            inside = sum(pair <= part for pair in pairs)
            possible = len(part) * (len(part) - 1) / 2
            found.append((part, inside / possible if possible else 0.0))
    return found


def _reachable(node: str, beside: dict[str, set[str]]) -> frozenset[str]:
    found, waiting = {node}, [node]
    while waiting:
        for other in beside[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return frozenset(found)
