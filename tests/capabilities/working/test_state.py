"""Working memory holds a few things; what is pinned stays, what is least salient leaves, what is unused fades."""

import pytest

from capabilities.working import state
from capabilities.working.record import DecayConfig, WorkingEntry, WorkingMemoryConfig, WorkingState
from fabric.errors import ConflictError

THREE = WorkingMemoryConfig(capacity=3, max_pinned_slots=1)


def entry(entry_id: str, importance: float = 0.5, *, pinned: bool = False) -> WorkingEntry:
    return WorkingEntry(id=entry_id, content=f"about {entry_id}", importance=importance, pinned=pinned)


def holding(*entries: WorkingEntry, config: WorkingMemoryConfig = THREE) -> WorkingState:
    value = WorkingState()
    for entry in entries:
        value, _ = state.add(value, entry, config)
    return value


def ids(entries: list[WorkingEntry] | tuple[WorkingEntry, ...]) -> list[str]:
    return [entry.id for entry in entries]


def get(value: WorkingState, entry_id: str) -> WorkingEntry:
    found = state.find(value, entry_id)
    assert found is not None
    return found


class TestAdd:
    def test_a_new_entry_is_as_salient_as_it_is_important_and_used_now(self):
        value = state.advance(state.advance(WorkingState()))
        stale = entry("a", 0.8).model_copy(update={"salience": 0.1, "added_at_turn": 99, "last_accessed_at_turn": 99})
        value, evicted = state.add(value, stale, THREE)
        added = get(value, "a")
        assert (added.salience, added.added_at_turn, added.last_accessed_at_turn) == (0.8, 2, 2)
        assert evicted == []

    def test_at_capacity_the_least_salient_leaves(self):
        value, evicted = state.add(holding(entry("a", 0.5), entry("b", 0.2), entry("c", 0.9)), entry("d", 0.1), THREE)
        assert ids(evicted) == ["b"]
        assert ids(value.entries) == ["a", "c", "d"]

    def test_of_equally_salient_ones_the_first_leaves(self):
        _, evicted = state.add(holding(entry("a"), entry("b"), entry("c")), entry("d"), THREE)
        assert ids(evicted) == ["a"]

    def test_faded_importance_counts_not_the_original(self):
        value = holding(entry("old", 0.9))
        for _ in range(8):
            value = state.advance(value, THREE)
        value, _ = state.add(value, entry("b", 0.4), THREE)
        value, _ = state.add(value, entry("c", 0.4), THREE)
        _, evicted = state.add(value, entry("d", 0.4), THREE)
        assert ids(evicted) == ["old"]  # 0.9 / sqrt(9) = 0.3

    def test_a_pinned_entry_stays_however_little_it_matters(self):
        value = holding(entry("pinned", 0.0, pinned=True), entry("b"), entry("c"))
        value, evicted = state.add(value, entry("d"), THREE)
        assert ids(evicted) == ["b"]
        assert get(value, "pinned").pinned

    def test_the_pin_limit_holds_when_adding(self):
        value = holding(entry("a", pinned=True), entry("b", pinned=True))
        assert [entry.pinned for entry in value.entries] == [True, False]

    def test_without_pinned_slots_nothing_is_pinned(self):
        none = WorkingMemoryConfig(max_pinned_slots=0)
        assert not get(holding(entry("a", pinned=True), config=none), "a").pinned

    def test_a_lowered_capacity_is_kept_by_the_next_add(self):
        wide = WorkingMemoryConfig(capacity=6, max_pinned_slots=5)
        pinned = [entry(name, 0.1 * n, pinned=True) for n, name in enumerate("abcde", 1)]
        value, evicted = state.add(holding(*pinned, entry("f", 1.0), config=wide), entry("g"), THREE)
        assert ids(evicted) == ["f", "a", "b", "c"]  # unpinned first, then the least salient
        assert ids(value.entries) == ["d", "e", "g"]

    def test_with_room_for_one_only_the_newest_stays(self):
        one = WorkingMemoryConfig(capacity=1, max_pinned_slots=0)
        assert ids(holding(entry("a", 1.0), entry("b", 0.0), config=one).entries) == ["b"]

    def test_an_id_is_not_taken_twice(self):
        value = holding(entry("a"))
        with pytest.raises(ConflictError, match="'a' is taken"):
            state.add(value, entry("a"), THREE)

    def test_the_state_handed_in_is_left_as_it_was(self):
        before = holding(entry("a"), entry("b"), entry("c"))
        copy = before.model_copy(deep=True)
        state.add(before, entry("d"), THREE)
        state.advance(before, THREE)
        assert before == copy


