"""What recalling does to memories, beside the reference and in properties."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.after_recall import (
    SURE,
    Drift,
    drawn,
    feeling_of_knowing,
    reconsolidated,
    shared_entities,
    suppressed,
    unasked_weight,
)
from capabilities.formulas.encoding import EmotionalContext

from .golden import assert_all_match

DAY = 86_400_000


def drifted(given: Any) -> list[Any]:
    trace, config = given["trace"], given["config"]
    context = EmotionalContext(**trace["emotional_context"])
    spent, steps = trace.get("cumulative_drift"), list[Any]()
    rate = config["drift_rate"] * (0.5 if trace.get("perspective_encoded") else 1.0)
    strength = trace["encoding_strength"]
    is_free = config["enabled"] and strength < config["immune_above_importance"]
    for mood in given["moods"]:
        towards = (mood["valence"], mood["arousal"], mood["dominance"])
        if is_free and config["max_drift_per_trace"] - (spent or 0.0) > 0:
            context, spent = reconsolidated(
                context, min(strength, 0.5), towards, spent or 0.0, Drift(rate, config["max_drift_per_trace"])
            )
        steps.append([context.valence, context.arousal, context.dominance, context.intensity, spent])
    return steps


def competitors_after(given: Any) -> dict[str, Any]:
    config, rows = given["config"], given["competitors"]
    free = [row for row in rows if row["id"] not in given["retrieved_ids"]]
    most = config["max_suppressions_per_query"] if config["enabled"] else 0
    ids = [free[place]["id"] for place in suppressed([row["encoding_strength"] for row in free], most)]
    kept = 1 - config["suppression_factor"]
    return {
        "suppressed_ids": ids,
        "stabilities": [row["stability"] * (kept if row["id"] in ids else 1) for row in rows],
    }


def unasked(given: Any) -> dict[str, Any]:
    config, draws = given["config"], given["random_draws"]
    if not config["enabled"]:
        return {"selected_id": None, "draws_used": 0}
    old = given["now_ms"] - config["min_age_days"] * DAY
    fit = [
        trace
        for trace in given["traces"]
        if trace["is_active"]
        and trace["id"] not in given["already_retrieved_ids"]
        and trace["created_at"] < old
        and trace["encoding_strength"] >= config["min_strength"]
    ]
    if draws[0] >= config["probability"] or not fit:
        return {"selected_id": None, "draws_used": 1}
    place = drawn([unasked_weight(**trace["emotional_context"]) for trace in fit], draws[1])
    assert place is not None
    return {"selected_id": fit[place]["id"], "draws_used": 2}


def signal(record: Any, asked: list[str], threshold: float, cutoff: float) -> dict[str, Any] | None:
    overlap = shared_entities(record["entities"], asked)
    felt = feeling_of_knowing(
        record["retrieval_score"], record["similarity_score"], overlap, threshold=threshold, cutoff=cutoff
    )
    if felt is None:
        return None
    kind = "high_confidence" if felt > SURE else "tip_of_tongue"
    return {"type": kind, "trace_id": record["id"], "feeling_of_knowing": felt}


def felt_to_be_known(given: Any) -> list[Any]:
    config = given["config"]
    threshold = config["partial_activation_threshold"]
    rows = given["candidates"] if config["enabled"] else []
    found = [(row, signal(row, given["query_entities"], threshold, given["retrieval_cutoff"])) for row in rows]
    return [{**one, "partial_info": partial_info(row, given["now_ms"])} for row, one in found if one is not None]


def partial_info(row: Any, now: float) -> str | None:
    days = int((now - row["created_at"]) // DAY)
    parts = [", ".join(row["entities"][:3])] if row["entities"] else []
    if row["gmi_mood"] and row["gmi_mood"] != "NEUTRAL":
        parts.append(f"mood: {row['gmi_mood']}")
    if days > 0:
        parts.append(f"~{days} days ago")
    return " | ".join(parts) or None


def after_ranking(given: Any) -> dict[str, Any]:
    results = {row["id"]: row for row in given["results"]}
    free = [row for row in given["candidates"] if row["id"] not in results]
    ids = [free[place]["id"] for place in suppressed([row["encoding_strength"] for row in free])]
    signals = list[Any]()
    for row in given["candidates"]:
        likeness = row["vector_similarity"]
        score = results[row["id"]]["retrieval_score"] if row["id"] in results else 0.35 * likeness
        one = {**row, "retrieval_score": score, "similarity_score": likeness}
        signals.append(signal(one, given["query_entities"], 0.3, given["retrieval_cutoff"]))
    return {
        "suppressed_ids": ids,
        "signals": [signal for signal in signals if signal is not None],
        "stabilities": [row["stability"] * (0.88 if row["id"] in ids else 1) for row in given["candidates"]],
    }


OURS: dict[str, Callable[[Any], Any]] = {
    "apply_reconsolidation": drifted,
    "apply_retrieval_induced_forgetting": competitors_after,
    "select_involuntary_memory": unasked,
    "detect_feeling_of_knowing": felt_to_be_known,
    "engine_on_retrieval": after_ranking,
}


@pytest.mark.parametrize("function", OURS)
def test_recalling_changes_memories_as_the_reference_has_it(function: str) -> None:
    assert_all_match("mechanisms_retrieval", function, OURS[function])


unit = st.floats(0, 1)
signed = st.floats(-1, 1)


@given(unit, st.lists(st.tuples(signed, unit, signed), max_size=60))
def test_a_mood_never_drifts_further_than_it_may(strength: float, moods: list[tuple[float, float, float]]) -> None:
    first = EmotionalContext(0.2, 0.4, 0.0, 0.08)
    context, spent = first, 0.0
    for mood in moods:
        context, spent = reconsolidated(context, strength, mood, spent)
    moved = abs(context.valence - first.valence) + abs(context.arousal - first.arousal) + abs(context.dominance)
    assert moved <= spent + 1e-9 <= 0.4 + 2e-9
    assert strength < 0.9 or context == first


@given(st.lists(st.floats(0.01, 1), max_size=9), st.floats(0, 1, exclude_max=True))
def test_what_is_drawn_is_one_of_those_there_are(weights: list[float], chance: float) -> None:
    place = drawn(weights, chance)
    assert place is None if not weights else place in range(len(weights))
