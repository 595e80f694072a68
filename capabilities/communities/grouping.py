"""Communities: Louvain's groups of entities on up to three levels, each with a title and a summary by rules.

Blondel, V. D., et al. (2008), "Fast unfolding of communities in large networks"; Edge, D., et al. (2024), "From local
to global: a graph RAG approach to query-focused summarization".
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from fabric.lazy import lazy

from .record import WITH, Community, EntityType, NamedEntity, SourcedRelation, SourceGraph

if TYPE_CHECKING:
    import networkx as nx
else:
    nx = lazy("networkx")

LEVELS = 3
RESOLUTION = 1.0
PER_LEVEL = 0.5
"""By what the resolution is multiplied for each level above: the coarser, the fewer and larger."""
SMALLEST = 2
"""Entities of a community at least."""
SEED = 7
"""Of Louvain's order of visits, so that the same graph has the same communities."""
IN_TITLE = 3
STRONGEST = 20
"""How many relations a community tells."""
IN_SUMMARY = 8
"""How many of them stand in a summary by rules."""
HUB_SHARE, LEAST_HUB = 0.25, 20
"""From which share of the memories on, and from how many, an entity is named everywhere: it tells no groups apart."""
Group = frozenset[str]
NOBODY: Group = frozenset()


@dataclass(slots=True)
class EntityGraph:
    """What all memories of one owner and persona name and relate, put together; names that differ in case are one."""

    spellings: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    types: dict[str, Counter[EntityType]] = field(default_factory=lambda: defaultdict(Counter))
    sources: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By entity, the memories that name it."""
    weights: dict[tuple[str, str, str], float] = field(default_factory=lambda: defaultdict(float))
    told_by: dict[tuple[str, str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, memories: Iterable[SourceGraph]) -> "EntityGraph":
        """Return the graph of some memories."""
        graph = cls()
        for memory in memories:
            for entity in memory.entities:
                graph.spellings[entity.key][entity.name] += 1
                graph.types[entity.key][entity.type] += 1
                graph.sources[entity.key].append(memory.id)
            for relation in memory.relations:
                graph.weights[relation.key] += relation.weight
                graph.told_by[relation.key].append(memory.id)
        return graph

    def entity(self, key: str) -> NamedEntity:
        """Return an entity as it is named most often; what nothing tells of it counts only where nothing does."""
        kinds = self.types[key]
        kind = min(kinds, key=lambda label: (label == "concept", -kinds[label], label))
        names = self.spellings[key]
        return NamedEntity(name=min(names, key=lambda name: (-names[name], name)), type=kind)

    def relations(self, keys: Iterable[tuple[str, str, str]], most: int = STRONGEST) -> list[SourcedRelation]:
        """Return the strongest of some relations, the strongest first; one that says how before one that does not."""
        ordered = sorted(keys, key=lambda key: (-self.weights[key], key[2] == WITH, key))[:most]
        return [
            SourcedRelation(
                source=self.entity(source).name,
                target=self.entity(target).name,
                label=label,
                weight=self.weights[source, target, label],
                sources=tuple(sorted(set(self.told_by[source, target, label]))),
            )
            for source, target, label in ordered
        ]

    def hubs(self) -> Group:
        """Return the entities that nearly all is about, such as those who speak in a chat."""
        named = {key: len(set(sources)) for key, sources in self.sources.items()}
        memories = len({source for sources in self.sources.values() for source in sources})
        return frozenset(key for key, count in named.items() if count >= max(LEAST_HUB, HUB_SHARE * memories))

    def network(self) -> "nx.Graph[str]":
        """Return it as a networkx graph in a fixed order, the relations of two entities as one edge."""
        made: nx.Graph[str] = nx.Graph()
        made.add_nodes_from(sorted(self.spellings))
        edges: dict[tuple[str, str], float] = defaultdict(float)
        for (source, target, _), weight in self.weights.items():
            edges[min(source, target), max(source, target)] += weight
        made.add_weighted_edges_from((source, target, edges[source, target]) for source, target in sorted(edges))
        return made


def levels_of(network: "nx.Graph[str]", hubs: Group = NOBODY) -> list[list[Group]]:
    """Return the communities level by level, the finest first; each level puts those of the one below together.

    On the finest, hubs draw nothing together but what is tied to them alone, each to that which it is tied to most.
    Groups of one entity are left out. The same graph always has the same ones.

    >>> import networkx
    >>> pairs = [[sorted(group) for group in level] for level in levels_of(networkx.Graph([("a", "b"), ("x", "y")]))]
    >>> pairs[0]
    [['a', 'b'], ['x', 'y']]
    """
    found: list[list[Group]] = []
    groups: list[Group] = [frozenset({node}) for node in network.nodes]
    for level in range(LEVELS):
        if level == 0 and hubs:
            groups = _around(network, groups, hubs)
        else:
            groups = _grouped(network, groups, RESOLUTION * PER_LEVEL**level)
        found.append([group for group in groups if len(group) >= SMALLEST])
    return found


def _around(network: "nx.Graph[str]", groups: Sequence[Group], hubs: Group) -> list[Group]:
    """Return the finest groups: of the entities that are no hubs, and a group for each hub with what is tied to it."""
    others = [group for group in groups if hubs.isdisjoint(group)]
    apart = _grouped(network.subgraph(sorted(network.nodes - hubs)), others, RESOLUTION)
    own: dict[str, set[str]] = {hub: {hub} for hub in sorted(hubs)}
    left: list[Group] = []
    for group in apart:
        ties = {hub: network.edges[key, hub]["weight"] for key in group for hub in network[key] if hub in hubs}
        if len(group) == 1 and ties:
            own[min(ties, key=lambda hub: (-ties[hub], hub))] |= group
        else:
            left.append(group)
    return sorted([*left, *map(frozenset, own.values())], key=lambda group: (-len(group), min(group)))


def _grouped(network: "nx.Graph[str]", groups: Sequence[Group], resolution: float) -> list[Group]:
    """Return groups put together by Louvain's method, which sees each of them as one node."""
    place = {node: number for number, group in enumerate(groups) for node in group}
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for node, other, weight in network.edges(data="weight", default=1.0):
        ends = place[node], place[other]
        weights[min(ends), max(ends)] += weight
    folded: nx.Graph[int] = nx.Graph()
    folded.add_nodes_from(range(len(groups)))
    folded.add_weighted_edges_from((node, other, weights[node, other]) for node, other in sorted(weights))
    if not folded.number_of_edges():
        return list(groups)
    found: list[set[int]] = nx.community.louvain_communities(folded, weight="weight", resolution=resolution, seed=SEED)
    joined = [frozenset[str]().union(*(groups[number] for number in numbers)) for numbers in found]
    return sorted(joined, key=lambda group: (-len(group), min(group)))


