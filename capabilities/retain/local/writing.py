"""Taking memories in, inside a transaction of their bank: the very same content once, a transcript by its document."""

from collections.abc import Iterable
from typing import Any

from capabilities.sources import source_here, unite
from fabric.flow.context import Context
from fabric.flow.resource import Transaction

from .facts import withdraw
from .record import Memory, hash_of, trust_of
from .tables import MEMORIES, where


def new_memory(ctx: Context, content: str, source: str, **fields: Any) -> Memory:
    """Return a content as a new memory, said now in the session of a context unless the ``fields`` say otherwise."""
    now = ctx.clock.now()
    own: dict[str, Any] = {
        "id": ctx.clock.new_id("rm"),
        "content_hash": hash_of(content),
        "trust": trust_of(source),
        "created_at": now,
        "said_at": now,
        "session": ctx.session,
        "user": ctx.user,
        "sources": [source_here(ctx)],
    }
    return Memory(content=content, source=source, **(own | fields))


def remember(tx: Transaction, memories: Iterable[Memory]) -> list[str]:
    """Store memories and return the ids of what is kept, in their order.

    What holds the very same content already is said again, and keeps its id.
    """
    return [_remember(tx, memory).id for memory in memories]


def _remember(tx: Transaction, new: Memory) -> Memory:
    known = _known(tx, content_hash=new.content_hash)
    stored = new if known is None else _said_again(known, new)
    tx.put(MEMORIES, [stored], new=known is None)
    return stored


def keep(tx: Transaction, new: Memory) -> Memory:
    """Store a transcript in the place of the one of its document, and draw facts only from what is new in it."""
    known = _known(tx, document=new.document) if new.document else _known(tx, content_hash=new.content_hash)
    if known is None:
        tx.put(MEMORIES, [new], new=True)
        return new
    goes_on = new.mined.startswith(known.mined[: known.drawn])
    if not goes_on:
        withdraw(tx, known.id)
    drawn = known.drawn if goes_on else 0
    update = {
        "id": known.id,
        "created_at": known.created_at,
        "importance": max(known.importance, new.importance),
        "sources": unite(known.sources, new.sources),
        "drawn": drawn,
        "waits": drawn < len(new.mined),
        "consolidated": known.consolidated and known.content_hash == new.content_hash,
    }
    stored = new.model_copy(update=update)
    tx.put(MEMORIES, [stored])
    return stored


def _known(tx: Transaction, **wanted: str) -> Memory | None:
    ids = where(tx, tier="working", **wanted)
    return tx.get(MEMORIES, ids[0]) if ids else None


def _said_again(known: Memory, new: Memory) -> Memory:
    """Return a memory whose content was retained once more.

    It is as important as the more important of the two, and is of the newer one's time, source and type; its veracity
    is the newer one's unless that is unknown. What was said to hold no more holds again.
    """
    update = {
        "importance": max(known.importance, new.importance),
        "said_at": max(known.said_at, new.said_at),
        "source": new.source,
        "trust": new.trust,
        "memory_type": new.memory_type,
        "veracity": known.veracity if new.veracity == "unknown" else new.veracity,
        "context": known.context or new.context,
        "sources": unite(known.sources, new.sources),
        "valid_until": None,
        "superseded_by": "",
        "outdated": False,
        "waits": new.waits,  # it may hold again what something else had ended
        "drawn": 0,
    }
    return known.model_copy(update=update)
