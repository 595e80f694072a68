"""Working memory inside a transaction: where it is kept, and each change as one call."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from fabric.flow.resource import Document, Transaction

from ..keys import MEMORY, key_of
from . import state
from .record import DEFAULT_WORKING_MEMORY_CONFIG, Added, WorkingEntry, WorkingMemoryConfig, WorkingState

P = ParamSpec("P")
Kept = Document[WorkingState]
"""Where a working memory is kept; each memory system has one of its own."""


def create_working_memory_resource(system: str = MEMORY) -> Kept:
    """Return the document that holds the working memory of a session."""
    return Document(key_of("working_memory", system), WorkingState, "session")


working_memory_resource = create_working_memory_resource()


def load(tx: Transaction, kept: Kept = working_memory_resource) -> WorkingState:
    """Return the session's working memory. For several changes at once: load, use `state`'s functions, save."""
    return tx.read(kept)


def save(tx: Transaction, value: WorkingState, kept: Kept = working_memory_resource) -> None:
    """Replace the session's working memory."""
    tx.write(kept, value)


def add(
    tx: Transaction,
    entry: WorkingEntry,
    config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG,
    kept: Kept = working_memory_resource,
) -> Added:
    """Add an entry, evicting at capacity; ConflictError when its id is taken."""
    after, evicted = state.add(load(tx, kept), entry, config)
    save(tx, after, kept)
    added = after.entries[-1]
    return Added(added, evicted, pin_refused=entry.pinned and not added.pinned)


def evict(tx: Transaction, entry_id: str, kept: Kept = working_memory_resource) -> bool:
    """Remove an entry, pinned or not; False when there is no such entry."""
    return _changed(tx, kept, state.evict, entry_id)


def pin(
    tx: Transaction,
    entry_id: str,
    config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG,
    kept: Kept = working_memory_resource,
) -> bool:
    """Protect an entry from eviction; False when there is no such entry or all pinned slots are taken."""
    return _changed(tx, kept, state.pin, entry_id, config)


def unpin(tx: Transaction, entry_id: str, kept: Kept = working_memory_resource) -> bool:
    """Take an entry's protection away; False when there is no such entry."""
    return _changed(tx, kept, state.unpin, entry_id)


def refresh(
    tx: Transaction,
    entry_id: str,
    config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG,
    kept: Kept = working_memory_resource,
) -> bool:
    """Count an entry as used now; False when there is no such entry."""
    return _changed(tx, kept, state.refresh, entry_id, config)


def advance(
    tx: Transaction,
    config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG,
    kept: Kept = working_memory_resource,
) -> WorkingState:
    """Go on by one turn, score every entry again, and return the state."""
    after = state.advance(load(tx, kept), config)
    save(tx, after, kept)
    return after


def items(tx: Transaction, kept: Kept = working_memory_resource) -> list[WorkingEntry]:
    """Return the entries, most salient first."""
    return state.items(load(tx, kept))


def _changed(
    tx: Transaction,
    kept: Kept,
    change: Callable[Concatenate[WorkingState, P], tuple[WorkingState, object]],
    *arguments: P.args,
    **options: P.kwargs,
) -> bool:
    """Change the working memory, save it where there was something to change, and return whether there was."""
    after, done = change(load(tx, kept), *arguments, **options)
    if done:
        save(tx, after, kept)
    return bool(done)