class TestEvict:
    def test_it_ignores_the_pin_and_hands_the_entry_back(self):
        value, gone = state.evict(holding(entry("a", pinned=True), entry("b")), "a")
        assert gone is not None
        assert (gone.id, gone.pinned) == ("a", True)
        assert ids(value.entries) == ["b"]

    def test_an_unknown_id_changes_nothing(self):
        before = holding(entry("a"))
        assert state.evict(before, "zz") == (before, None)


class TestPins:
    def test_a_pin_takes_a_slot_and_unpinning_frees_it(self):
        value = holding(entry("a"), entry("b"))
        value, done = state.pin(value, "a", THREE)
        assert done
        assert state.pin(value, "b", THREE) == (value, False)
        value, freed = state.unpin(value, "a")
        assert freed
        value, done = state.pin(value, "b", THREE)
        assert done
        assert [entry.pinned for entry in value.entries] == [False, True]

    def test_pinning_the_pinned_succeeds_without_a_slot(self):
        value = holding(entry("a", pinned=True))
        assert state.pin(value, "a", THREE) == (value, True)

    def test_an_evicted_pin_frees_its_slot(self):
        value, _ = state.evict(holding(entry("a", pinned=True), entry("b")), "a")
        assert state.pin(value, "b", THREE)[1]

    def test_unknown_ids_are_refused(self):
        value = holding(entry("a"))
        assert state.pin(value, "zz", THREE) == (value, False)
        assert state.unpin(value, "zz") == (value, False)


class TestTime:
    def test_a_turn_fades_what_was_not_used(self):
        value = holding(entry("a", 0.8))
        for _ in range(3):
            value = state.advance(value, THREE)
        assert value.current_turn == 3
        assert get(value, "a").salience == pytest.approx(0.4)

    @pytest.mark.parametrize(
        ("decay", "salience"),
        [
            (DecayConfig(), 0.8 / 2),
            (DecayConfig(rate=1.0), 0.8 / 4),
            (DecayConfig(strategy="exponential"), 0.8 * 0.22313),
            (DecayConfig(strategy="none"), 0.8),
            (DecayConfig(rate=0.0), 0.8),
        ],
    )
    def test_the_strategy_says_how_fast(self, decay: DecayConfig, salience: float):
        config = WorkingMemoryConfig(decay=decay)
        value = holding(entry("a", 0.8), config=config)
        for _ in range(3):
            value = state.advance(value, config)
        assert get(value, "a").salience == pytest.approx(salience, rel=1e-4)

    def test_use_restores_it(self):
        value = holding(entry("a", 0.8), entry("b", 0.8))
        for _ in range(3):
            value = state.advance(value, THREE)
        value, done = state.refresh(value, "a", THREE)
        assert done
        assert get(value, "a").salience == 0.8
        assert (get(value, "a").last_accessed_at_turn, get(value, "a").added_at_turn) == (3, 0)
        assert get(value, "b").salience == pytest.approx(0.4)
        assert state.refresh(value, "zz", THREE) == (value, False)

    def test_the_pinned_fade_too(self):
        value = state.advance(holding(entry("a", 0.8, pinned=True)), THREE)
        assert get(value, "a").salience < 0.8


def test_items_come_most_salient_first_and_in_order_on_ties():
    value = holding(entry("a", 0.2), entry("b", 0.9), entry("c", 0.2))
    assert ids(state.items(value)) == ["b", "a", "c"]


def test_an_entry_remembers_the_episode_and_the_fact_it_became():
    value = state.link(holding(entry("a"), entry("b")), "a", episode_id="ep_1")
    value = state.link(value, "a", fact_id="sf_1")
    assert (get(value, "a").episode_id, get(value, "a").fact_id) == ("ep_1", "sf_1")
    assert (get(value, "b").episode_id, get(value, "b").fact_id) == ("", "")
    assert state.link(value, "zz", fact_id="sf_2") == value
    assert get(state.advance(value, THREE), "a").fact_id == "sf_1"