def communities_of(graph: EntityGraph, whose: str, persona: str, now: datetime, made_by: str) -> list[Community]:
    """Return the communities of a graph with titles and summaries by rules; ``whose`` goes into their ids."""
    network = graph.network()
    within: dict[tuple[int, Group], list[tuple[str, str, str]]] = {}
    hubs = graph.hubs()
    levels = levels_of(network, hubs=hubs)
    for level, groups in enumerate(levels):
        place = {key: group for group in groups for key in group}
        for relation in graph.weights:
            ends = frozenset(relation[:2])
            for group in {place[end] for end in ends if end in place}:
                if hubs >= ends - group:  # what its members have to do with a hub is told in each group
                    within.setdefault((level, group), []).append(relation)
    made: list[Community] = []
    above: Mapping[str, str] = {}
    for level in range(len(levels) - 1, -1, -1):
        here: dict[str, str] = {}
        for group in levels[level]:
            parent = above.get(min(group), "")
            community = _community(graph, group, within.get((level, group), []), level)
            digest = _digest(community)
            named = hashlib.sha256(f"{whose} {persona} {level} {digest}".encode()).hexdigest()
            own: dict[str, object] = {
                "id": f"community_{named[:32]}",
                "persona": persona,
                "digest": digest,
                "parent": parent,
                "made_at": now,
                "made_by": made_by,
            }
            made.append(community.model_copy(update=own))
            here.update(dict.fromkeys(group, str(own["id"])))
        above = here
    return sorted(made, key=lambda community: (community.level, -len(community.entities), community.id))


def _community(graph: EntityGraph, group: Group, within: Sequence[tuple[str, str, str]], level: int) -> Community:
    weights: dict[str, float] = defaultdict(float)
    for key in within:
        for end in key[:2]:
            weights[end] += graph.weights[key]
    entities = tuple(graph.entity(key) for key in sorted(group, key=lambda key: (-weights[key], key)))
    relations = tuple(graph.relations(within))
    told = [source for key in within for source in graph.told_by[key]]
    return Community(
        id="",
        level=level,
        title=title_of(entities),
        summary=summary_of(entities, relations),
        entities=entities,
        relations=relations,
        drawn_from=tuple(sorted(set(told))),
        made_at=datetime.min,  # noqa: DTZ901  replaced by whoever asked
    )


def title_of(entities: Sequence[NamedEntity]) -> str:
    """Return a title: the three entities that are related most."""
    return ", ".join(entity.name for entity in entities[:IN_TITLE])


def summary_of(entities: Sequence[NamedEntity], relations: Sequence[SourcedRelation]) -> str:
    """Return a summary without a model: the title, and the strongest relations.

    >>> bonds = [SourcedRelation(source="Ann", target="Stripe", label="employer", weight=2)]
    >>> summary_of([NamedEntity(name="Ann"), NamedEntity(name="Stripe")], bonds)
    'Ann, Stripe. Ann: employer Stripe.'
    """
    told = "; ".join(map(str, relations[:IN_SUMMARY]))
    return f"{title_of(entities)}. {told}." if told else f"{title_of(entities)}."


def _digest(community: Community) -> str:
    """Return what tells whether a summary still fits: members, relations and the memories it is drawn from."""
    told = community.model_dump(mode="json", include={"entities", "relations", "drawn_from"})
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
