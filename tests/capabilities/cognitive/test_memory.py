"""A cognitive memory encodes, brings to mind, keeps what is used, and forgets what is not."""

from itertools import pairwise
from pathlib import Path

import pytest

from capabilities.cognitive.capability import create_cognition
from capabilities.cognitive.config import PROFILES, CognitiveConfig
from fabric import Context, handler
from fabric.errors import ConfigurationError, RefusedError
from fabric.testing import FrozenClock

from .opened import open_mind

DAY = 86_400


async def test_a_plain_text_is_encoded_with_the_numbers_of_the_specification():
    async with open_mind(config={"profile": "as_specified"}) as mind:
        done = await mind(lambda memory: memory.encode("The table has four legs", type="semantic"))
    trace = done.trace
    assert done.is_new
    assert trace.strength == pytest.approx(0.2875)
    assert trace.stability == pytest.approx(3_600 * (1 + 6 * 0.2875))
    assert (trace.arousal, trace.intensity, trace.confidence, trace.source_type) == (0.5, 0, 0.8, "user_statement")
    assert trace.due_at is not None
    assert (trace.due_at - trace.created_at).total_seconds() == 3_600


async def test_under_the_numbers_of_the_specification_a_plain_fact_is_gone_after_five_hours():
    async with open_mind(config={"profile": "as_specified"}) as mind:
        await mind(lambda memory: memory.encode("The table has four legs"))
        mind.clock.advance(hours=4.7)
        assert (await mind(lambda memory: memory.sweep())).faded == ()
        mind.clock.advance(hours=0.2)
        assert len((await mind(lambda memory: memory.sweep())).faded) == 1


async def test_day_by_day_what_is_used_weekly_stays_small_talk_fades_and_a_flashbulb_lasts_for_months():
    async with open_mind(mood=lambda: (1.0, 0.0, 0.0)) as mind:
        used = (
            await mind(lambda memory: memory.encode("The bins are out on Tuesdays", valence=0.0, mood=(0, 0, 0)))
        ).trace
        idle = (await mind(lambda memory: memory.encode("Nice weather for once", valence=0.0, mood=(0, 0, 0)))).trace
        vivid = (
            await mind(lambda memory: memory.encode("Our daughter was born!", valence=1.0, mood=(1.0, 0.9, 0.0)))
        ).trace
        assert vivid.intensity > 0.8
        assert vivid.stability > 5 * used.stability
        faded: dict[str, int] = {}
        for week in range(1, 53):
            mind.clock.advance(days=7)
            if week % 52:
                await mind(lambda memory: memory.use([used.id]))
            faded |= dict.fromkeys((await mind(lambda memory: memory.sweep())).faded, week)
        left = await mind(lambda memory: memory.retrieve("daughter bins", least_strength=0.05))
    assert faded == {idle.id: 2}
    assert used.id in left.ids


async def test_retrieving_changes_nothing_and_a_use_strengthens_and_ties():
    async with open_mind() as mind:
        texts = ["Deploys with Docker Compose", "Deploys run on Fridays", "Docker images are slim"]
        ids = [(await mind(lambda memory, text=text: memory.encode(text))).trace.id for text in texts]
        before = [await mind(lambda memory, one=one: memory.get(one)) for one in ids]
        found = await mind(lambda memory: memory.retrieve("How do I deploy with Docker?"))
        assert set(found.ids) == set(ids)
        assert found.results[0].trace.id == ids[0]
        assert [await mind(lambda memory, one=one: memory.get(one)) for one in ids] == before
        mind.clock.advance(days=1)
        first, second = await mind(lambda memory: memory.use(ids[:2]))
        assert before[0] is not None
        assert first.strength == pytest.approx(before[0].strength + 0.1)
        assert first.stability > before[0].stability
        assert first.interval == 2 * before[0].interval
        ties = await mind(lambda memory: memory.ties(first.id))
        assert ("co_activated", 0.1) in [(tie.type, tie.weight) for tie in ties if tie.other == second.id]
        assert {slot.trace for slot in (await mind(lambda memory: memory.in_mind())).held} == set(ids[:2])


