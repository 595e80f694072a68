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
    for level, some in groupby(found, lambda one: one.level):
        rows = [
            (
                one.title,
                str(len(one.entities)),
                str(len(one.drawn_from)),
                one.by,
                f"{shortened(one.summary)} | {one.id}",
            )
            for one in some
        ]
        columns = ["community", "members", "memories", "by", "summary, and its id"]
        table(f"Level {level}: {len(rows)}", columns, rows)


def show_found(found: "LocalSearch | GlobalSearch") -> None:
    """Write what a search found: entities and relations, where it has any, then communities."""
    named = [one for one in getattr(found, "entities", ()) if one.hops == 0]
    if named:
        rows = [(one.name, one.type, str(len(one.sources))) for one in named]
        table(f"Named: {len(rows)}", ["name", "type", "memories"], rows)
    relations = getattr(found, "relations", ())
    if relations:
        related = [(str(one), f"{one.weight:g}", ", ".join(one.sources)) for one in relations]
        table(f"Relations: {len(related)}", ["relation", "weight", "memories"], related)
    groups = [(one.title, str(one.level), shortened(one.summary), str(len(one.sources))) for one in found.communities]
    if groups:
        table(f"Communities: {len(groups)}", ["community", "level", "summary", "memories"], groups)
