"""How a trace fades and what use, neglect and other traces do to it, beside the reference and in properties."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.retention import (
    Retention,
    are_prunable,
    current_strength,
    current_strengths,
    growth,
    ignored,
    interference,
    used,
)

from .golden import assert_all_match


def kept(trace: Any) -> Retention:
    uses, interval = trace.get("retrieval_count", 0), trace.get("reinforcement_interval", 3_600_000)
    return Retention(trace["encoding_strength"], trace["stability"], uses, interval)


def elapsed(given: Any, trace: Any = None) -> float:
    return float(given["now_ms"] - (trace or given["trace"])["last_accessed_at"])


def intensity(trace: Any) -> float:
    return float(trace.get("emotional_context", {}).get("intensity", 0.0))


def now(given: Any, trace: Any = None) -> float:
    trace = trace or given["trace"]
    return current_strength(trace["encoding_strength"], elapsed(given, trace), trace["stability"])


def retrieved(given: Any) -> dict[str, Any]:
    trace, at = given["trace"], given["now_ms"]
    after = used(kept(trace), elapsed(given), intensity(trace), may_shrink=True)
    return {
        "encoding_strength": after.strength,
        "stability": after.stability,
        "retrieval_count": after.uses,
        "last_accessed_at": at,
        "access_count": trace["access_count"] + 1,
        "reinforcement_interval": after.interval,
        "next_reinforcement_at": at + after.interval,
    }


def in_turn(given: Any) -> list[Any]:
    trace, steps = given["trace"], list[Any]()
    last, state = trace["last_accessed_at"], kept(trace)
    for at in given["times_ms"]:
        state, last = used(state, at - last, intensity(trace), may_shrink=True), at
        steps.append([state.strength, state.stability, state.uses, state.interval])
    return steps


def lost(given: Any) -> dict[str, Any]:
    likenesses = given["similarities"]
    threshold = (given.get("config") or {}).get("interference_threshold", 0.7)
    old, new = interference(
        [(likeness["similarity"], likeness["current_strength"]) for likeness in likenesses], threshold
    )
    victims = [
        {"trace_id": record["trace_id"], "strength_reduction": loss}
        for record, loss in zip(likenesses, old, strict=True)
        if record["similarity"] > threshold
    ]
    return {"retroactive_victims": victims, "proactive_reduction": new}


def penalised(given: Any) -> dict[str, Any]:
    after = ignored(kept(given["trace"]), elapsed(given))
    told = {"encoding_strength": after.strength, "stability": after.stability}
    return {**told, "last_accessed_at": given["now_ms"]}


def prunable(given: Any) -> list[str]:
    threshold = (given.get("config") or {}).get("pruning_threshold", 0.05)
    active = [trace for trace in given["traces"] if trace["is_active"]]
    left = np.array([now(given, trace) for trace in active], np.float64)
    gone = are_prunable(left, np.array([intensity(trace) for trace in active], np.float64), threshold)
    return [trace["id"] for trace, is_gone in zip(active, gone, strict=True) if is_gone]


OURS: dict[str, Callable[[Any], Any]] = {
    "compute_current_strength": now,
    "update_on_retrieval": retrieved,
    "update_on_retrieval_sequence": in_turn,
    "compute_interference": lost,
    "penalize_unused": penalised,
    "find_prunable_traces": prunable,
}


@pytest.mark.parametrize("function", OURS)
def test_retention_is_as_the_reference_has_it(function: str) -> None:
    assert_all_match("decay", function, OURS[function])


unit = st.floats(0, 1)
times = st.floats(0, 1e12)


@given(unit, times, times, st.floats(1, 1e12))
def test_what_is_not_used_only_fades(strength: float, early: float, later: float, stability: float) -> None:
    first, second = sorted((early, later))
    assert (
        0 <= current_strength(strength, second, stability) <= current_strength(strength, first, stability) <= strength
    )


@given(unit, st.integers(0, 1_000), unit)
def test_a_use_never_makes_a_trace_less_lasting(strength: float, uses: int, emotion: float) -> None:
    assert growth(strength, uses, emotion) >= max(1.0, growth(strength, uses, emotion, may_shrink=True))


@given(st.lists(st.tuples(unit, times, st.floats(0, 1e12)), max_size=20))
def test_many_fade_as_each_does(rows: list[tuple[float, float, float]]) -> None:
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    together = current_strengths(columns[0], columns[1], columns[2])
    assert together.tolist() == pytest.approx([current_strength(*row) for row in rows], abs=1e-12)


@given(st.lists(st.tuples(st.floats(-1, 1), unit), max_size=20))
def test_interference_takes_little_and_only_where_traces_are_alike(likenesses: list[tuple[float, float]]) -> None:
    old, new = interference(likenesses)
    assert 0 <= new <= 0.3
    assert all(0 <= loss <= 0.15 + 1e-12 for loss in old)
    assert [loss > 0 for loss in old] == [cosine > 0.7 for cosine, _ in likenesses]


def test_what_is_no_number_is_refused() -> None:
    nan = float("nan")
    with pytest.raises(ValueError, match="elapsed is nan"):
        current_strength(0.5, nan, 1.0)
    with pytest.raises(ValueError, match="stability is -1"):
        current_strength(0.5, 1.0, -1.0)
    with pytest.raises(ValueError, match="expected a cosine"):
        interference([(nan, 1.0)])
    with pytest.raises(ValueError, match="must be numbers"):
        current_strengths(np.array([nan]), np.array([0.0]), np.array([1.0]))
