"""Activation in a graph and ties between memories, beside the reference and in properties."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.activation import Spread, clusters, spread, tied

from .golden import assert_all_match

CONFIG = {"max_depth": "depth", "decay_per_hop": "per_hop", "activation_threshold": "threshold", "max_results": "limit"}


def reached(given: Any) -> list[Any]:
    how = Spread(**{CONFIG[name]: value for name, value in given["config"].items()}, echoes=True)
    found = spread(given["seed_ids"], lambda node: given["adjacency"].get(node, []), how)
    return [
        {"memory_id": one.node, "activation": one.activation, "depth": one.hops, "activated_by": sorted(one.seeds)}
        for one in found
    ]


def learned(given: Any) -> list[Any]:
    nodes = set(given["nodes"])
    edges = {tuple(sorted((a, b))): (kind, weight) for a, b, kind, weight in given["initial_edges"]}
    for step in given["steps"]:
        known = [node for node in step["memory_ids"] if node in nodes]
        for pair in (tuple(sorted(pair)) for pair in combinations(known, 2) if pair[0] != pair[1]):
            kind, weight = edges.get(pair, ("CO_ACTIVATED", None))
            edges[pair] = (kind, tied(weight, step.get("learning_rate", 0.1)))
    return sorted([*pair, *edge] for pair, edge in edges.items())


def parts(given: Any) -> list[Any]:
    found = clusters(given["nodes"], [(a, b) for a, b, _ in given["edges"]], given.get("min_size", 3))
    return [{"member_ids": sorted(part), "density": density} for part, density in found]


def unordered(rows: Any, field: str) -> Any:
    return [{**row, field: sorted(row[field])} for row in rows]


@pytest.mark.parametrize(
    ("function", "ours", "field"),
    [
        ("spread_activation", reached, "activated_by"),
        ("record_co_activation", learned, ""),
        ("detect_clusters", parts, "member_ids"),
    ],
)
def test_activation_is_as_the_reference_has_it(function: str, ours: Any, field: str) -> None:
    assert_all_match("spreading_activation", function, ours, lambda rows: unordered(rows, field) if field else rows)


names = st.sampled_from("abcdef")
edges = st.lists(st.tuples(names, names, st.floats(0, 1)), max_size=15)


def beside(pairs: list[tuple[str, str, float]]) -> dict[str, list[tuple[str, float]]]:
    graph: dict[str, list[tuple[str, float]]] = {}
    for first, second, weight in pairs:
        graph.setdefault(first, []).append((second, weight))
        graph.setdefault(second, []).append((first, weight))
    return graph


@given(edges, st.lists(names, min_size=1, max_size=3))
def test_activation_stays_within_bounds_and_never_tells_a_seed(
    pairs: list[tuple[str, str, float]], seeds: list[str]
) -> None:
    graph = beside(pairs)
    found = spread(seeds, lambda node: graph.get(node, []))
    assert all(0.1 <= one.activation <= 1 and one.hops in (1, 2, 3) for one in found)
    assert {one.node for one in found}.isdisjoint(seeds)
    assert [one.activation for one in found] == sorted((one.activation for one in found), reverse=True)


def test_a_child_does_not_echo_back_to_its_parent() -> None:
    graph = beside([("a", "b", 1.0), ("b", "c", 1.0)])
    quiet = spread(["a"], lambda node: graph.get(node, []))
    loud = spread(["a"], lambda node: graph.get(node, []), Spread(echoes=True))
    assert [(one.node, one.activation) for one in quiet] == [("b", 0.5), ("c", 0.25)]
    assert [(one.node, one.activation) for one in loud] == [("b", 0.625), ("c", 0.25)]
