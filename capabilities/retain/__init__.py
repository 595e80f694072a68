"""Retain: durable facts of a coding agent, kept in banks, on a Hindsight server or in this file.

What lives here: which bank a directory's memories are kept in, the seam that both backends stand behind (`backend`),
the two of them, what of a conversation is kept as a transcript, and the blocks of a prompt. What does not: the tools
and the steps (``blocks/retain``), and the wiring (``pipelines/retain.py``).
"""

from .backend import Backend
from .banks import Bank, Scoping
from .config import BackendName, HindsightConfig, LocalConfig
from .record import Edit, EditStatus, Found, Recalled, Reflection, Retained, RetainItem, Transcript

__all__ = [
    "Backend",
    "BackendName",
    "Bank",
    "Edit",
    "EditStatus",
    "Found",
    "HindsightConfig",
    "LocalConfig",
    "Recalled",
    "Reflection",
    "RetainItem",
    "Retained",
    "Scoping",
    "Transcript",
]
