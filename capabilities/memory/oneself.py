"""Who the one who asks is in the memory: under which subjects, and by which names."""

from fabric.context import Context

from ..claims import USER, subject_key
from .layout import MemoryLayout

SHARED = frozenset({"project", "org", "agent"})
"""Scopes in which several users state facts: each is a subject of their own there."""


def is_shared(layout: MemoryLayout) -> bool:
    """Return whether several users share the facts, the episodes or the turns of a memory."""
    tiers = (layout.semantic, layout.episodic, layout.turns)
    return any(collection is not None and collection.scope in SHARED for collection in tiers)


def self_subjects(ctx: Context, layout: MemoryLayout) -> frozenset[str]:
    """Return the subjects under which what the user says of themselves is filed.

    That is "user"; in a memory that several users share it is also the id of the one who asks.
    """
    if ctx.user and is_shared(layout):
        return frozenset({USER, subject_key(ctx.user)})
    return frozenset({USER})
