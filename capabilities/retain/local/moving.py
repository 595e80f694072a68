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
    return [_carried(one) for one in given if one.is_valid(now)]


def _carried(one: Memory) -> Carried:
    return Carried(
        document=one.document or f"{_OWN}{one.id}",
        content=one.content,
        context=one.context,
        said_at=one.said_at,
        is_transcript=one.memory_type == "episode",
        user_text=one.mined,
    )


def take(tx: Transaction, given: Sequence[Memory]) -> int:
    """Store memories of another bank; return how many were not there in the same words."""
    new = [one for one in given if not _is_known(tx, one)]
    for one in new:
        keep(tx, one)
    return len(new)


def memory_of(ctx: Context, one: Carried, *, waits: bool) -> Memory:
    """Return what another bank was given as a memory of this one."""
    return new_memory(
        ctx,
        one.content,
        IMPORTED,
        context=one.context,
        importance=IMPORTED_IMPORTANCE,
        veracity="imported",
        memory_type="episode" if one.is_transcript else "fact",
        said_at=one.said_at or ctx.clock.now(),
        sources=[],
        document=one.document,
        mined=one.user_text if one.is_transcript else one.content,
        waits=waits,
    )


def _is_known(tx: Transaction, one: Memory) -> bool:
    if one.document.startswith(_OWN) and tx.get(MEMORIES, one.document.removeprefix(_OWN)) is not None:
        return True
    return bool(where(tx, tier="working", content_hash=one.content_hash))
