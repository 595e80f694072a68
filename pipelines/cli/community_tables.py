"""Communities, and what is found around a cue, as tables."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from .output import table
from .tiers import shortened

if TYPE_CHECKING:
    from capabilities.communities import Community, GlobalSearch, LocalSearch


def show_communities(found: "Sequence[Community]") -> None:
    """Write communities, a table for each level, the finest first."""
    for level, some in groupby(found, lambda community: community.level):
        rows = [
            (
                community.title,
                str(len(community.entities)),
                str(len(community.drawn_from)),
                community.by,
                f"{shortened(community.summary)} | {community.id}",
            )
            for community in some
        ]
        columns = ["community", "members", "memories", "by", "summary, and its id"]
        table(f"Level {level}: {len(rows)}", columns, rows)


def show_found(found: "LocalSearch | GlobalSearch") -> None:
    """Write what a search found: entities and relations, where it has any, then communities."""
    named = [entity for entity in getattr(found, "entities", ()) if entity.hops == 0]
    if named:
        rows = [(entity.name, entity.type, str(len(entity.sources))) for entity in named]
        table(f"Named: {len(rows)}", ["name", "type", "memories"], rows)
    relations = getattr(found, "relations", ())
    if relations:
        related = [(str(relation), f"{relation.weight:g}", ", ".join(relation.sources)) for relation in relations]
        table(f"Relations: {len(related)}", ["relation", "weight", "memories"], related)
    groups = [
        (community.title, str(community.level), shortened(community.summary), str(len(community.sources)))
        for community in found.communities
    ]
    if groups:
        table(f"Communities: {len(groups)}", ["community", "level", "summary", "memories"], groups)
