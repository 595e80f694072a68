"""What a block may be given: memory tiers, mind, traces and the cognitive memory as capabilities; formulas beneath.

Not here: blocks, and what asks a model (``blocks``); the store and transactions (``fabric``).
The names are loaded when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .claims import Claim, compare, read
    from .cognitive import Cognition, CognitiveConfig, CognitiveMemory, Profile, create_cognition
    from .episodic import (
        Episode,
        EpisodicConfig,
        EpisodicMemory,
        create_episodic_memory_capability,
        create_episodic_memory_resource,
        episodic_memory_capability,
    )
    from .mind import Mind, MindConfig, MindProvider
    from .semantic import (
        ConsolidationConfig,
        Fact,
        FactInput,
        PruneConfig,
        SemanticConfig,
        SemanticMemory,
        create_semantic_memory_capability,
        create_semantic_memory_resource,
        semantic_memory_capability,
    )
    from .traces import Trace, TracesConfig, create_traces_capability
    from .working import (
        WorkingEntry,
        WorkingMemory,
        WorkingMemoryConfig,
        create_working_memory_capability,
        create_working_memory_resource,
        working_memory_capability,
        working_memory_resource,
    )

__all__ = [
    "Claim",
    "Cognition",
    "CognitiveConfig",
    "CognitiveMemory",
    "ConsolidationConfig",
    "Episode",
    "EpisodicConfig",
    "EpisodicMemory",
    "Fact",
    "FactInput",
    "Mind",
    "MindConfig",
    "MindProvider",
    "Profile",
    "PruneConfig",
    "SemanticConfig",
    "SemanticMemory",
    "Trace",
    "TracesConfig",
    "WorkingEntry",
    "WorkingMemory",
    "WorkingMemoryConfig",
    "compare",
    "create_cognition",
    "create_episodic_memory_capability",
    "create_episodic_memory_resource",
    "create_semantic_memory_capability",
    "create_semantic_memory_resource",
    "create_traces_capability",
    "create_working_memory_capability",
    "create_working_memory_resource",
    "episodic_memory_capability",
    "read",
    "semantic_memory_capability",
    "working_memory_capability",
    "working_memory_resource",
]
_HOMES = {
    "working": (
        "WorkingEntry",
        "WorkingMemory",
        "WorkingMemoryConfig",
        "create_working_memory_capability",
        "create_working_memory_resource",
        "working_memory_capability",
        "working_memory_resource",
    ),
    "episodic": (
        "Episode",
        "EpisodicConfig",
        "EpisodicMemory",
        "create_episodic_memory_capability",
        "create_episodic_memory_resource",
        "episodic_memory_capability",
    ),
    "semantic": (
        "ConsolidationConfig",
        "Fact",
        "FactInput",
        "PruneConfig",
        "SemanticConfig",
        "SemanticMemory",
        "create_semantic_memory_capability",
        "create_semantic_memory_resource",
        "semantic_memory_capability",
    ),
    "mind": (
        "Mind",
        "MindConfig",
        "MindProvider",
    ),
    "traces": (
        "Trace",
        "TracesConfig",
        "create_traces_capability",
    ),
    "cognitive": (
        "Cognition",
        "CognitiveConfig",
        "CognitiveMemory",
        "Profile",
        "create_cognition",
    ),
    "claims": (
        "Claim",
        "compare",
        "read",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
