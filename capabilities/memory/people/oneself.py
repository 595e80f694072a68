"""Who the one who asks is in the memory: under which subjects, and by which names."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from capabilities.claims import USER, claim_of, named_so, subject_key, user_subject
from capabilities.relations.words import GRAMMAR
from capabilities.vocabulary import SPEAKER
from capabilities.working import WorkingEntry
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.text.language import guess_language
from fabric.text.words import words

from ..layout import MemoryLayout

if TYPE_CHECKING:
    from capabilities.retrieval.people import People

    from ..layout import Memory

SHARED = frozenset({"project", "org", "agent"})
"""Scopes in which several users state facts: each is a subject of their own there."""


def is_shared(layout: MemoryLayout) -> bool:
    """Return whether several users share the facts, the episodes or the turns of a memory."""
    tiers = (layout.semantic, layout.episodic, layout.turns)
    return any(collection is not None and collection.scope in SHARED for collection in tiers)


def subjects_of(user: str | None, layout: MemoryLayout) -> frozenset[str]:
    """Return the subjects under which what a user says of themselves is filed.

    That is "user"; in a memory that several users share it is the exact id of the one who asks, and what nobody in
    particular has said there is nobody's. Where only some tiers are shared, it is both.
    """
    if not user or not is_shared(layout):
        return frozenset({USER})
    own = user_subject(user)
    tiers = [tier for tier in (layout.semantic, layout.episodic) if tier is not None]
    return frozenset({own}) if all(tier.scope in SHARED for tier in tiers) else frozenset({USER, own})


def noted_by(ctx: Context, layout: MemoryLayout, entries: Sequence[WorkingEntry]) -> list[WorkingEntry]:
    """Return the entries of a session, in a shared memory those about its user under their subject as all else is."""
    if not ctx.user or not is_shared(layout):
        return list(entries)
    own = user_subject(ctx.user)
    return [entry.model_copy(update={"subject": own}) if entry.subject == USER else entry for entry in entries]


def whom(tx: Transaction, ctx: Context, layout: MemoryLayout, asked: str) -> frozenset[str]:
    """Return the subjects that the one who asks means by a name; see `meant`."""
    indexes = [tx.index(tier) for tier in (layout.semantic, layout.episodic) if tier is not None]
    names = {name for index in indexes if index is not None for name in index.columns["subject"].names}
    names |= {entry.subject for entry in tx.read(layout.working).entries}
    return meant(asked, names, subjects_of(ctx.user, layout))


def is_oneself(asked: str, known: Collection[str]) -> bool:
    """Return whether a subject is whoever asks: "user", or "me" where nobody who is known is called so.

    >>> is_oneself("Me", ["user", "anna"]), is_oneself("me", ["%6de"]), is_oneself("anna", ["anna"])
    (True, False, False)
    """
    return subject_key(asked) == USER or (asked.strip().casefold() in SPEAKER and not named_so(asked, known))


def meant(asked: str, known: Collection[str], mine: frozenset[str]) -> frozenset[str]:
    """Return which of the known subjects are meant by a name: "user" is whoever asks, a user's exact id nobody else."""
    if is_oneself(asked, known):
        return mine
    return named_so(asked, known) or frozenset({subject_key(asked)})


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
    spoken_words = words(text)
    spoken = {"english", guess_language(spoken_words)} & GRAMMAR.keys()
    return any(not (GRAMMAR[name].i | GRAMMAR[name].mine).isdisjoint(spoken_words) for name in spoken)