async def test_every_signal_of_the_score_is_told_and_weights_can_be_overridden():
    async with open_mind(mood=lambda: (0.8, 0.2, 0.0)) as mind:
        await mind(lambda memory: memory.encode("The picnic was lovely", valence=0.9))
        await mind(lambda memory: memory.encode("The picnic was rained off", valence=-0.9))
        found = await mind(lambda memory: memory.retrieve("picnic"))
        only = await mind(
            lambda memory: memory.retrieve(
                "picnic",
                weights={
                    "similarity": 0,
                    "strength": 0,
                    "recency": 0,
                    "importance": 0,
                    "graph_activation": 0,
                    "emotional_congruence": 1.0,
                },
            )
        )
        neutral = await mind(lambda memory: memory.retrieve("picnic", neutral_mood=True))
        with pytest.raises(RefusedError, match="no signal is named charm"):
            await mind(lambda memory: memory.retrieve("picnic", weights={"charm": 1}))
    assert found.results[0].trace.content == "The picnic was lovely"
    signals = found.results[0].signals
    assert signals.strength > 0
    assert signals.similarity > 0
    assert signals.recency == 1
    assert signals.importance == 0.9
    assert only.results[0].score == pytest.approx(only.results[0].signals.emotional_congruence)
    assert {one.signals.emotional_congruence for one in neutral.results} == {0.0}


async def test_a_change_is_believed_and_what_is_so_again_too():
    async with open_mind() as mind:
        oslo = (await mind(lambda memory: memory.encode("I live in Oslo"))).trace
        moved = await mind(lambda memory: memory.encode("I moved to Berlin"))
        assert moved.contradicts == (oslo.id,)
        found = await mind(lambda memory: memory.retrieve("where do I live?"))
        assert [(one.trace.content, one.is_outdated) for one in found.results] == [
            ("I moved to Berlin", False),
            ("I live in Oslo", True),
        ]
        prompt = await mind(lambda memory: memory.assemble("where do I live?"))
        assert "Berlin" in prompt.text
        assert "Oslo" not in prompt.text
        back = await mind(lambda memory: memory.encode("I live in Oslo"))
        assert back.is_new
        assert back.contradicts == (moved.trace.id,)
        again = await mind(lambda memory: memory.encode("I live in Oslo"))
        assert not again.is_new
        assert again.trace.id == back.trace.id
        assert again.trace.retrieval_count == 1


async def test_a_change_reaches_what_it_ends_and_nobody_else():
    async with open_mind(embedder=None) as mind:
        role = (await mind(lambda memory: memory.encode("I work at Stripe as a designer."))).trace
        await mind(lambda memory: memory.encode("My sister Anna lives in Oslo."))
        assert (await mind(lambda memory: memory.encode("I moved to Berlin in May."))).contradicts == ()
        assert (await mind(lambda memory: memory.encode("I joined Google."))).contradicts == (role.id,)
        prompt = (await mind(lambda memory: memory.assemble("where does Anna live?"))).text
        assert "Oslo" in prompt
        assert "Stripe" not in prompt
        told = [
            "My sister Berta works at Philips.",
            "My boss Berta works at Shell.",  # another Berta
            "Berta works at Ikea.",  # may be either
            "My boss Berta works at Lego.",
        ]
        made = [await mind(lambda memory, text=text: memory.encode(text)) for text in told]
        ids = [one.trace.id for one in made]
        assert [one.contradicts for one in made] == [(), (), (), (ids[1], ids[2])]


async def test_greetings_and_questions_are_kept_and_enter_no_prompt():
    async with open_mind(embedder=None) as mind:
        for text in ("Hello there!", "Where do I park?", "I park in the yard."):
            await mind(lambda memory, text=text: memory.encode(text))
        assert len(await mind(lambda memory: memory.outlook())) == 3
        prompt = await mind(lambda memory: memory.assemble("Where can I park?"))
        assert len(prompt.ids) == 1
        assert "in the yard" in prompt.text


async def test_traces_that_are_like_a_new_one_and_it_weaken_each_other():
    async with open_mind(embedder=lambda texts: [[1.0, 0.1 * place] for place, _ in enumerate(texts)]) as mind:
        old = (await mind(lambda memory: memory.encode("Alpha"))).trace
        done = await mind(lambda memory: memory.encode("Bravo"))
        assert done.weakened == (old.id,)
        assert done.trace.strength == pytest.approx(0.2875 - 0.1 * 0.2875, abs=1e-3)
        weaker = await mind(lambda memory: memory.get(old.id))
        assert weaker is not None
        assert weaker.strength == pytest.approx(0.2875 - 0.15, abs=3e-3)


