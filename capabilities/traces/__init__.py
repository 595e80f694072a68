"""Traces: what an agent remembers of its own accord, with tools to add, correct, search and tidy."""

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
