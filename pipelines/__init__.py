"""The wiring: blocks put together into a memory system and a command line, and all that a pipeline with memory imports.

Not here: what a step does (``blocks``), and what it does it to (``capabilities``).
The names are loaded when they are asked for, so that the command line can print its help without loading the engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blocks.capture.working import (
        working_memory_add,
        working_memory_capture,
        working_memory_observe,
        working_memory_remember,
        working_memory_snapshot,
        working_memory_tick,
    )
    from blocks.tools import memory_tools
    from capabilities.episodic import (
        create_episodic_memory_capability,
        create_episodic_memory_resource,
        episodic_memory_capability,
    )
    from capabilities.mind import mind
    from capabilities.semantic import (
        create_semantic_memory_capability,
        create_semantic_memory_resource,
        semantic_memory_capability,
    )
    from capabilities.working import (
        create_working_memory_capability,
        create_working_memory_resource,
        working_memory_capability,
        working_memory_resource,
    )

    from .captured import Captured
    from .cognitive import CognitiveSystem, cognitive_memory, cognitive_turn
    from .facade import AsyncMemory, Memory
    from .retain import RetainSystem, retain_memory
    from .system import MemorySystem, MemoryView, Tier, memory_system

__all__ = [
    "AsyncMemory",
    "Captured",
    "CognitiveSystem",
    "Memory",
    "MemorySystem",
    "MemoryView",
    "RetainSystem",
    "Tier",
    "cognitive_memory",
    "cognitive_turn",
    "create_episodic_memory_capability",
    "create_episodic_memory_resource",
    "create_semantic_memory_capability",
    "create_semantic_memory_resource",
    "create_working_memory_capability",
    "create_working_memory_resource",
    "episodic_memory_capability",
    "memory_system",
    "memory_tools",
    "mind",
    "retain_memory",
    "semantic_memory_capability",
    "working_memory_add",
    "working_memory_capability",
    "working_memory_capture",
    "working_memory_observe",
    "working_memory_remember",
    "working_memory_resource",
    "working_memory_snapshot",
    "working_memory_tick",
]
_HOMES = {
    "pipelines.captured": ("Captured",),
    "pipelines.cognitive": ("CognitiveSystem", "cognitive_memory", "cognitive_turn"),
    "pipelines.facade": ("AsyncMemory", "Memory"),
    "pipelines.retain": ("RetainSystem", "retain_memory"),
    "pipelines.system": ("MemorySystem", "MemoryView", "Tier", "memory_system"),
    "blocks.capture.working": (
        "working_memory_add",
        "working_memory_capture",
        "working_memory_observe",
        "working_memory_remember",
        "working_memory_snapshot",
        "working_memory_tick",
    ),
    "blocks.tools": ("memory_tools",),
    "capabilities.episodic": (
        "create_episodic_memory_capability",
        "create_episodic_memory_resource",
        "episodic_memory_capability",
    ),
    "capabilities.mind": ("mind",),
    "capabilities.semantic": (
        "create_semantic_memory_capability",
        "create_semantic_memory_resource",
        "semantic_memory_capability",
    ),
    "capabilities.working": (
        "create_working_memory_capability",
        "create_working_memory_resource",
        "working_memory_capability",
        "working_memory_resource",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
