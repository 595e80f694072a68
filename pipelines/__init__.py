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
    from capabilities.mind import mind

    from .facade import AsyncMemory, Captured, Memory
    from .system import MemorySystem, MemoryView, Tier, memory_system

__all__ = [
    "AsyncMemory",
    "Captured",
    "Memory",
    "MemorySystem",
    "MemoryView",
    "Tier",
    "memory_system",
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
    from blocks import working  # noqa: PLC0415
    from capabilities import mind  # noqa: PLC0415

    from . import facade, system  # noqa: PLC0415

    return next(getattr(home, name) for home in (working, facade, system, mind) if hasattr(home, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
