"""The wiring: blocks put together into a memory system and a command line.

The names are loaded when they are asked for, so that the command line can print its help without loading the engine.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .system import Memory, MemorySystem, Tier, memory_system

__all__ = ["Memory", "MemorySystem", "Tier", "memory_system"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import system as wiring  # noqa: PLC0415

    return getattr(wiring, name)
