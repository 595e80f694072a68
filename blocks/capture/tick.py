"""Tick: the turn is over, so everything in working memory is one turn older."""

from capabilities.memory.layout import MemoryLayout
from capabilities.memory.state import MemoryState
from capabilities.working import WorkingState
from capabilities.working import state as working


def ticked(layout: MemoryLayout, state: WorkingState, counters: MemoryState) -> tuple[WorkingState, MemoryState]:
    """Return working memory with every entry scored again, and the counters, both one turn later.

    It belongs to the transaction that reflects, so that a turn is either taken in and over, or neither.
    """
    later = counters.ticked()
    if layout.semantic is None and later.due(layout.semantic_config.consolidation):
        later = later.reset(consolidated=False)
    return working.advance(state, layout.working_config), later
