"""The wiring: blocks put together into a memory system and a command line.

The names are loaded when they are asked for, so that the command line can print its help without loading the engine.
"""

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
    from capabilities.mind import mind

    from .captured import Captured
    from .facade import AsyncMemory, Memory
    from .system import MemorySystem, MemoryView, Tier, memory_system

__all__ = [
    "AsyncMemory",
    "Captured",
    "Memory",
    "MemorySystem",
    "MemoryView",
    "Tier",
    "memory_system",
    "memory_tools",
    "mind",
    "working_memory_add",
    "working_memory_capture",
    "working_memory_observe",
    "working_memory_remember",
    "working_memory_snapshot",
    "working_memory_tick",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_home(name), name)


def _home(name: str) -> Any:
    """Return the module that a name stands in, loading no other."""
    if name == "mind":
        from capabilities import mind  # noqa: PLC0415

        return mind
    if name == "memory_tools":
        from blocks import tools  # noqa: PLC0415

        return tools
    if name.startswith("working_memory"):
        from blocks.capture import working  # noqa: PLC0415

        return working
    if name in ("AsyncMemory", "Captured", "Memory"):
        from . import facade  # noqa: PLC0415

        return facade
    from . import system  # noqa: PLC0415

    return system


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
