"""Traces: what an agent remembers of its own accord, with tools to add, correct, search and tidy.

Not here: the tools as a model calls them (``blocks/tools``), and how a trace is encoded and fades in a cognitive memory
(``capabilities/cognitive``).
"""

from .capability import Addition, Merged, Recalled, TraceMemory, create_traces_capability
from .consolidation.run import Derive, Reflection
from .record import (
    DEFAULT_TRACES_CONFIG,
    ConsolidationRun,
    Feedback,
    Trace,
    TracesConfig,
    TraceScope,
    TraceType,
)

__all__ = [
    "DEFAULT_TRACES_CONFIG",
    "Addition",
    "ConsolidationRun",
    "Derive",
    "Feedback",
    "Merged",
    "Recalled",
    "Reflection",
    "Trace",
    "TraceMemory",
    "TraceScope",
    "TraceType",
    "TracesConfig",
    "create_traces_capability",
]
