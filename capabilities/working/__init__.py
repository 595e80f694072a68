"""Working memory: the few things an agent tracks in one session, which fade unless they are used.

Not here: the formula of fading (``capabilities/formulas/salience.py``), and the slots of a cognitive memory
(``capabilities/cognitive/slots.py``).
"""

from .capability import WorkingMemory, create_working_memory_capability, working_memory_capability
from .document import (
    add,
    advance,
    create_working_memory_resource,
    evict,
    items,
    load,
    pin,
    refresh,
    save,
    unpin,
    working_memory_resource,
)
from .format import format_active, format_entries, format_for_observer
from .record import (
    DEFAULT_WORKING_MEMORY_CONFIG,
    Added,
    DecayConfig,
    WorkingEntry,
    WorkingMemoryConfig,
    WorkingState,
)

__all__ = [
    "DEFAULT_WORKING_MEMORY_CONFIG",
    "Added",
    "DecayConfig",
    "WorkingEntry",
    "WorkingMemory",
    "WorkingMemoryConfig",
    "WorkingState",
    "add",
    "advance",
    "create_working_memory_capability",
    "create_working_memory_resource",
    "evict",
    "format_active",
    "format_entries",
    "format_for_observer",
    "items",
    "load",
    "pin",
    "refresh",
    "save",
    "unpin",
    "working_memory_capability",
    "working_memory_resource",
]
