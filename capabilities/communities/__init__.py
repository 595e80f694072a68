"""Communities: what memories name and relate as a graph, the groups in it, and searching both.

What lives here: entities and relations by rules, the groups and their summaries, local and global search, and
``ctx.cap.communities``. What does not: what asks a model (``blocks.communities``), and the ties between traces, which
tell what comes to mind (``cognitive``).
"""

from .capability import create_communities
from .memory import CommunityMemory
from .record import Community, EntityType, NamedEntity, Relation, SourcedRelation, SourceGraph
from .results import Built, FoundCommunity, FoundEntity, GlobalAnswer, GlobalSearch, LocalSearch

__all__ = [
    "Built",
    "Community",
    "CommunityMemory",
    "EntityType",
    "FoundCommunity",
    "FoundEntity",
    "GlobalAnswer",
    "GlobalSearch",
    "LocalSearch",
    "NamedEntity",
    "Relation",
    "SourceGraph",
    "SourcedRelation",
    "create_communities",
]
