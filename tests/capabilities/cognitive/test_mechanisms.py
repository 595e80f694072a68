"""The eight mechanisms at their hooks: what using, encoding, prompting and consolidating do to traces."""

from collections.abc import Callable
from typing import Any

import pytest

from capabilities.cognitive.config import CognitiveConfig
from capabilities.cognitive.mechanisms.config import Mechanisms
from capabilities.cognitive.mechanisms.metadata import metadata_of
from capabilities.formulas.personality import Traits
from fabric.errors import ConfigurationError
from tests.capabilities.formulas.golden import FOLDER, cases

from .opened import open_mind

NAMES = {
    "reconsolidation": "reconsolidation",
    "retrieval_induced_forgetting": "retrieval_induced_forgetting",
    "involuntary_recall": "involuntary_recall",
    "metacognitive_fok": "feeling_of_knowing",
    "temporal_gist": "temporal_gist",
    "schema_encoding": "schema_encoding",
    "source_confidence_decay": "source_confidence_decay",
    "emotion_regulation": "emotion_regulation",
}
FIELDS = {
    "max_drift_per_trace": "max_drift",
    "max_suppressions_per_query": "max_suppressed",
    "partial_activation_threshold": "threshold",
    "age_threshold_days": "age_days",
    "min_retrieval_count": "min_retrievals",
    "cluster_similarity_threshold": "similarity",
    "decay_multipliers": "multipliers",
    "suppression_threshold": "valence",
    "max_regulation_per_cycle": "max_per_cycle",
}
NOT_OURS = {"immune_above_importance", "surface_tip_of_tongue", "preserve_entities", "preserve_emotional_context"}
LONG = "At the harbour of Bergen we met an old shipwright who told us for an hour how he had built the blue boat " * 3


def only(name: str, **changed: Any) -> dict[str, Any]:
    """Return a configuration in which one mechanism is on."""
    off = {other: {"enabled": False} for other in Mechanisms.model_fields if other != name}
    return {"mechanisms": {**off, name: changed}}


def test_the_defaults_are_those_of_the_reference():
    import json

    path = FOLDER / "mechanisms_config.json"
    if not path.exists():
        pytest.skip("the reference's cases are not beside this checkout")
    told = json.loads(path.read_text(encoding="utf-8"))["defaults"]
    ours = Mechanisms()
    for name, fields in told.items():
        mechanism = getattr(ours, NAMES[name])
        for field, value in fields.items():
            if field == "decay_multipliers":
                kept = {source: by for source, by in value.items() if by < 1}
                assert kept.items() <= mechanism.multipliers.items()
            elif field not in NOT_OURS:
                assert getattr(mechanism, FIELDS.get(field, field)) == value, (name, field)


def test_a_personality_scales_them_once_and_a_mistake_is_told():
    for name, given, output in cases("mechanisms_config", "hexaco_modulation"):
        if given["partial"]:
            continue
        ours = Mechanisms().modulated(Traits.of(given["traits"]))
        assert ours.reconsolidation.drift_rate == pytest.approx(output["drift_rate"]), name
        assert ours.feeling_of_knowing.threshold == pytest.approx(output["partial_activation_threshold"]), name
        assert ours.source_confidence_decay.multipliers["reflection"] == pytest.approx(output["reflection_multiplier"])
    config = CognitiveConfig(mechanisms=True, traits={"openness": 1.0})
    assert config.at_work is config.at_work
    assert config.at_work.involuntary_recall.probability == pytest.approx(0.12)
    assert not any(one.enabled for _, one in CognitiveConfig().at_work)
    with pytest.raises(ConfigurationError, match=r"there is no such option"):
        CognitiveConfig(mechanisms={"dreaming": True})
    with pytest.raises(ConfigurationError, match="probability"):
        CognitiveConfig(mechanisms={"involuntary_recall": {"probability": 2}})


async def test_reconsolidation_moves_a_mood_to_its_limit_and_no_flashbulb():
    mood = [1.0, 1.0, 1.0]
    config = {**only("reconsolidation"), "flashbulb_strength": 9.0}
    async with open_mind(config=config, mood=lambda: tuple(mood), embedder=None) as mind:
        one = (await mind(lambda memory: memory.encode("The lake was cold", mood=(0.0, 0.0, 0.0), valence=-0.5))).trace
        flash = (
            await mind(lambda memory: memory.encode("The house burned down!", mood=(-1, 1, 0), valence=-1.0))
        ).trace
        assert flash.strength >= 0.9
        first = (await mind(lambda memory: memory.use([one.id])))[0]
        assert one.valence < first.valence
        assert one.arousal < first.arousal
        for _ in range(20):
            (last,) = await mind(lambda memory: memory.use([one.id]))
        noted = metadata_of(last)
        assert noted.drift == pytest.approx(0.4)
        assert len(noted.drifts) <= 10
        (still,) = await mind(lambda memory: memory.use([flash.id]))
        assert (still.valence, still.arousal, still.data) == (flash.valence, flash.arousal, {})


