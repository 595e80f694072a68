"""Taking memories in, inside a transaction of their bank: the very same content once, a transcript by its document."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capabilities.sources import unite
from fabric.flow.resource import Transaction

from .facts import withdraw
from .record import Memory
from .tables import MEMORIES

if TYPE_CHECKING:
    from fabric.search.base import SearchView

ABSENT = -2
"""The number of a text that stands in no row."""


def where(index: "SearchView | None", **wanted: str) -> list[str]:
    """Return the ids of the memories whose columns hold these texts, oldest first, read from memory alone."""
    if index is None:
        return []
    found = index.alive.copy()
    for name, text in wanted.items():
        column = index.columns[name]
        found &= column.values == column.names.get(text, ABSENT)
    return [index.ids[position] for position in found.nonzero()[0].tolist()]


@dataclass(slots=True)
class Taking:
    """Memories on their way into the bank of a transaction; each sees what the ones before it did."""

    tx: Transaction

    def remember(self, new: Memory) -> Memory:
        """Store a memory, or what holds the very same content already, said again: it keeps its id.

        It is as important as the more important of the two, and is of the newer one's time, source and type; its
        veracity is the newer one's unless that is unknown. What was said to hold no more holds again.
        """
        known = self._known(content_hash=new.content_hash)
        stored = new if known is None else said_again(known, new)
        self.tx.put(MEMORIES, [stored], new=known is None)
        return stored

    def keep(self, new: Memory) -> Memory:
        """Store a transcript in the place of the one of its document, and draw facts only from what is new in it."""
        known = self._known(document=new.document) if new.document else self._known(content_hash=new.content_hash)
        if known is None:
            self.tx.put(MEMORIES, [new], new=True)
            return new
        goes_on = new.mined.startswith(known.mined[: known.drawn])
        if not goes_on:
            withdraw(self.tx, known.id)
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
        self.tx.put(MEMORIES, [stored])
        return stored

    def _known(self, **wanted: str) -> Memory | None:
        ids = where(self.tx.index(MEMORIES), tier="working", **wanted)
        return self.tx.get(MEMORIES, ids[0]) if ids else None


def said_again(known: Memory, new: Memory) -> Memory:
    """Return a memory whose content was retained once more."""
    update: Mapping[str, Any] = {
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
    return known.model_copy(update=dict(update))


def take_in(tx: Transaction, memories: Iterable[Memory]) -> list[str]:
    """Store memories and return the ids of what is kept, in their order."""
    taking = Taking(tx)
    return [taking.remember(one).id for one in memories]
