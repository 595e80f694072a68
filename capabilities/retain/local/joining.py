"""Consolidation ("sleep"): memories of one source joined into an episodic one, in plain text, beside those it is of."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from capabilities.sources import Source, unite
from fabric.clock import Clock
from fabric.flow.resource import Transaction
from fabric.store.base import RowVectors

from .record import CONSOLIDATED_IMPORTANCE, Memory, Veracity, hash_of, trust_of
from .tables import MEMORIES, where

OLD_ENOUGH = timedelta(hours=12)
"""How old a memory is when it is consolidated."""
MAX_JOINED_CHARS = 100_000
BETWEEN = "\n\n"
"""What stands between two memories that were joined."""
_LESS_TRUSTED: tuple[Veracity, ...] = ("false", "tool", "imported", "inferred", "stated")


@dataclass(frozen=True, slots=True)
class Slept:
    """What one consolidation did: how many memories became part of how many episodic ones."""

    consolidated: int = 0
    made: int = 0


def groups(tx: Transaction, now: datetime) -> list[list[Memory]]:
    """Return the memories that are old enough and in no episodic one yet, by source, in groups that fit into one."""
    found: dict[str, list[list[Memory]]] = {}
    due = where(tx, now - OLD_ENOUGH, tier="working", consolidated=False)
    for memory in tx.get_many(MEMORIES, due):
        if not memory.is_valid(now):
            continue
        chunks = found.setdefault(memory.source, [])
        length = sum(len(part.searched) + len(BETWEEN) for part in chunks[-1]) if chunks else MAX_JOINED_CHARS
        if length + len(memory.searched) > MAX_JOINED_CHARS:
            chunks.append([])
        chunks[-1].append(memory)
    return [group for chunks in found.values() for group in chunks]


def joined_text(memories: Iterable[Memory]) -> str:
    """Return what an episodic memory of these says: each in its own words."""
    return BETWEEN.join(memory.searched for memory in memories)


def join(tx: Transaction, group: Sequence[Memory], clock: Clock, vectors: RowVectors | None) -> Slept:
    """Store the episodic memory of a group, and mark its parts, where all of them still are as they were read."""
    parts = tx.get_many(MEMORIES, [memory.id for memory in group])
    if [(part.id, part.content_hash) for part in parts] != [(memory.id, memory.content_hash) for memory in group]:
        return Slept()  # one was changed or forgotten meanwhile: the next consolidation takes the rest
    if any(part.consolidated for part in parts):
        return Slept()  # another consolidation was first
    made = _episodic(parts, clock.new_id("rme"), clock.now())
    tx.embedded = vectors
    tx.put(MEMORIES, [made], new=True)
    tx.embedded = None
    tx.put(MEMORIES, [part.model_copy(update={"consolidated": True}) for part in parts])
    return Slept(len(parts), 1)


def _episodic(parts: Sequence[Memory], memory_id: str, now: datetime) -> Memory:
    text, last = joined_text(parts), max(parts, key=lambda part: part.said_at)
    sources: list[Source] = []
    for part in parts:
        sources = unite(sources, part.sources)
    ends = [part.valid_until for part in parts if part.valid_until is not None]
    return Memory(
        id=memory_id,
        content=text,
        source=last.source,
        importance=CONSOLIDATED_IMPORTANCE,
        veracity=_veracity([part.veracity for part in parts]),
        trust=trust_of(last.source),
        memory_type="episode",
        metadata=last.metadata,
        created_at=now,
        said_at=last.said_at,
        valid_until=min(ends, default=None),
        session=last.session,
        user=last.user,
        sources=sources,
        content_hash=hash_of(text),
        waits=False,
        tier="episodic",
        consolidated_from=[part.id for part in parts],
    )


def _veracity(given: list[Veracity]) -> Veracity:
    """Return the most frequent one that is known, of equals the less trusted.

    >>> _veracity(["tool", "stated", "unknown"]), _veracity(["unknown"])
    ('tool', 'unknown')
    """
    best: Veracity = "unknown"
    for veracity in _LESS_TRUSTED:
        if given.count(veracity) > (given.count(best) if best != "unknown" else 0):
            best = veracity
    return best


def without(tx: Transaction, memory_id: str, now: datetime) -> None:
    """Make the episodic memories anew that a memory is part of, of what of them still holds; it stays out of them.

    One that nothing is left of is deleted. The memory itself may be consolidated again.
    """
    for episodic in _containing(tx, memory_id):
        others = [part_id for part_id in episodic.consolidated_from if part_id != memory_id]
        parts = [part for part in tx.get_many(MEMORIES, others) if part.is_valid(now)]
        if not parts:
            tx.delete(MEMORIES, [episodic.id])
            continue
        made = _episodic(parts, episodic.id, now)
        tx.put(MEMORIES, [made.model_copy(update={"created_at": episodic.created_at})])
    memory = tx.get(MEMORIES, memory_id)
    if memory is not None and memory.consolidated:
        tx.put(MEMORIES, [memory.model_copy(update={"consolidated": False})])


def _containing(tx: Transaction, memory_id: str) -> Iterator[Memory]:
    for memory in tx.get_many(MEMORIES, where(tx, tier="episodic")):
        if memory_id in memory.consolidated_from:
            yield memory
