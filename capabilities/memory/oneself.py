"""Who the one who asks is in the memory: under which subjects, and by which names."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.context import Context
from fabric.language import guess_language
from fabric.text import words

from ..claims import USER, claim_of, subject_key
from ..relations.words import GRAMMAR
from .layout import MemoryLayout

if TYPE_CHECKING:
    from ..retrieval.people import People
    from .reading import Memory

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


def of_others(people: "People", memories: Sequence["Memory"]) -> frozenset[str]:
    """Return the ids of turns of which only what is about somebody else was noted, where the user is asked about."""
    if not people.is_about_me:
        return frozenset()
    mine: set[str] = set()
    theirs: set[str] = set()
    for memory in memories:
        is_own = memory.subject in people.mine and claim_of(memory).subject in people.mine
        (mine if is_own else theirs).update(source.turn_id for source in memory.sources)
    return frozenset(theirs - mine)


@lru_cache(maxsize=8_192)
def speaks_of_me(text: str) -> bool:
    """Return whether whoever wrote a text says "I" or "my" in it, in English or its own language."""
    said = words(text)
    spoken = {"english", guess_language(said)} & GRAMMAR.keys()
    return any(not (GRAMMAR[name].i | GRAMMAR[name].mine).isdisjoint(said) for name in spoken)
