"""The turns that wait to be read: each once, in order, until they were read or erased."""

from hypothesis import given
from hypothesis import strategies as st

from capabilities.memory.state import MemoryState

IDS = st.lists(st.sampled_from("abcd"), max_size=6)


def test_turns_wait_in_the_order_in_which_they_were_kept_and_each_once() -> None:
    state = MemoryState().keeps(["b", "a"]).keeps(["a", "c", "c"])
    assert state.pending == ["b", "a", "c"]


def test_what_was_taken_waits_no_more_and_may_wait_again() -> None:
    state = MemoryState(pending=["a", "b", "c"]).took(["b", "unknown"])
    assert state.pending == ["a", "c"]
    assert state.keeps(["b"]).pending == ["a", "c", "b"]


@given(kept=IDS, taken=IDS)
def test_pending_is_what_was_kept_and_not_taken(kept: list[str], taken: list[str]) -> None:
    before = MemoryState(turns=3)
    after = before.keeps(kept).took(taken)
    assert set(after.pending) == set(kept) - set(taken)
    assert len(after.pending) == len(set(after.pending))
    assert (before.pending, after.turns) == ([], 3)


def test_other_counters_leave_it_alone() -> None:
    state = MemoryState(pending=["a"]).ticked().pruned().reset(consolidated=True)
    assert state.reflected(episodic_writes=1, evicted_lasting=0, facts=2).pending == ["a"]
