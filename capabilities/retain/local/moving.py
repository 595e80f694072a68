"""Moving a bank: what was given to it, for another to take, and taking what another was given. In its transaction."""

from collections.abc import Sequence
from datetime import datetime

from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.store.base import Where

from ..record import Carried
from .record import Memory
from .tables import MEMORIES, where
from .writing import keep, new_memory

IMPORTED = "import"
IMPORTED_IMPORTANCE = 0.5
_OWN = "local/"
"""How a memory is named in other banks that has no document of its own: by its id."""


def carried(tx: Transaction, now: datetime) -> list[Carried]:
    """Return the memories that were given and still hold, oldest first; not those that were joined of them."""
    given = tx.find(MEMORIES, Where("tier", "=", "working"), order="created_at")
    return [_carried(memory) for memory in given if memory.is_valid(now)]


def _carried(memory: Memory) -> Carried:
    return Carried(
        document=memory.document or f"{_OWN}{memory.id}",
        content=memory.content,
        context=memory.context,
        said_at=memory.said_at,
        is_transcript=memory.memory_type == "episode",
        user_text=memory.mined,
    )


def store_moved(tx: Transaction, given: Sequence[Memory]) -> int:
    """Store memories of another bank; return how many were not there in the same words."""
    new = [memory for memory in given if not _is_known(tx, memory)]
    for memory in new:
        keep(tx, memory)
    return len(new)


def memory_of(ctx: Context, item: Carried, *, waits: bool) -> Memory:
    """Return what another bank was given as a memory of this one."""
    return new_memory(
        ctx,
        item.content,
        IMPORTED,
        context=item.context,
        importance=IMPORTED_IMPORTANCE,
        veracity="imported",
        memory_type="episode" if item.is_transcript else "fact",
        said_at=item.said_at or ctx.clock.now(),
        sources=[],
        document=item.document,
        mined=item.user_text if item.is_transcript else item.content,
        waits=waits,
    )


def _is_known(tx: Transaction, memory: Memory) -> bool:
    if memory.document.startswith(_OWN) and tx.get(MEMORIES, memory.document.removeprefix(_OWN)) is not None:
        return True
    return bool(where(tx, tier="working", content_hash=memory.content_hash))
