"""A cycle of consolidation: the five steps of the specification, their limits, their scopes, and what they leave."""

import asyncio
from typing import Any

import pytest

from capabilities.cognitive.consolidation.config import ConsolidationConfig
from capabilities.traces.archive import SHELVES, archive
from capabilities.traces.tables import USER
from fabric import Context, handler
from fabric.errors import ModelError

from .opened import open_mind

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


async def encode(mind: Any, text: str, **more: Any) -> Any:
    ids = {name: more.pop(name) for name in ("user", "session") if name in more}
    return (await mind(lambda memory: memory.encode(text, **more), **ids)).trace


def cycle(**models: Any) -> Any:
    async def run(memory: Any) -> Any:
        return await memory.consolidate(**models)

    return run


def test_the_limits_are_those_of_the_specification():
    limits = ConsolidationConfig()
    assert (limits.every_hours, limits.max_traces, limits.min_cluster) == (1.0, 500, 5)


async def test_step_1_prunes_what_faded_and_nothing_that_was_felt():
    async with open_mind(config={"profile": "as_specified"}, embedder=None) as mind:
        plain = await encode(mind, "The bus was late again")
        felt = await encode(mind, "The bus hit our house!", mood=(-1, 0.6, 0), valence=-1.0)
        mind.clock.advance(days=2)
        done = await mind(cycle())
        assert (done.pruned_count, done.total_processed) == (1, 2)
        assert (await mind(lambda memory: memory.get(felt.id))).deleted is False
        (line,) = [one for one in await mind(lambda memory: memory.last_consolidation()) if one.total_processed]
        assert [(one.step, one.trace_id) for one in line.changes if one.step == "prune"] == [("prune", plain.id)]
        assert [one.id for one in await mind(lambda memory: memory.restore([plain.id]))] == [plain.id]


async def test_step_2_ties_what_names_the_same_and_what_follows_once():
    async with open_mind(embedder=None) as mind:
        first = await encode(mind, "Rosalind plays the cello", entities=("Rosalind",))
        mind.clock.advance(minutes=30)
        second = await encode(mind, "Lunch with Rosalind", entities=("Rosalind",))
        old = await mind(lambda memory: memory.ties(first.id))
        assert [(tie.other, tie.type, tie.weight) for tie in old] == [(second.id, "shared_entity", 0.5)]
        assert (await mind(cycle())).edges_created == 0
        assert (await mind(lambda memory: memory.get(first.id))).consolidated_at is not None


async def test_step_3_draws_one_schema_from_a_cluster_and_never_again():
    seen: list[int] = []

    async def derive(traces: Any) -> str:
        seen.append(len(traces))
        return "  Rosalind and Jake meet every day at noon.  "

    async with open_mind(embedder=None, config={"profile": "as_specified"}) as mind:
        members = [await encode(mind, f"On {day} I met Rosalind at noon", entities=("Rosalind",)) for day in DAYS]
        other = await encode(mind, "Rosalind called", entities=("Rosalind",), user="ann")
        assert (await mind(cycle())).schemas_created == 0
        done = await mind(cycle(derive=derive))
        assert (done.schemas_created, done.failed, seen) == (1, (), [5])
        ties = await mind(lambda memory: memory.ties(members[0].id))
        (schema,) = [tie for tie in ties if tie.type == "schema_instance"]
        assert schema.weight == 0.6
        trace = await mind(lambda memory: memory.get(schema.other))
        assert trace.content == "Rosalind and Jake meet every day at noon."
        assert (trace.type, trace.strength, trace.stability, trace.interval) == ("semantic", 0.7, 7_200.0, 7_200.0)
        assert (trace.confidence, trace.verification_count, trace.source_type) == (0.8, 5, "reflection")
        assert set(trace.derived_from) == {one.id for one in members}
        assert other.id not in trace.derived_from
        for _ in range(3):
            assert (await mind(cycle(derive=derive))).schemas_created == 0
        assert seen == [5]


