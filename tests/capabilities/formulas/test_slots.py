"""Working memory as slots, beside the reference and in properties."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.personality import Traits
from capabilities.formulas.slots import CAPACITY, INITIAL, MOST, Slots, capacity, fade, focus, lines, rehearse

from .golden import assert_all_match, cases, is_same


def shown(given: Any) -> str:
    slots = Slots(MOST)
    for trace, activation in given["slots"]:
        slots = focus(slots, trace, activation)[0]
    return lines(slots)


OURS: dict[str, Callable[[Any], Any]] = {
    "capacity": lambda given: capacity(Traits.of(given["traits"]), given.get("base_capacity", CAPACITY)),
    "format_for_prompt": shown,
}


@pytest.mark.parametrize("function", OURS)
def test_slots_are_as_the_reference_has_them(function: str) -> None:
    assert_all_match("working_memory", function, OURS[function])


def step(slots: Slots, op: list[Any], rate: float, least: float) -> tuple[Slots, Any, list[Any]]:
    """Return the slots after one operation, its result, and what had to go."""
    if op[0] == "focus":
        slots, slot, gone = focus(slots, op[1], INITIAL if op[2] is None else op[2])
        return slots, slot.id, [[gone.id, gone.trace]] if gone else []
    if op[0] == "rehearse":
        return rehearse(slots, op[1]), None, []
    if op[0] == "decay":
        slots, faded = fade(slots, rate, least)
        return slots, [slot.id for slot in faded], [[slot.id, slot.trace] for slot in faded]
    return Slots(slots.capacity, (), slots.entered), None, []


def test_a_sequence_of_turns_is_as_the_reference_has_it() -> None:
    wrong: list[str] = []
    for name, told, expected in cases("working_memory", "slot_sequence"):
        slots = Slots(capacity(Traits.of(told["traits"]), told["base_capacity"]))
        for op, after in zip(told["ops"], expected["steps"], strict=True):
            slots, result, gone = step(slots, op, told["activation_decay_rate"], told["min_activation"])
            rows = [[slot.id, slot.trace, slot.activation, slot.rehearsals] for slot in slots.held]
            theirs = [[*row[:3], row[4]] for row in after["slots"]]
            same = is_same(rows, theirs) and is_same([result, gone], [after["result"], after["evicted"]])
            if after["attention_fresh"] and any(row[2] for row in rows):
                same = same and is_same(list(slots.attention), [row[3] for row in after["slots"]])
            if not same:
                wrong.append(name)
                break
        if not is_same(slots.capacity, expected["capacity"]):
            wrong.append(name)
    assert wrong == []


ops = st.one_of(
    st.tuples(st.just("focus"), st.sampled_from("abcdefghijkl"), st.floats(0, 1)),
    st.tuples(st.just("rehearse"), st.sampled_from([f"wm-slot-{number}" for number in range(12)])),
    st.just(("decay",)),
)


@given(st.integers(5, 9), st.lists(ops, max_size=40))
def test_the_slots_are_never_more_than_there_are_and_attention_is_whole(
    places: int, done: list[tuple[Any, ...]]
) -> None:
    slots = Slots(places)
    for op in done:
        slots, _, _ = step(slots, list(op), 0.1, 0.15)
        assert len(slots.held) <= places
        assert len({slot.trace for slot in slots.held}) == len(slots.held)
        assert all(0 <= slot.activation <= 1 for slot in slots.held)
        assert sum(slots.attention) == pytest.approx(1.0) or not any(slot.activation for slot in slots.held)