async def test_what_faded_can_be_restored_and_a_clock_that_jumps_erases_nothing(tmp_path: Path):
    clock = FrozenClock()
    async with open_mind(tmp_path / "mind.duckdb", clock=clock) as mind:
        trace = (await mind(lambda memory: memory.encode("The bins are out on Tuesdays"))).trace
        await mind(lambda memory: memory.sweep())
        mind.clock.advance(days=4_000)
        assert (await mind(lambda memory: memory.sweep())).faded == (trace.id,)
        mind.clock.advance(days=4_000)
        assert (await mind(lambda memory: memory.sweep())).erased == 0
        assert (await mind(lambda memory: memory.retrieve("bins"))).results == []
    async with open_mind(tmp_path / "mind.duckdb", clock=clock) as mind:
        assert [one.id for one in await mind(lambda memory: memory.restore([trace.id, "nope"]))] == [trace.id]
        assert (await mind(lambda memory: memory.retrieve("bins"))).ids == [trace.id]
        mind.clock.advance(days=400)
        assert (await mind(lambda memory: memory.sweep())).faded == (trace.id,)
        assert (await mind(lambda memory: memory.encode(trace.content))).is_new
        assert await mind(lambda memory: memory.restore([trace.id])) == []  # it was said again
        for _ in range(31):
            mind.clock.advance(days=1)
            erased = await mind(lambda memory: memory.sweep())
        assert erased.erased == 1
        assert await mind(lambda memory: memory.get(trace.id)) is None


async def test_awake_time_passes_only_while_the_memory_is_in_use():
    profile = {"base_hours": 1.0, "time": "awake"}
    async with open_mind(config={"profile": profile}) as mind:
        trace = (await mind(lambda memory: memory.encode("The bins are out on Tuesdays"))).trace
        mind.clock.advance(days=30)
        found = await mind(lambda memory: memory.retrieve("bins"))
        assert found.results[0].strength == pytest.approx(trace.strength * 2.718281828 ** (-3_600 / trace.stability))
        assert (await mind(lambda memory: memory.sweep())).faded == ()


async def test_nothing_of_one_scope_is_seen_tied_or_weakened_from_another():
    async with open_mind() as mind:
        mine = (await mind(lambda memory: memory.encode("Anna paints in Oslo"))).trace
        theirs = await mind(lambda memory: memory.encode("Anna paints in Oslo"), user="kim")
        agent = await mind(lambda memory: memory.encode("Anna paints in Oslo", scope="persona"), agent="helper")
        assert theirs.is_new
        assert agent.is_new
        assert theirs.weakened == agent.weakened == ()
        assert (await mind(lambda memory: memory.retrieve("Anna"))).ids == [mine.id]
        assert await mind(lambda memory: memory.ties(mine.id)) == []
        assert await mind(lambda memory: memory.use([theirs.trace.id, agent.trace.id])) == []
        with pytest.raises(RefusedError, match="opened without agent"):
            await mind(lambda memory: memory.encode("x", scope="persona"))


async def test_what_is_tied_comes_to_mind_with_what_was_asked_for():
    async with open_mind() as mind:
        await mind(lambda memory: memory.encode("Rosalind keeps bees on the roof"))
        mind.clock.advance(days=1)
        await mind(lambda memory: memory.encode("Rosalind is moving to Porto"))
        found = await mind(lambda memory: memory.retrieve("bees", limit=1))
        graph = await mind(lambda memory: memory.graph())
    assert [key for _, _, key in graph.edges(keys=True)] == ["shared_entity"]
    assert found.results[0].trace.content.startswith("Rosalind keeps")
    assert found.results[0].signals.graph_activation == 1.0


async def test_consolidation_of_the_tools_keeps_what_was_felt_strongly_and_drops_what_faded():
    async with open_mind() as mind:
        felt = (await mind(lambda memory: memory.encode("The dog is safe!", valence=1.0, mood=(1.0, 0.2, 0.0)))).trace
        plain = (await mind(lambda memory: memory.encode("The bins are out", valence=0.0))).trace
        mind.clock.advance(days=400)
        tools = create_cognition().traces

        @handler(name="reflect", uses=[tools])
        async def reflect(_: object, ctx: Context) -> int:
            return (await ctx[tools].reflect()).pruned

        session = mind.fabric.session("monday", user="jake")
        assert (await session.arun(reflect)).output == 1
        left = [await mind(lambda memory, one=one: memory.get(one)) for one in (felt.id, plain.id)]
        assert [one is not None and one.deleted for one in left] == [False, True]


