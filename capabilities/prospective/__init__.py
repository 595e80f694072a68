"""Prospective memory: what is to be done later, and what brings it back: a time, an event, or what is talked about.

What lives here: the record of an intention, how a time is read from words in a user's zone, when one is due, and
``ctx.cap.prospective``. What does not: prompts (``cognitive/prompt``), and who observes what was said.
"""

from .capability import create_prospective
from .commitments import NoteKind, Proposal, intention_of
from .memory import ProspectiveMemory
from .record import Due, Intention, ProspectiveConfig, Status, Trigger

__all__ = [
    "Due",
    "Intention",
    "NoteKind",
    "Proposal",
    "ProspectiveConfig",
    "ProspectiveMemory",
    "Status",
    "Trigger",
    "create_prospective",
    "intention_of",
]
