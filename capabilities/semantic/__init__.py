"""Semantic memory: curated facts with confidence, history and sources.

Not here: what is the same or a change (``capabilities/claims``), how facts are ranked (``capabilities/retrieval``), and
how a recall crosses the tiers (``capabilities/memory/recall``).
"""

from .capability import (
    FACT_SCOPES,
    SemanticMemory,
    create_semantic_memory_capability,
    create_semantic_memory_resource,
    semantic_memory_capability,
)
from .foreign import Arrival, ForeignFact, arrive
from .format import format_facts
from .reconciliation import Reconciliation
from .record import (
    DEFAULT_CONSOLIDATION_CONFIG,
    DEFAULT_PRUNE_CONFIG,
    DEFAULT_SEMANTIC_CONFIG,
    ConsolidationConfig,
    Fact,
    FactInput,
    PruneConfig,
    SemanticConfig,
)
from .table import FactTable

__all__ = [
    "DEFAULT_CONSOLIDATION_CONFIG",
    "DEFAULT_PRUNE_CONFIG",
    "DEFAULT_SEMANTIC_CONFIG",
    "FACT_SCOPES",
    "Arrival",
    "ConsolidationConfig",
    "Fact",
    "FactInput",
    "FactTable",
    "ForeignFact",
    "PruneConfig",
    "Reconciliation",
    "SemanticConfig",
    "SemanticMemory",
    "arrive",
    "create_semantic_memory_capability",
    "create_semantic_memory_resource",
    "format_facts",
    "semantic_memory_capability",
]
