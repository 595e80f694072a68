"""Where graphs and communities are kept: per owner, as traces are, and found by the names in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fabric.flow.resource import Collection, Document, Resource
from fabric.search.base import ColumnType
from fabric.text.terms import terms

from ..traces.tables import Owner, by_owner
from .names import name_terms
from .record import Community, GraphState, SourceGraph

_GRAPH: Mapping[str, ColumnType] = {"persona": "text", "digest": "text", "by": "text", "tries": "integer"}
_COMMUNITY: Mapping[str, ColumnType] = {"persona": "text", "level": "integer", "by": "text", "tries": "integer"}


@dataclass(frozen=True, slots=True)
class Shelf:
    """The tables of one kind of owner: the graph of each memory, the communities, and the state of the build."""

    graph: Collection[SourceGraph]
    communities: Collection[Community]
    state: Document[GraphState]

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The resources that hold these, for a capability to declare."""
        return (self.graph, self.communities, self.state)


def _names(row: Mapping[str, Any]) -> list[str]:
    return name_terms(str(row["names"]).splitlines())


def _summary(row: Mapping[str, Any]) -> list[str]:
    return terms(row["summary"], row["title"])


def _shelf(owner: Owner, name: str) -> Shelf:
    return Shelf(
        Collection(
            f"source_graph_{name}",
            SourceGraph,
            owner,
            _GRAPH,
            text="names",
            terms=_names,
            kept=tuple(_GRAPH),
            packed=tuple(_GRAPH),
            required=False,
        ),
        Collection(
            f"communities_{name}",
            Community,
            owner,
            _COMMUNITY,
            text="summary",
            terms=_summary,
            kept=tuple(_COMMUNITY),
            required=False,
        ),
        Document(f"community_digests_{name}", GraphState, owner, required=False),
    )


SHELVES = by_owner(_shelf)
COMMUNITY_RESOURCES: tuple[Resource, ...] = tuple(
    resource for shelf in SHELVES.values() for resource in shelf.resources
)