async def test_the_mood_of_what_a_witness_told_drifts_half_as_fast_and_no_further():
    mood = (1.0, 0.0, 0.0)
    async with open_mind(config=only("reconsolidation"), mood=lambda: mood, embedder=None) as mind:
        moved: list[float] = []
        for told in (None, {"mechanism_metadata": {"is_perspective": True}}):
            said = f"The lake was cold {told is None}"
            made = await mind(
                lambda memory, said=said, told=told: memory.encode(said, mood=(0, 0, 0), valence=0.0, data=told)
            )
            (used,) = await mind(lambda memory, one=made.trace.id: memory.use([one]))
            moved.append(metadata_of(used).drift)
            for _ in range(40):
                (used,) = await mind(lambda memory, one=made.trace.id: memory.use([one]))
            assert metadata_of(used).drift <= 0.4 + 1e-9
        assert moved == [pytest.approx(0.05), pytest.approx(0.025)]


async def test_what_was_nearly_retrieved_is_felt_to_be_known_with_what_of_it_comes_to_mind():
    said = [f"Rosalind showed her bees to Bo and Ada in Oslo on {day}" for day in ("Monday", "Friday", "Sunday")]
    for config, felt in ((only("feeling_of_knowing"), True), (only("feeling_of_knowing", enabled=False), False)):
        async with open_mind(config=config, embedder=None) as mind:
            for text in said:
                await mind(lambda memory, text=text: memory.encode(text, type="episodic", mood_name="joy"))
                mind.clock.advance(minutes=1)
            found = await mind(lambda memory: memory.retrieve("Whom did Rosalind show her bees?", limit=2))
            assert bool(found.felt) is felt
            assert {one.id for one in found.felt}.isdisjoint(found.ids)
            for one in found.felt:
                assert (one.kind == "high_confidence") is (one.feeling > 0.6)
                assert (len(one.entities), one.mood, one.said_at is None) == (3, "joy", False)


async def test_what_competed_with_what_was_of_use_fades_faster():
    said = [f"My brother keeps {number} bees in his garden" for number in ("two", "three", "four")]
    forgetting = only("retrieval_induced_forgetting", similarity_threshold=0.1)
    async with open_mind(config=forgetting, embedder=None) as mind:
        for text in said:
            await mind(lambda memory, text=text: memory.encode(text, type="episodic"))
        found = await mind(lambda memory: memory.retrieve("How many bees does my brother keep?", limit=2))
        assert len(found.rivals) == 1
        best = found.ids[0]
        await mind(lambda memory: memory.use([best], among=found))
        for one in [*found.ids[1:], *found.rivals]:
            trace = await mind(lambda memory, one=one: memory.get(one))
            before = next((held.trace for held in found.results if held.trace.id == one), None)
            assert before is None or trace.stability == pytest.approx(before.stability * 0.88)
            assert metadata_of(trace).suppressed == 1


async def test_an_old_memory_comes_to_mind_unasked_by_one_draw():
    config = only("involuntary_recall", probability=1.0)
    async with open_mind(config={**config, "profile": "daily"}, embedder=None) as mind:
        old = (
            await mind(lambda memory: memory.encode("The boat sank off Bergen", mood=(-1, 1, 0), valence=-1.0))
        ).trace
        shown = await mind(lambda memory: memory.assemble("What shall we cook?"))
        assert "Spontaneous" not in shown.text
        mind.clock.advance(days=15)
        shown = await mind(lambda memory: memory.assemble("What shall we cook?"))
        assert shown.sections.get("involuntary", shown.ids) == (old.id,)


async def test_what_fits_a_schema_is_encoded_less_strongly_and_what_does_not_more():
    async with open_mind(config=only("schema_encoding")) as mind:
        plain = (await mind(lambda memory: memory.encode("We walked along the old harbour wall"))).trace
        assert metadata_of(plain).is_congruent is None

        async def cycle(memory: Any) -> Any:
            async def derive(traces: Any) -> str:
                return "Jake goes running in the forest in the morning"

            return await memory.consolidate(derive=derive)

        for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"):
            await mind(lambda memory, day=day: memory.encode(f"On {day} I met Rosalind at noon"))
        assert (await mind(cycle)).schemas_created == 1
        fits = (await mind(lambda memory: memory.encode("Jake went running in the forest this morning"))).trace
        other = (await mind(lambda memory: memory.encode("The printer is out of blue ink"))).trace
        assert metadata_of(fits).is_congruent
        assert [tie.type for tie in await mind(lambda memory: memory.ties(fits.id))].count("schema_instance") == 1
        assert metadata_of(other).is_congruent is False
        assert fits.strength < other.strength


