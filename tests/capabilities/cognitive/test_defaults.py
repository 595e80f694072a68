"""The tables of defaults of the specification, number by number; what only we have is in no table."""

from typing import get_args

import pytest

from capabilities.cognitive.config import PROFILES, CognitiveConfig
from capabilities.cognitive.consolidation.config import ConsolidationConfig
from capabilities.cognitive.consolidation.result import Consolidated
from capabilities.cognitive.consolidation.schemas import STABILITY, STRENGTH
from capabilities.cognitive.graph import WEIGHTS as EDGE_WEIGHTS
from capabilities.cognitive.prompt.prompt import HEADINGS
from capabilities.cognitive.witnesses.record import AT_ONCE, LEAST_IMPORTANCE
from capabilities.formulas import after_recall, in_sleep, slots
from capabilities.formulas.personality import Traits
from capabilities.formulas.priority import WEIGHTS
from capabilities.formulas.prompt_budget import SHARES
from capabilities.prospective import Intention, Trigger
from capabilities.prospective.commitments import (
    LEAST_COMMITMENT,
    LEAST_PREFERENCE,
    PREFERENCE_FACTOR,
    NoteKind,
)
from capabilities.traces.archive import ArchiveReason
from capabilities.traces.record import EdgeType, SourceType, TraceScope, TraceType

SPECIFIED = CognitiveConfig(profile=PROFILES["as_specified"])


def test_encoding_defaults():
    rates = SPECIFIED.encoding
    assert (rates.base, rates.flashbulb_threshold, rates.flashbulb_strength) == (0.5, 0.8, 2.0)
    assert (rates.flashbulb_stability, rates.base_stability) == (5.0, 3_600_000)


def test_decay_defaults():
    assert (SPECIFIED.prune_threshold, SPECIFIED.interference_threshold) == (0.05, 0.7)
    assert (SPECIFIED.protected_intensity, PROFILES["as_specified"].recency_hours) == (0.3, 24.0)


def test_graph_defaults():
    how = SPECIFIED.spreading
    assert (how.depth, how.per_hop, how.threshold, how.limit, SPECIFIED.learning_rate) == (3, 0.5, 0.1, 20, 0.1)
    told = {"shared_entity": 0.5, "temporal_sequence": 0.3, "schema_instance": 0.6}
    assert told.items() <= EDGE_WEIGHTS.items()
    kinds = "shared_entity temporal_sequence same_topic contradicts supersedes caused_by co_activated schema_instance"
    assert set(kinds.split()) == set(get_args(EdgeType))


def test_consolidation_defaults_and_the_fields_of_its_result():
    limits = ConsolidationConfig()
    assert (limits.every_hours, limits.max_traces, limits.min_cluster, limits.recent_hours) == (1.0, 500, 5, 24.0)
    assert (limits.archive_days, STRENGTH, STABILITY) == (365.0, 0.7, 2.0)
    counts = (
        "pruned_count edges_created schemas_created conflicts_resolved reinforced_count total_processed duration_ms"
    )
    assert set(counts.split()) <= Consolidated.model_fields.keys()


def test_weights_of_the_six_signals():
    assert (WEIGHTS.strength, WEIGHTS.similarity, WEIGHTS.recency) == (0.25, 0.35, 0.10)
    assert (WEIGHTS.emotional_congruence, WEIGHTS.graph_activation, WEIGHTS.importance) == (0.15, 0.10, 0.05)


def test_slots_of_working_memory():
    assert (SPECIFIED.capacity, slots.INITIAL, slots.REHEARSED, slots.REFOCUSED) == (7, 0.8, 0.15, 0.2)
    assert (slots.LEAST, slots.MOST, slots.ACTIVE, slots.FADING) == (5, 9, 0.7, 0.4)
    open_mind, deep = Traits(openness=0.61), Traits(conscientiousness=0.61)
    assert [slots.capacity(one) for one in (Traits(), open_mind, deep)] == [7, 8, 6]
    assert [slots.capacity(open_mind, 9), slots.capacity(deep, 5)] == [9, 5]


def test_shares_and_headings_of_a_prompt():
    assert (SHARES.active, SHARES.semantic, SHARES.episodic) == (0.15, 0.45, 0.25)
    assert (SHARES.reminders, SHARES.associated, SHARES.observations) == (0.05, 0.05, 0.05)
    assert SHARES.persistent == 0.05
    assert SPECIFIED.shares == SHARES
    told = (
        "Persistent Memory,Active Context,Relevant Memories,Recent Experiences,Reminders,Related Context,Observations"
    )
    assert [one.strip("# \n") for one in HEADINGS.values()] == told.split(",")


def test_words_of_traces_notes_reminders_and_the_archive():
    assert set(get_args(TraceType)) == {"episodic", "semantic", "procedural", "prospective"}
    assert set(get_args(TraceScope)) == {"thread", "user", "persona", "organization"}
    sources = {"user_statement", "agent_inference", "tool_result", "observation", "reflection", "external"}
    assert set(get_args(SourceType)) == sources
    assert set(get_args(NoteKind)) == {"factual", "emotional", "commitment", "preference", "creative", "correction"}
    assert set(get_args(Trigger)) == {"time_based", "event_based", "context_based"}
    assert set(get_args(ArchiveReason)) == {"temporal_gist", "perspective_source"}  # of four: see Decisions


def test_prospective_and_perspective_defaults():
    assert Intention.model_fields["threshold"].default == pytest.approx(0.7)
    assert (LEAST_COMMITMENT, LEAST_PREFERENCE, PREFERENCE_FACTOR) == (0.5, 0.6, 0.7)
    assert (LEAST_IMPORTANCE, AT_ONCE) == (0.3, 10)


def test_guards_of_the_mechanisms():
    assert (after_recall.IMMUNE, after_recall.TOO_WEAK, after_recall.SURE) == (0.9, 0.1, 0.6)
    assert (in_sleep.GIST_WORDS, in_sleep.GIST_STRENGTH) == (30, 0.8)
    assert (in_sleep.TRUSTED, in_sleep.LEAST_FOR_TRUSTED) == (0.8, 0.9)
    assert (in_sleep.FULLEST_ENTITY, in_sleep.IN_SEQUENCE) == (10, 300_000)
