"""The engine: blocks that snap together, and what they run on. It knows blocks, not memory."""

from pathlib import Path

from .clock import Clock, SystemClock
from .errors import FabricError
from .floors import check_floors
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
