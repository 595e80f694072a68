"""The picture in ARCHITECTURE is true: each arrow is an import, each import runs along arrows, each room is in it."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product

import networkx as nx
import pytest

from tests.test_floors import FLOORS, ROOT, import_graph

NODE = re.compile(r'(\w+)(?:\["([^":]+)[^"]*"\])?')


@cache
def drawn() -> dict[str, list[tuple[frozenset[str], frozenset[str]]]]:
    """Return the arrows of each floor, from rooms to rooms."""
    picture = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("```mermaid\n")[2].partition("```")[0]
    labels = {name: label.split(", ") for name, label in NODE.findall(picture) if label}
    found: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for floor, body in re.findall(r"subgraph (\w+)\[.*?\n(.*?)\n    end", picture, re.DOTALL):
        found[floor] = []
        for line in body.splitlines():
            stations = [[labels[name] for name, _ in NODE.findall(part)] for part in line.split("-->")]
            alone = [(frozenset(rooms), frozenset[str]()) for rooms in stations[0]]
            arrows = [
                (frozenset(one), frozenset(other))
                for before, behind in pairwise(stations)
                for one, other in product(before, behind)
            ]
            found[floor] += arrows or alone
    return found


@cache
def imported(floor: str) -> frozenset[tuple[str, str]]:
    """Return which room of a floor imports which other one; a module beside the rooms is one of its own."""
    edges = ((one.split("."), other.split(".")) for one, other in import_graph().edges)
    return frozenset(
        (one[1], other[1])
        for one, other in edges
        if one[0] == other[0] == floor and len(one) > 1 and len(other) > 1 and one[1] != other[1]
    )


def rooms(floor: str) -> set[str]:
    return {path.parent.name for path in (ROOT / floor).glob("*/__init__.py")}


def between_rooms(floor: str) -> Iterator[tuple[str, str]]:
    return ((one, other) for one, other in imported(floor) if {one, other} <= rooms(floor))


@pytest.mark.parametrize("floor", FLOORS)
def test_each_arrow_is_an_import_of_every_room_at_its_ends(floor: str):
    wrong = [
        (sorted(one), sorted(other))
        for one, other in drawn()[floor]
        if other
        and not (
            all(any((room, to) in imported(floor) for to in other) for room in one)
            and all(any((room, to) in imported(floor) for room in one) for to in other)
        )
    ]
    assert wrong == []


@pytest.mark.parametrize("floor", FLOORS)
def test_each_room_is_named_and_each_import_between_rooms_runs_along_arrows(floor: str):
    named = {room for arrow in drawn()[floor] for rooms_of in arrow for room in rooms_of}
    assert rooms(floor) - named == set()
    graph: nx.DiGraph[str] = nx.DiGraph(edge for arrow in drawn()[floor] for edge in product(*arrow))
    assert sorted(edge for edge in between_rooms(floor) if edge[1] not in nx.descendants(graph, edge[0])) == []