async def test_a_large_cluster_is_divided_and_the_graph_of_others_is_not_read():
    sizes: list[int] = []

    async def derive(traces: Any) -> str:
        sizes.append(len(traces))
        return f"Schema {len(sizes)}"

    limits = {"consolidation": {"max_cluster": 8, "max_schemas": 3}, "profile": "as_specified"}
    async with open_mind(embedder=None, config=limits) as mind:
        for name in ("Ada", "Bo", "Cy"):
            for place in range(9):
                await encode(mind, f"{name} said sentence {place}", entities=(name,))
            mind.clock.advance(minutes=4)
        done = await mind(cycle(derive=derive))
        assert done.schemas_created == len(sizes) <= 3
        assert max(sizes) <= 8


@pytest.mark.parametrize(
    ("honesty", "confidences", "stays"), [(0.7, (0.9, 0.3), "Berlin"), (0.5, (0.9, 0.3), "Oslo"), (0.5, (0.8, 0.7), "")]
)
async def test_step_4_settles_contradictions_by_personality(honesty: float, confidences: Any, stays: str):
    async with open_mind(embedder=None, config={"traits": {"honesty": honesty}}) as mind:
        oslo = await encode(mind, "I live in Oslo", confidence=confidences[0])
        mind.clock.advance(hours=1)
        berlin = await encode(mind, "I live in Berlin", confidence=confidences[1])
        done = await mind(cycle())
        assert done.conflicts_resolved == (1 if stays else 0)
        left = [await mind(lambda memory, one=one: memory.get(one.id)) for one in (oslo, berlin)]
        alive = [one.content for one in left if not one.deleted]
        assert alive == [f"I live in {stays}"] if stays else len(alive) == 2
        assert (await mind(cycle())).conflicts_resolved == 0
        if stays == "Oslo":
            assert left[0].contradicted_by == ()
            assert [one.id for one in await mind(lambda memory: memory.restore([berlin.id]))] == [berlin.id]


async def test_step_5_repeats_what_is_due_by_the_profile():
    async with open_mind(embedder=None, config={"profile": "as_specified"}) as mind:
        one = await encode(mind, "The key is under the blue pot")
        mind.clock.advance(hours=1)
        assert (await mind(cycle())).reinforced_count == 1
        again = await mind(lambda memory: memory.get(one.id))
        assert again.retrieval_count == 1
        assert again.interval == one.interval * 2
        assert (await mind(cycle())).reinforced_count == 0
    async with open_mind(embedder=None, config={"profile": "daily"}) as mind:
        unused = await encode(mind, "The bus was late again")
        useful = await encode(mind, "The key is under the blue pot")
        await mind(lambda memory: memory.use([useful.id]))
        mind.clock.advance(days=3)
        assert (await mind(cycle())).reinforced_count == 1
        after = await mind(lambda memory: memory.get(useful.id))
        assert (after.retrieval_count, after.due_at) == (1, None)
        assert after.stability > useful.stability
        mind.clock.advance(days=3)
        assert (await mind(cycle())).reinforced_count == 0
        assert (await mind(lambda memory: memory.get(unused.id))).retrieval_count == 0


async def test_a_cycle_changes_so_many_and_the_next_goes_on():
    limits = {"consolidation": {"max_traces": 3}, "profile": "as_specified"}
    async with open_mind(embedder=None, config=limits) as mind:
        for word in ("red", "green", "blue", "black", "white"):
            await encode(mind, f"The {word} door squeaks")
        mind.clock.advance(hours=1)
        assert [(await mind(cycle())).reinforced_count for _ in range(3)] == [3, 2, 0]


async def test_a_model_that_fails_changes_nothing_and_is_asked_again():
    calls: list[int] = []

    async def derive(traces: Any) -> str:
        calls.append(len(traces))
        if len(calls) == 1:
            raise ModelError("the model is away")
        return "Noon is for Rosalind"

    async with open_mind(embedder=None) as mind:
        for day in DAYS:
            await encode(mind, f"On {day} I met Rosalind at noon", entities=("Rosalind",))
        done = await mind(cycle(derive=derive))
        assert done.schemas_created == 0
        assert "the model is away" in done.failed[0]
        assert (await mind(cycle(derive=derive))).schemas_created == 1


