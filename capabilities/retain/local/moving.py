"""Moving a bank: what was given to it, for another to take, and taking what another was given. In its transaction."""

from collections.abc import Sequence
from datetime import datetime

from fabric.clock import Clock
from fabric.flow.resource import Transaction
from fabric.store.base import Where

from ..record import Carried
from .record import Memory, hash_of, trust_of
from .tables import MEMORIES
from .writing import keep

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


def memory_of(one: Carried, session: str, user: str | None, clock: Clock, *, waits: bool) -> Memory:
    """Return what another bank was given as a memory of this one."""
    now = clock.now()
    return Memory(
        id=clock.new_id("rm"),
        content=one.content,
        context=one.context,
        source=IMPORTED,
        importance=IMPORTED_IMPORTANCE,
        veracity="imported",
        trust=trust_of(IMPORTED),
        memory_type="episode" if one.is_transcript else "fact",
        created_at=now,
        said_at=one.said_at or now,
        session=session,
        user=user,
        content_hash=hash_of(one.content),
        document=one.document,
        mined=one.user_text if one.is_transcript else one.content,
        waits=waits,
    )


def _is_known(tx: Transaction, one: Memory) -> bool:
    if one.document.startswith(_OWN) and tx.get(MEMORIES, one.document.removeprefix(_OWN)) is not None:
        return True
    return tx.count(MEMORIES, Where("content_hash", "=", one.content_hash), Where("tier", "=", "working")) > 0
