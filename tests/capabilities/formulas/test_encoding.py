"""How strongly something is encoded, and what personality changes, beside the reference and in properties."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.encoding import (
    EncodingRates,
    Features,
    Mood,
    arousal_factor,
    attention,
    emotional_context,
    encode,
    is_flashbulb,
    mood_congruence,
)
from capabilities.formulas.personality import AttentionWeights, MechanismRates, Traits, attention_weights, modulated

from .golden import assert_all_match

NAMES = {
    "novelty": "novelty_attention",
    "procedure": "procedural_attention",
    "emotion": "emotional_sensitivity",
    "social": "social_attention",
    "cooperation": "cooperative_attention",
    "ethics": "ethical_attention",
}
FLAGS = {
    "novelty": "has_novelty",
    "procedure": "has_procedure",
    "emotion": "has_emotion",
    "social": "has_social_content",
    "cooperation": "has_cooperation",
    "ethics": "has_ethical_content",
    "contradiction": "has_contradiction",
    "topic_relevance": "topic_relevance",
}
RATES = {
    "base": "base_strength",
    "flashbulb_threshold": "flashbulb_threshold",
    "flashbulb_strength": "flashbulb_strength_multiplier",
    "flashbulb_stability": "flashbulb_stability_multiplier",
    "base_stability": "base_stability_ms",
}


def features(given: Any) -> Features:
    return Features(**{own: given[theirs] for own, theirs in FLAGS.items()})


def weights(given: Any) -> AttentionWeights:
    return AttentionWeights(**{own: given[theirs] for own, theirs in NAMES.items()})


def encoded(given: Any) -> dict[str, Any]:
    config = given.get("config")
    found = encode(
        Mood(**given["current_mood"]),
        attention_weights(Traits.of(given["traits"])),
        features(given["content_features"]),
        given.get("content_sentiment", 0.0),
        EncodingRates(**{own: config[theirs] for own, theirs in RATES.items()}) if config else None,
    )
    told = {"initial_strength": found.strength, "stability": found.stability, "importance": found.importance}
    return {**told, "is_flashbulb": found.is_flashbulb}


def context(given: Any) -> dict[str, Any]:
    found = emotional_context(Mood(**given["current_mood"]), given.get("content_sentiment", 0.0))
    return {**asdict(found), "gmi_mood": given["gmi_mood"]}


OURS: dict[str, Callable[[Any], Any]] = {
    "compute_encoding_weights": lambda given: {
        NAMES[own]: value for own, value in asdict(attention_weights(Traits.of(given["traits"]))).items()
    },
    "yerks_dodson": lambda given: arousal_factor(given["arousal01"]),
    "compute_attention_multiplier": lambda given: attention(weights(given["weights"]), features(given["features"])),
    "mood_congruence_boost": lambda given: mood_congruence(*given.values()),
    "is_flashbulb_memory": lambda given: is_flashbulb(given["emotional_intensity"], given.get("threshold", 0.8)),
    "build_emotional_context": context,
    "compute_encoding_strength": encoded,
}


@pytest.mark.parametrize("function", OURS)
def test_encoding_is_as_the_reference_has_it(function: str) -> None:
    assert_all_match("encoding", function, OURS[function])


def rates(given: Any) -> dict[str, Any]:
    partial, decay = given["partial"], given["partial"].get("source_confidence_decay", {}).get("decay_multipliers", {})
    told = {
        "drift_rate": partial.get("reconsolidation", {}).get("drift_rate"),
        "suppression_factor": partial.get("retrieval_induced_forgetting", {}).get("suppression_factor"),
        "involuntary_probability": partial.get("involuntary_recall", {}).get("probability"),
        "feeling_of_knowing_threshold": partial.get("metacognitive_fok", {}).get("partial_activation_threshold"),
        "novelty_boost": partial.get("schema_encoding", {}).get("novelty_boost"),
        "agent_inference_multiplier": decay.get("agent_inference"),
        "reflection_multiplier": decay.get("reflection"),
        "reappraisal_rate": partial.get("emotion_regulation", {}).get("reappraisal_rate"),
    }
    found = MechanismRates(**{name: value for name, value in told.items() if value is not None})
    if given["traits"] is not None:
        found = modulated(found, Traits.of(given["traits"]))
    other = {"involuntary_probability": "probability", "feeling_of_knowing_threshold": "partial_activation_threshold"}
    return {other.get(name, name): value for name, value in asdict(found).items()}


def test_a_personality_scales_the_mechanisms_as_the_reference_has_it() -> None:
    assert_all_match("mechanisms_config", "hexaco_modulation", rates)


unit = st.floats(0, 1)
signed = st.floats(-1, 1)
traits = st.builds(Traits, unit, unit, unit, unit, unit, unit)
moods = st.builds(Mood, signed, signed, signed)
contents = st.builds(Features, *[st.booleans()] * 7, unit)


@given(moods, traits, contents, signed)
def test_what_is_encoded_is_strong_and_lasting_within_bounds(
    mood: Mood, personality: Traits, content: Features, sentiment: float
) -> None:
    found = encode(mood, attention_weights(personality), content, sentiment)
    assert 0 <= found.strength <= 1
    assert 0 <= found.importance <= 1
    assert 3_600_000 <= found.stability <= 5 * 7 * 3_600_000


def test_what_is_no_number_or_no_trait_is_refused() -> None:
    nan = float("nan")
    with pytest.raises(ValueError, match="openness is nan"):
        Traits(openness=nan)
    with pytest.raises(ValueError, match="no trait is named kindness: expected some of honesty"):
        Traits.of({"kindness": 1.0})
    with pytest.raises(ValueError, match="arousal is nan"):
        Mood(arousal=nan)
    with pytest.raises(ValueError, match="sentiment is nan"):
        emotional_context(Mood(), nan)
    assert Traits(openness=7).openness == 1
    assert Mood(valence=-7).valence == -1
