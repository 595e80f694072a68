"""The engine: blocks that snap together, and what they run on. It knows blocks, not memory.

The names are loaded when they are asked for.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .floors import check_floors

if TYPE_CHECKING:
    from .clock import Clock, SystemClock
    from .errors import FabricError
    from .flow.block import Block
    from .flow.capability import Capability, Preset, define_capability
    from .flow.context import Context
    from .flow.failing import Retry
    from .flow.handler import handler
    from .flow.resource import Collection, Document, Transaction
    from .flow.router import router
    from .flow.sequencer import sequencer
    from .flow.tool import Tool, tool
    from .generation.generator import generator
    from .jobs.job import Job
    from .models.base import ModelClient
    from .record.events import (
        BlockFinished,
        BlockStarted,
        Event,
        ItemAdded,
        Recalled,
        RunFinished,
        TextDelta,
        WorkFinished,
    )
    from .record.items import Draft, Item
    from .scope import Scope, ScopeIds
    from .sessions.fabric import Fabric
    from .sessions.session import RunResult, Session, Stream
    from .usage import ModelCall, Usage

check_floors(Path(__file__).parent.parent)

__all__ = [
    "Block",
    "BlockFinished",
    "BlockStarted",
    "Capability",
    "Clock",
    "Collection",
    "Context",
    "Document",
    "Draft",
    "Event",
    "Fabric",
    "FabricError",
    "Item",
    "ItemAdded",
    "Job",
    "ModelCall",
    "ModelClient",
    "Preset",
    "Recalled",
    "Retry",
    "RunFinished",
    "RunResult",
    "Scope",
    "ScopeIds",
    "Session",
    "Stream",
    "SystemClock",
    "TextDelta",
    "Tool",
    "Transaction",
    "Usage",
    "WorkFinished",
    "define_capability",
    "generator",
    "handler",
    "router",
    "sequencer",
    "tool",
]
_HOMES = {
    "clock": ("Clock", "SystemClock"),
    "errors": ("FabricError",),
    "flow.block": ("Block",),
    "flow.capability": ("Capability", "Preset", "define_capability"),
    "flow.context": ("Context",),
    "flow.failing": ("Retry",),
    "flow.handler": ("handler",),
    "flow.resource": ("Collection", "Document", "Transaction"),
    "flow.router": ("router",),
    "flow.sequencer": ("sequencer",),
    "flow.tool": ("Tool", "tool"),
    "generation.generator": ("generator",),
    "jobs.job": ("Job",),
    "models.base": ("ModelClient",),
    "record.events": (
        "BlockFinished",
        "BlockStarted",
        "Event",
        "ItemAdded",
        "Recalled",
        "RunFinished",
        "TextDelta",
        "WorkFinished",
    ),
    "record.items": ("Draft", "Item"),
    "scope": ("Scope", "ScopeIds"),
    "sessions.fabric": ("Fabric",),
    "sessions.session": ("RunResult", "Session", "Stream"),
    "usage": ("ModelCall", "Usage"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
