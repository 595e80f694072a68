"""The engine: blocks that snap together, and what they run on. It knows blocks, not memory."""

from pathlib import Path

from .block import Block, Retry
from .capability import Capability, Preset, define_capability
from .clock import Clock, SystemClock
from .context import Context
from .errors import FabricError
from .events import BlockFinished, BlockStarted, Event, ItemAdded, Recalled, RunFinished, TextDelta, WorkFinished
from .floors import check_floors
from .generator import generator
from .handler import handler
from .items import Draft, Item
from .jobs import Job
from .models.base import ModelClient
from .resource import Collection, Document, Transaction
from .router import router
from .run import Fabric
from .scope import Scope, ScopeIds
from .sequencer import sequencer
from .session import RunResult, Session, Stream
from .tool import Tool, tool
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
