"""What happens to memories between turns, beside the reference and in properties."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.encoding import EmotionalContext
from capabilities.formulas.in_sleep import (
    GIST_STRENGTH,
    SOURCES,
    Regulation,
    SchemaRates,
    fades_to_gist,
    gist,
    nearest_schema,
    reappraised,
    regulated,
    schema_strength,
    source_multiplier,
)

from .golden import assert_all_match

HOUR = 3_600_000


def gisted(told: Any) -> dict[str, Any]:
    config, answers = told["config"], iter(told.get("llm_answers", []))
    traces, count = list[Any](), 0
    for trace in told["traces"]:
        fits = config["enabled"] and trace["is_active"] and trace["type"] in ("episodic", "semantic")
        fits = fits and not trace.get("gisted") and count < 20
        age = told["now_ms"] - trace["created_at"]
        limits = {"days": config["age_threshold_days"], "least_uses": config["min_retrieval_count"]}
        text, strength, original = trace["content"], trace["encoding_strength"], None
        fits = fits and fades_to_gist(age, trace["retrieval_count"], strength, **limits)
        if fits:
            answer = next(answers, None)
            original = hashlib.sha256(text.encode()).hexdigest()
            text = gist(text, trace["gmi_mood"]) if answer is None else answer
            strength *= GIST_STRENGTH
            count += 1
        is_gist = fits or bool(trace.get("gisted"))
        told_of = {"id": trace["id"], "content": text, "encoding_strength": strength, "gisted": is_gist}
        traces.append({**told_of, "original_content_hash": original})
    return {"gisted_count": count, "traces": traces}


def beside_schemas(told: Any) -> dict[str, Any]:
    config, centroids = told["config"], told["centroids"]
    place, cosine = nearest_schema(told["embedding"], [vector for _, vector in centroids])
    if not config["enabled"] or place is None:
        same = told["encoding_strength"]
        return {"is_congruent": False, "cluster_id": None, "adjusted_strength": same, "marks": None}
    rates = SchemaRates(config["cluster_similarity_threshold"], config["congruency_discount"], config["novelty_boost"])
    strength, fits = schema_strength(told["encoding_strength"], cosine, rates)
    return {
        "is_congruent": fits,
        "cluster_id": centroids[place][0] if fits else None,
        "adjusted_strength": strength,
        "marks": {"schema_congruent": fits, "schema_violating": not fits},
    }


def doubted(told: Any) -> dict[str, Any]:
    multipliers, now = told.get("decay_multipliers") or SOURCES, told["now_ms"]
    stabilities, stamped = list[float](), list[str]()
    for trace in told["traces"]:
        recent = now - trace.get("last_source_decay_at", 0) < HOUR
        by = source_multiplier(trace["source_type"], trace["encoding_strength"], multipliers)
        changes = told["enabled"] and trace["is_active"] and not recent and by < 1
        stabilities.append(trace["stability"] * (by if changes else 1))
        stamped += [trace["id"]] if changes else []
    return {"count": len(stamped), "stabilities": stabilities, "stamped": stamped}


def calmed(told: Any) -> dict[str, Any]:
    config, traces = told["config"], told["traces"]
    how = Regulation(
        config["reappraisal_rate"], config["suppression_threshold"], most=config["max_regulation_per_cycle"]
    )
    active = [place for place, trace in enumerate(traces) if trace["is_active"] and config["enabled"]]
    moods = [
        (EmotionalContext(record["valence"], record["arousal"], 0.0, record["intensity"]), record["encoding_strength"])
        for record in (traces[place] for place in active)
    ]
    after, count = regulated(moods, how)
    rows = [
        [trace["id"], trace["encoding_strength"], trace["valence"], trace["arousal"], trace["intensity"]]
        for trace in traces
    ]
    for place, (context, strength) in zip(active, after, strict=True):
        rows[place][1:] = [strength, context.valence, context.arousal, context.intensity]
    return {"regulated_count": count, "traces": rows}


OURS: dict[str, Callable[[Any], Any]] = {
    "apply_temporal_gist_without_llm": gisted,
    "apply_temporal_gist_with_llm": gisted,
    "apply_schema_encoding": beside_schemas,
    "apply_source_confidence_decay": doubted,
    "apply_emotion_regulation": calmed,
}


@pytest.mark.parametrize("function", OURS)
def test_sleep_changes_memories_as_the_reference_has_it(function: str) -> None:
    assert_all_match("mechanisms_consolidation", function, OURS[function])


unit = st.floats(0, 1)


@given(st.floats(-1, 1), unit, unit)
def test_regulation_only_calms(valence: float, arousal: float, strength: float) -> None:
    context = EmotionalContext(valence, arousal, 0.0, abs(valence) * arousal)
    ((after, left),), _ = regulated([(context, strength)])
    assert abs(after.valence) <= abs(valence)
    assert after.intensity <= context.intensity
    assert left <= strength
    assert strength < 0.9 or (after, left) == (context, strength)
    assert reappraised(context).dominance == context.dominance


@given(unit, st.floats(-1, 1))
def test_a_schema_leaves_strength_within_bounds(strength: float, cosine: float) -> None:
    after, fits = schema_strength(strength, cosine)
    assert 0 <= after <= 1
    assert fits == (cosine >= 0.75)
    assert after <= strength if fits else after >= strength
