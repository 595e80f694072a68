"""Working memory inside a transaction: where it is kept, and each change as one call."""

from fabric.resource import Document, Transaction

from . import state
from .record import DEFAULT_WORKING_MEMORY_CONFIG, Added, WorkingEntry, WorkingMemoryConfig, WorkingState

working_memory_resource = Document("working_memory", WorkingState, "session")


def load(tx: Transaction) -> WorkingState:
    """Return the session's working memory. For several changes at once: load, use `state`'s functions, save."""
    return tx.read(working_memory_resource)


def save(tx: Transaction, value: WorkingState) -> None:
    """Replace the session's working memory."""
    tx.write(working_memory_resource, value)


def add(tx: Transaction, entry: WorkingEntry, config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG) -> Added:
    """Add an entry, evicting at capacity; ConflictError when its id is taken."""
    after, evicted = state.add(load(tx), entry, config)
    save(tx, after)
    kept = after.entries[-1]
    return Added(kept, evicted, pin_refused=entry.pinned and not kept.pinned)


def evict(tx: Transaction, entry_id: str) -> bool:
    """Remove an entry, pinned or not; False when there is no such entry."""
    after, gone = state.evict(load(tx), entry_id)
    return _save_if(tx, after, gone is not None)


def pin(tx: Transaction, entry_id: str, config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG) -> bool:
    """Protect an entry from eviction; False when there is no such entry or all pinned slots are taken."""
    return _save_if(tx, *state.pin(load(tx), entry_id, config))


def unpin(tx: Transaction, entry_id: str) -> bool:
    """Take an entry's protection away; False when there is no such entry."""
    return _save_if(tx, *state.unpin(load(tx), entry_id))


def refresh(tx: Transaction, entry_id: str, config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG) -> bool:
    """Count an entry as used now; False when there is no such entry."""
    return _save_if(tx, *state.refresh(load(tx), entry_id, config))


def advance(tx: Transaction, config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG) -> WorkingState:
    """Go on by one turn, score every entry again, and return the state."""
    after = state.advance(load(tx), config)
    save(tx, after)
    return after


def items(tx: Transaction) -> list[WorkingEntry]:
    """Return the entries, most salient first."""
    return state.items(load(tx))


def _save_if(tx: Transaction, after: WorkingState, done: bool) -> bool:
    if done:
        save(tx, after)
    return done
