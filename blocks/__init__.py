"""The steps of the memory: observe, reflect, tick, consolidate, prune, and their prompts.

Not here: the records and what is done to them (``capabilities``), and the order in which steps run (``pipelines``).
The names are loaded when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .capture.keep import keep_block
    from .capture.observe import observe_block
    from .capture.reflect import reflect_block
    from .capture.tick import tick_block
    from .capture.working import (
        working_memory_add,
        working_memory_capture,
        working_memory_observe,
        working_memory_remember,
        working_memory_snapshot,
        working_memory_tick,
    )
    from .cognitive import encode_block, end_turn_block, retrieve_block, sweep_block, use_block
    from .consolidation.consolidate import consolidate_block
    from .consolidation.prune import prune_block
    from .explain import why_block
    from .export import export_block
    from .forgetting.forget import forget_block
    from .import_turns import import_block
    from .reembed import reembed_block
    from .remember import correct_block, remember_block
    from .tools import memory_tools

__all__ = [
    "consolidate_block",
    "correct_block",
    "encode_block",
    "end_turn_block",
    "export_block",
    "forget_block",
    "import_block",
    "keep_block",
    "memory_tools",
    "observe_block",
    "prune_block",
    "reembed_block",
    "reflect_block",
    "remember_block",
    "retrieve_block",
    "sweep_block",
    "tick_block",
    "use_block",
    "why_block",
    "working_memory_add",
    "working_memory_capture",
    "working_memory_observe",
    "working_memory_remember",
    "working_memory_snapshot",
    "working_memory_tick",
]
_HOMES = {
    "capture.keep": ("keep_block",),
    "capture.observe": ("observe_block",),
    "capture.reflect": ("reflect_block",),
    "capture.tick": ("tick_block",),
    "capture.working": (
        "working_memory_add",
        "working_memory_capture",
        "working_memory_observe",
        "working_memory_remember",
        "working_memory_snapshot",
        "working_memory_tick",
    ),
    "cognitive": (
        "encode_block",
        "end_turn_block",
        "retrieve_block",
        "sweep_block",
        "use_block",
    ),
    "consolidation.consolidate": ("consolidate_block",),
    "consolidation.prune": ("prune_block",),
    "explain": ("why_block",),
    "export": ("export_block",),
    "forgetting.forget": ("forget_block",),
    "import_turns": ("import_block",),
    "remember": (
        "correct_block",
        "remember_block",
    ),
    "reembed": ("reembed_block",),
    "tools": ("memory_tools",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