async def test_traces_are_tied_on_request_and_what_hangs_together_is_a_cluster():
    async with open_mind() as mind:
        ids = []
        for text in ("Boils water", "Grinds beans", "Pours slowly"):
            ids.append((await mind(lambda memory, text=text: memory.encode(text))).trace.id)
            mind.clock.advance(hours=1)
        theirs = (await mind(lambda memory: memory.encode("Boils eggs", scope="thread"))).trace.id
        for one, other in pairwise(ids):
            assert await mind(lambda memory, pair=(one, other): memory.tie(*pair, "caused_by", weight=0.9))
        assert await mind(lambda memory: memory.tie(ids[0], ids[1], "same_topic"))
        assert not await mind(lambda memory: memory.tie(ids[0], "nope", "caused_by"))
        with pytest.raises(RefusedError, match="different scopes"):
            await mind(lambda memory: memory.tie(ids[0], theirs, "caused_by"))
        assert await mind(lambda memory: memory.clusters(3)) == [sorted(ids)]
        assert [tie.type for tie in await mind(lambda memory: memory.ties(ids[0]))] == ["caused_by", "same_topic"]


async def test_a_turn_uses_what_its_prompt_showed_and_the_mind_fades():
    async with open_mind() as mind:
        trace = (await mind(lambda memory: memory.encode("Deploys run on Fridays"))).trace
        shown = await mind(lambda memory: memory.assemble("when do deploys run?", 200))
        assert shown.ids == (trace.id,)
        assert shown.tokens <= 200
        assert shown == await mind(lambda memory: memory.assemble("when do deploys run?", 200))
        assert await mind(lambda memory: memory.end_turn()) == []
        after = await mind(lambda memory: memory.get(trace.id))
        assert after is not None
        assert after.retrieval_count == 1
        left = [await mind(lambda memory: memory.end_turn()) for _ in range(8)]
        assert left.index([trace.id]) == 6
        after = await mind(lambda memory: memory.get(trace.id))
        assert after is not None
        assert after.retrieval_count == 1


async def test_notes_are_kept_for_each_agent_and_refused_when_too_long():
    async with open_mind() as mind:
        await mind(lambda memory: memory.write_notes("# Jake\n- likes short answers"))
        with pytest.raises(RefusedError, match="at most 8000"):
            await mind(lambda memory: memory.write_notes("x" * 8_001))
        assert await mind(lambda memory: memory.notes(), session="tuesday") == "# Jake\n- likes short answers"
        assert await mind(lambda memory: memory.notes(), user="kim") == ""
        prompt = await mind(lambda memory: memory.assemble("hello", 300))
        assert "## Persistent Memory\n# Jake" in prompt.text


async def test_sections_of_a_prompt_take_the_shares_that_they_are_given():
    notes = "likes short answers, " * 60
    for shares, least, most in (({}, 0, 50), ({"persistent": 0.3}, 250, 300), ({"persistent": 0}, 0, 0)):
        async with open_mind(config={"shares": shares}) as mind:
            await mind(lambda memory: memory.write_notes(notes))
            prompt = await mind(lambda memory: memory.assemble("hello", 1_000))
            assert least <= prompt.tokens <= most + 60 * bool(most)
            assert ("## Persistent Memory" in prompt.text) == bool(most)


def test_a_profile_and_traits_that_cannot_be_are_refused_with_what_can():
    with pytest.raises(ConfigurationError, match="expected one of as_specified, daily"):
        CognitiveConfig(profile="weekly")
    with pytest.raises(ConfigurationError, match="no trait is named patience"):
        CognitiveConfig(traits={"patience": 1.0})
    assert CognitiveConfig().profile == PROFILES["daily"]


async def test_the_outlook_of_a_trace_is_what_a_sweep_does():
    async with open_mind() as mind:
        first = (await mind(lambda memory: memory.encode("The bins are out on Tuesdays"))).trace
        mind.clock.advance(days=3)
        await mind(lambda memory: memory.encode("Anna paints in Oslo"))
        latest, oldest = await mind(lambda memory: memory.outlook())
        assert (oldest.trace.id, oldest.kept_by, latest.kept_by) == (first.id, ("new",), ("new",))
        assert latest.strength > oldest.strength > oldest.in_a_week > 0
        assert oldest.fades_at is not None
        mind.clock.advance(seconds=(oldest.fades_at - mind.clock.now()).total_seconds() - 1)
        assert (await mind(lambda memory: memory.sweep())).faded == ()
        mind.clock.advance(seconds=2)
        assert (await mind(lambda memory: memory.sweep())).faded == (first.id,)
        assert [one.trace.id for one in await mind(lambda memory: memory.outlook())] == [latest.trace.id]