async def test_a_gist_takes_the_place_of_an_old_text_and_the_archive_gives_it_back():
    async with open_mind(config=only("temporal_gist"), embedder=None) as mind:
        story = (await mind(lambda memory: memory.encode(LONG, mood_name="joy", mood=(0.9, 0.5, 0), valence=1.0))).trace
        assert (await mind(lambda memory: memory.consolidate())).gisted_count == 0
        mind.clock.advance(days=61)

        async def empty(_: Any) -> str:
            return " "

        nothing = await mind(lambda memory: memory.consolidate(gist=empty))
        assert (nothing.gisted_count, len(nothing.failed)) == (0, 1)
        assert (await mind(lambda memory: memory.get(story.id))).content == LONG
        assert await mind(lambda memory: memory.rehydrate(story.id)) is None

        done = await mind(lambda memory: memory.consolidate())
        assert (done.gisted_count, done.failed) == (1, ())
        gist = await mind(lambda memory: memory.get(story.id))
        assert gist.content == " ".join(LONG.split()[:30]) + "... [joy]"
        assert gist.strength == pytest.approx(story.strength * 0.8)
        assert await mind(lambda memory: memory.rehydrate(story.id)) == LONG
        assert await mind(lambda memory: memory.rehydrate(story.id), user="ann") is None
        assert (await mind(lambda memory: memory.consolidate())).gisted_count == 0
        (line,) = [one for one in await mind(lambda memory: memory.last_consolidation()) if one.total_processed]
        assert line.changes == ()


async def test_what_was_inferred_loses_stability_once_an_interval():
    async with open_mind(config=only("source_confidence_decay"), embedder=None) as mind:
        thought = (await mind(lambda memory: memory.encode("Jake seems to like tea", source_type="reflection"))).trace
        said = (await mind(lambda memory: memory.encode("I like coffee"))).trace
        for expected in (0.675, 0.675, 0.675**2):
            await mind(lambda memory: memory.consolidate())
            left = await mind(lambda memory: memory.get(thought.id))
            assert left.stability == pytest.approx(thought.stability * expected)
            mind.clock.advance(hours=13)
        assert (await mind(lambda memory: memory.get(said.id))).stability == said.stability


async def test_overwhelming_feelings_are_calmed_and_flashbulbs_are_not():
    async with open_mind(config={**only("emotion_regulation"), "base_strength": 0.1}, embedder=None) as mind:
        told = [f"The exam number {number} was terrible" for number in range(12)]
        ids = [
            (await mind(lambda memory, text=text: memory.encode(text, mood=(-1, 1, 0), valence=-1.0))).trace.id
            for text in told
        ]
        gone = (
            await mind(lambda memory: memory.encode("The lecture was a horror", mood=(-1, 1, 0), valence=-1.0))
        ).trace
        assert await mind.tools(lambda memory: memory.delete(gone.id))
        before = [await mind(lambda memory, one=one: memory.get(one)) for one in ids]
        assert (await mind(lambda memory: memory.consolidate())).regulated_count == len(ids)
        after = [await mind(lambda memory, one=one: memory.get(one)) for one in ids]
        calmer = [
            one for one, was in zip(after, before, strict=True) if one.valence == pytest.approx(was.valence * 0.85)
        ]
        weaker = [
            one for one, was in zip(after, before, strict=True) if one.strength == pytest.approx(was.strength * 0.9)
        ]
        assert len(calmer) == 10
        assert (await mind(lambda memory: memory.get(gone.id))).valence == gone.valence
    async with open_mind(config={**only("emotion_regulation"), "flashbulb_strength": 9.0}, embedder=None) as mind:
        flash = (await mind(lambda memory: memory.encode("Our house burned!", mood=(-1, 1, 0), valence=-1.0))).trace
        assert flash.strength >= 0.9
        assert (await mind(lambda memory: memory.consolidate())).regulated_count == 0
        assert (await mind(lambda memory: memory.get(flash.id))).valence == flash.valence
        assert {one.id for one in after} - {one.id for one in calmer} <= {one.id for one in weaker}


@pytest.mark.parametrize("given", [None, False, dict.fromkeys(Mechanisms.model_fields, False)])
async def test_off_nothing_is_noted_and_nothing_changes(given: Any):
    async with open_mind(config={"mechanisms": given}, embedder=None) as mind:
        read: Callable[[Any], Any] = lambda memory: memory.get(one.id)  # noqa: E731  short, and used twice
        one = (await mind(lambda memory: memory.encode(LONG, source_type="reflection", mood=(-1, 0.6, 0)))).trace
        await mind(lambda memory: memory.use([one.id]))
        used = await mind(read)
        mind.clock.advance(days=5)
        await mind(lambda memory: memory.consolidate())
        left = await mind(read)
        assert (left.data, left.content, left.valence) == ({}, LONG, one.valence)
        assert left.strength == used.strength