async def test_one_cycle_at_a_time_and_never_across_users():
    async with open_mind(embedder=None) as mind:
        for user in ("jake", "ann"):
            for day in DAYS:
                await encode(mind, f"On {day} I met Rosalind at noon", entities=("Rosalind",), user=user)
        started, go_on = asyncio.Event(), asyncio.Event()

        async def slow(traces: Any) -> str:
            started.set()
            await go_on.wait()
            return f"{len(traces)} noons"

        @handler(name="two", uses=[mind.capability])
        async def two(_: object, ctx: Context) -> list[int]:
            first = asyncio.ensure_future(ctx[mind.capability].consolidate(derive=slow))
            await started.wait()
            second = await ctx[mind.capability].consolidate()
            go_on.set()
            return [(await first).schemas_created, second.total_processed]

        assert (await mind.fabric.session("monday", user="jake").arun(two)).output == [1, 0]
        theirs = await mind(lambda memory: memory.outlook(), user="ann")
        assert {one.trace.content for one in theirs} == {f"On {day} I met Rosalind at noon" for day in DAYS}
        assert all(not ties for ties in [await mind(lambda memory: memory.last_consolidation(), user="ann")])


async def test_the_archive_keeps_the_first_text_and_drops_what_nobody_asks_for():
    from tests.capabilities.cognitive.test_mechanisms import LONG, only

    config = {**only("temporal_gist"), "consolidation": {"archive_days": 90}}
    async with open_mind(embedder=None, config=config) as mind:
        one = await encode(mind, LONG, mood=(0.9, 0.5, 0), valence=1.0)
        mind.clock.advance(days=61)
        assert (await mind(cycle())).gisted_count == 1

        @handler(name="damages", uses=[mind.capability])
        async def damages(text: str, ctx: Context) -> None:
            def work(tx: Any) -> None:
                shelf = SHELVES["user"].texts
                tx.put(shelf, [tx.get(shelf, one.id).model_copy(update={"content": text})])

            await ctx.transact(work)

        session = mind.fabric.session("monday", user="jake")
        await session.arun(damages, "something else")
        assert await mind(lambda memory: memory.rehydrate(one.id)) is None
        await session.arun(damages, LONG)
        assert await mind(lambda memory: memory.rehydrate(one.id)) == LONG

        @handler(name="archives-again", uses=[mind.capability])
        async def archives_again(_: object, ctx: Context) -> Any:
            def work(tx: Any) -> Any:
                gist = tx.get(USER.traces, one.id)
                archive(tx, "user", [gist], "perspective_source", ctx.clock.now())
                shelf = SHELVES["user"]
                return tx.get(shelf.texts, one.id), sorted(tx.find(shelf.log), key=lambda line: line.id)

            return await ctx.transact(work)

        kept, log = (await session.arun(archives_again)).output
        assert (kept.content, kept.reason) == (LONG, "temporal_gist")
        assert [(line.trace_id, line.is_whole) for line in log] == [(one.id, False), (one.id, True)]
        mind.clock.advance(days=91)
        assert (await mind(cycle())).archive_swept_count == 0  # its trace is there still, felt as it was

        @handler(name="deletes", uses=[mind.cognition.traces])
        async def deletes(_: object, ctx: Context) -> bool:
            return await ctx[mind.cognition.traces].delete(one.id)

        assert (await session.arun(deletes)).output
        assert (await mind(cycle())).archive_swept_count == 1
        assert await mind(lambda memory: memory.rehydrate(one.id)) is None


async def test_what_faded_while_a_clock_jumped_is_restored_with_its_words():
    from tests.capabilities.cognitive.test_mechanisms import LONG

    gist = {"temporal_gist": {"age_days": 5, "min_retrievals": 9}}
    async with open_mind(embedder=None, config={"mechanisms": gist, "consolidation": {"archive_days": 90}}) as mind:
        one = await encode(mind, LONG)
        for _ in range(3):
            await mind(lambda memory: memory.use([one.id]))
        mind.clock.advance(days=6)
        assert (await mind(cycle())).gisted_count == 1
        mind.clock.advance(days=500)
        done = await mind(cycle())
        assert (done.pruned_count, done.archive_swept_count) == (1, 0)
        assert len(await mind(lambda memory: memory.restore([one.id]))) == 1
        assert await mind(lambda memory: memory.rehydrate(one.id)) == LONG
        mind.clock.advance(days=5_000)
        swept: list[int] = []
        for _ in range(40):  # days of sweeping, after thirty of which it cannot be restored
            swept.append((await mind(cycle())).archive_swept_count)
            mind.clock.advance(days=4)
        assert swept.index(1) > 30
        assert await mind(lambda memory: memory.rehydrate(one.id)) is None
