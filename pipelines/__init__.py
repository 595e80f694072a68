"""The wiring: blocks put together into a memory system and a command line.

The names are loaded when they are asked for, so that the command line can print its help without loading the engine.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blocks.working import (
        working_memory_add,
        working_memory_capture,
        working_memory_observe,
        working_memory_remember,
        working_memory_snapshot,
        working_memory_tick,
    )

    from .system import Memory, MemorySystem, Tier, memory_system

__all__ = [
    "Memory",
    "MemorySystem",
    "Tier",
    "memory_system",
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
    from blocks import working  # noqa: PLC0415

    from . import system  # noqa: PLC0415

    return getattr(working if name.startswith("working_memory") else system, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
