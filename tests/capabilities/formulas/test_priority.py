"""Which traces come to mind, beside the reference and in properties."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.encoding import Mood
from capabilities.formulas.priority import (
    DAY,
    WEIGHTS,
    Signals,
    congruence_boost,
    emotional_congruence,
    importance,
    is_on_the_tongue,
    partial_confidence,
    priority,
    recency,
)
from capabilities.formulas.retention import current_strength

from .golden import assert_all_match


def now(trace: Any, at: float) -> float:
    return current_strength(trace["encoding_strength"], at - trace["last_accessed_at"], trace["stability"])


def signals(candidate: Any, context: Any) -> Signals:
    trace, at = candidate["trace"], context["now_ms"]
    constant = (context.get("decay_config") or {}).get("recency_half_life_ms", DAY)
    mood = Mood() if context.get("neutral_mood") else Mood(**context["current_mood"])
    return Signals(
        strength=now(trace, at),
        similarity=candidate["vector_similarity"],
        recency=recency(at - trace["last_accessed_at"], constant),
        emotional_congruence=emotional_congruence(mood, trace["emotional_context"]["valence"]),
        graph_activation=candidate.get("graph_activation") or 0.0,
        importance=importance(trace["provenance"]["confidence"]),
    )


def ranked(given: Any) -> list[Any]:
    context = given["context"]
    weights = Signals(**context["weights"]) if context.get("weights") else WEIGHTS
    found = [(record["trace"]["id"], signals(record, context)) for record in given["candidates"]]
    rows = [
        {
            "id": name,
            "retrieval_score": priority(observation, weights),
            "breakdown": [
                observation.strength,
                observation.similarity,
                observation.recency,
                observation.emotional_congruence,
                observation.graph_activation,
                observation.importance,
            ],
        }
        for name, observation in found
    ]
    return sorted(rows, key=lambda row: -row["retrieval_score"])


def partial(given: Any) -> list[Any]:
    context = given.get("context") or {}
    mood = Mood(**context["current_mood"]) if context.get("current_mood") else Mood()
    is_moody = mood.valence != 0 and not context.get("neutral_mood")
    rows = list[Any]()
    for candidate in given["candidates"]:
        trace, likeness = candidate["trace"], candidate["vector_similarity"]
        sure = trace["provenance"]["confidence"]
        if not is_on_the_tongue(likeness, now(trace, given["now_ms"]), sure):
            continue
        boost = congruence_boost(mood, trace["emotional_context"]["valence"]) if is_moody else 1.0
        text = trace["content"]
        rows.append(
            {
                "trace_id": trace["id"],
                "confidence": partial_confidence(likeness, sure, boost),
                "partial_content": text if len(text) <= 100 else f"{text[:100]}...",
                "suggested_cues": trace["tags"][:3],
            }
        )
    return sorted(rows, key=lambda row: -row["confidence"]) if is_moody else rows


OURS: dict[str, Callable[[Any], Any]] = {
    "compute_recency_boost": lambda given: (
        1 + 0.2 * recency(given["now_ms"] - given["last_accessed_at"], given.get("half_life_ms", DAY))
    ),
    "compute_emotional_congruence": lambda given: congruence_boost(
        Mood(**given["current_mood"]), given["trace_valence"]
    ),
    "score_and_rank_traces": ranked,
    "detect_partially_retrieved": partial,
}


@pytest.mark.parametrize("function", OURS)
def test_priority_is_as_the_reference_has_it(function: str) -> None:
    assert_all_match("scoring", function, OURS[function])


unit = st.floats(0, 1)


@given(st.builds(Signals, unit, st.floats(-1, 1), unit, unit, unit, unit))
def test_a_score_lies_between_nothing_and_all(found: Signals) -> None:
    assert 0 <= priority(found) <= 1


def test_what_is_no_number_is_refused() -> None:
    nan = float("nan")
    for call in (
        lambda: recency(nan),
        lambda: recency(1.0, 0.0),
        lambda: emotional_congruence(Mood(), nan),
        lambda: is_on_the_tongue(nan, 0.0, 0.0),
        lambda: priority(Signals(similarity=nan)),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()
