"""Any order of operations leaves working memory as a plain list kept by hand would be."""

import math
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from capabilities.formulas.salience import STRATEGIES, Strategy
from capabilities.working import state
from capabilities.working.record import DecayConfig, WorkingEntry, WorkingMemoryConfig, WorkingState
from tests.soak import examples


@dataclass
class Note:
    """An entry as the hand-kept list has it."""

    id: str
    importance: float
    pinned: bool
    used: int


class WorkingMemoryMachine(RuleBasedStateMachine):
    ids = Bundle("ids")

    @initialize(
        strategy=st.sampled_from(STRATEGIES),
        rate=st.sampled_from([0.0, 0.1, 0.5, 2.0]),
        capacity=st.integers(1, 5),
        pins=st.integers(0, 4),
    )
    def begin(self, strategy: Strategy, rate: float, capacity: int, pins: int) -> None:
        self.config = WorkingMemoryConfig(
            capacity=capacity,
            max_pinned_slots=min(pins, capacity - 1),
            decay=DecayConfig(strategy=strategy, rate=rate),
        )
        self.real = WorkingState()
        self.notes: list[Note] = []
        self.turn = 0
        self.made = 0

    @rule(target=ids, importance=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), pinned=st.booleans())
    def add(self, importance: float, pinned: bool) -> str:
        self.made += 1
        new = f"wm_{self.made}"
        offered = WorkingEntry(id=new, content="x", importance=importance, pinned=pinned)
        self.real, evicted = state.add(self.real, offered, self.config)
        if len(self.notes) == self.config.capacity:
            weakest = None
            for note in self.notes:
                if not note.pinned and (weakest is None or self.salience(note) < self.salience(weakest)):
                    weakest = note
            assert weakest is not None
            self.notes.remove(weakest)
            assert [one.id for one in evicted] == [weakest.id]
        else:
            assert evicted == []
        self.notes.append(Note(new, importance, pinned and self.free_slots() > 0, self.turn))
        return new

    @rule(one=ids)
    def pin(self, one: str) -> None:
        note = self.note(one)
        expected = note is not None and (note.pinned or self.free_slots() > 0)
        self.real, done = state.pin(self.real, one, self.config)
        assert done == expected
        if note is not None and expected:
            note.pinned = True

    @rule(one=ids)
    def unpin(self, one: str) -> None:
        note = self.note(one)
        self.real, done = state.unpin(self.real, one)
        assert done == (note is not None)
        if note is not None:
            note.pinned = False

    @rule(one=ids)
    def refresh(self, one: str) -> None:
        note = self.note(one)
        self.real, done = state.refresh(self.real, one, self.config)
        assert done == (note is not None)
        if note is not None:
            note.used = self.turn

    @rule(one=consumes(ids))
    def evict(self, one: str) -> None:
        note = self.note(one)
        self.real, gone = state.evict(self.real, one)
        assert (gone is None) == (note is None)
        if note is not None:
            self.notes.remove(note)

    @rule(target=ids)
    def advance(self) -> object:
        before = {entry.id: entry.salience for entry in self.real.entries}
        self.real = state.advance(self.real, self.config)
        self.turn += 1
        assert all(entry.salience <= before[entry.id] for entry in self.real.entries)
        return multiple()

    @rule(target=ids)
    def store_and_load(self) -> object:
        self.real = WorkingState.model_validate(self.real.model_dump(mode="json"))
        return multiple()

    @invariant()
    def the_same_entries_in_the_same_order(self) -> None:
        real = [(entry.id, entry.importance, entry.pinned, entry.last_accessed_at_turn) for entry in self.real.entries]
        assert real == [(note.id, note.importance, note.pinned, note.used) for note in self.notes]
        assert self.real.current_turn == self.turn

    @invariant()
    def the_limits_hold(self) -> None:
        assert len(self.real.entries) <= self.config.capacity
        assert sum(entry.pinned for entry in self.real.entries) <= self.config.max_pinned_slots

    @invariant()
    def salience_is_what_the_formula_says(self) -> None:
        for entry, note in zip(self.real.entries, self.notes, strict=True):
            assert math.isclose(entry.salience, self.salience(note), abs_tol=1e-12)
            assert entry.salience <= entry.importance

    @invariant()
    def items_are_sorted_and_complete(self) -> None:
        found = state.items(self.real)
        assert sorted(entry.id for entry in found) == sorted(note.id for note in self.notes)
        assert all(entry.salience >= other.salience for entry, other in pairwise(found))

    def salience(self, note: Note) -> float:
        elapsed = self.turn - note.used
        rate = self.config.decay.rate
        left = {"power-law": (1 + elapsed) ** -rate, "exponential": math.exp(-rate * elapsed), "none": 1.0}
        return note.importance * left[self.config.decay.strategy]

    def note(self, one: str) -> Note | None:
        return next((note for note in self.notes if note.id == one), None)

    def free_slots(self) -> int:
        return self.config.max_pinned_slots - sum(note.pinned for note in self.notes)


WorkingMemoryMachine.TestCase.settings = settings(max_examples=examples(60), stateful_step_count=40)
TestWorkingMemoryMachine = WorkingMemoryMachine.TestCase
