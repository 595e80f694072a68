"""What can be done to working memory, as functions from state to state: no clock, no store, no chance."""

from collections.abc import Iterable

from fabric.errors import ConflictError

from ..formulas.salience import salience
from ..vocabulary import LASTING
from .record import DEFAULT_WORKING_MEMORY_CONFIG, WorkingEntry, WorkingMemoryConfig, WorkingState


def find(state: WorkingState, entry_id: str) -> WorkingEntry | None:
    """Return the entry with this id, or None."""
    return next((entry for entry in state.entries if entry.id == entry_id), None)


def add(
    state: WorkingState, entry: WorkingEntry, config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG
) -> tuple[WorkingState, list[WorkingEntry]]:
    """Return the state with ``entry`` at its end, and the entries that were evicted to make room for it.

    The lowest-salience unpinned entry leaves first, the one added first on ties; pinned ones only when a lowered
    capacity leaves no other choice. The entry's salience becomes its importance and its turns the current one; it is
    kept unpinned when all pinned slots are taken. ConflictError when its id is taken.
    """
    if find(state, entry.id) is not None:
        raise ConflictError(f"working memory: id {entry.id!r} is taken; nothing was added")
    kept, evicted = _make_room(state.entries, config.capacity - 1)
    added = entry.model_copy(
        update={
            "pinned": entry.pinned and _pinned(kept) < config.max_pinned_slots,
            "salience": entry.importance,
            "added_at_turn": state.current_turn,
            "last_accessed_at_turn": state.current_turn,
        }
    )
    lasting = state.lasting_evicted + sum(entry.durability in LASTING for entry in evicted)
    return state.model_copy(update={"entries": (*kept, added), "lasting_evicted": lasting}), evicted


def evict(state: WorkingState, entry_id: str) -> tuple[WorkingState, WorkingEntry | None]:
    """Return the state without the entry, pinned or not, and the entry; None when there is no such entry."""
    entry = find(state, entry_id)
    rest = tuple(entry for entry in state.entries if entry.id != entry_id)
    return state.model_copy(update={"entries": rest}), entry


def pin(
    state: WorkingState, entry_id: str, config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG
) -> tuple[WorkingState, bool]:
    """Protect an entry from eviction; False when there is no such entry or all pinned slots are taken."""
    entry = find(state, entry_id)
    if entry is None:
        return state, False
    if entry.pinned:
        return state, True
    if _pinned(state.entries) >= config.max_pinned_slots:
        return state, False
    return _replace(state, entry.model_copy(update={"pinned": True})), True


def unpin(state: WorkingState, entry_id: str) -> tuple[WorkingState, bool]:
    """Take an entry's protection away; False when there is no such entry."""
    entry = find(state, entry_id)
    if entry is None:
        return state, False
    return _replace(state, entry.model_copy(update={"pinned": False})), True


def refresh(
    state: WorkingState, entry_id: str, config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG
) -> tuple[WorkingState, bool]:
    """Count an entry as used now, which brings its salience back to its importance; False when there is none."""
    entry = find(state, entry_id)
    if entry is None:
        return state, False
    used = entry.model_copy(update={"last_accessed_at_turn": state.current_turn})
    return _replace(state, _scored(used, state.current_turn, config)), True


def link(state: WorkingState, entry_id: str, *, episode_id: str = "", fact_id: str = "") -> WorkingState:
    """Note which episode and which fact an entry became; "" leaves a link as it is, an unknown entry all."""
    entry = find(state, entry_id)
    if entry is None:
        return state
    links = {"episode_id": episode_id or entry.episode_id, "fact_id": fact_id or entry.fact_id}
    return _replace(state, entry.model_copy(update=links))


def advance(state: WorkingState, config: WorkingMemoryConfig = DEFAULT_WORKING_MEMORY_CONFIG) -> WorkingState:
    """Go on by one turn and score every entry again."""
    turn = state.current_turn + 1
    entries = tuple(_scored(entry, turn, config) for entry in state.entries)
    return state.model_copy(update={"entries": entries, "current_turn": turn})


def items(state: WorkingState) -> list[WorkingEntry]:
    """Return the entries, most salient first, in the order they were added on ties."""
    return sorted(state.entries, key=lambda entry: -entry.salience)


def _scored(entry: WorkingEntry, turn: int, config: WorkingMemoryConfig) -> WorkingEntry:
    elapsed = turn - entry.last_accessed_at_turn
    value = salience(entry.importance, config.decay.strategy, elapsed, config.decay.rate)
    return entry.model_copy(update={"salience": value})


def _make_room(entries: tuple[WorkingEntry, ...], room: int) -> tuple[list[WorkingEntry], list[WorkingEntry]]:
    weakest_first = sorted(entries, key=lambda entry: (entry.pinned, entry.salience))
    evicted = weakest_first[: max(0, len(entries) - room)]
    gone = {entry.id for entry in evicted}
    return [entry for entry in entries if entry.id not in gone], evicted


def _replace(state: WorkingState, entry: WorkingEntry) -> WorkingState:
    entries = tuple(entry if kept.id == entry.id else kept for kept in state.entries)
    return state.model_copy(update={"entries": entries})


def _pinned(entries: Iterable[WorkingEntry]) -> int:
    return sum(entry.pinned for entry in entries)
