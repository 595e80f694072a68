"""Consolidation: as the reference does it where it is right, and what it must never do."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from capabilities.traces import Trace, TraceMemory
from capabilities.traces.graph import edge_between
from capabilities.traces.tables import USER
from fabric.flow.context import Context
from fabric.testing import FrozenClock

from .opened import golden, put, trace, within

LONG = "one of many notes about the tea in the yard with some more words so that a single one does not count for much"


def moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)


def counted(one: Trace) -> tuple[int, int]:
    return round(one.stability * 1000), one.verification_count


async def test_a_run_does_what_the_reference_does_but_for_merges_across_scopes_and_types():
    cases = [case for case in golden("consolidation_loop")["cases"] if not case.get("note")]
    assert len(cases) >= 40
    for case in cases:
        rows = case["input"]["rows"]

        async def run(traces: TraceMemory, ctx: Context, rows: list[dict[str, Any]] = rows) -> tuple[Any, list[Any]]:
            times = ("created_at", "last_accessed")
            for row in rows:
                fields = {**row, **{name: moment(row[name]) for name in times}, "stability": row["stability"] / 1000}
                await put(ctx, trace(ctx, fields.pop("id"), fields.pop("content"), **fields))
            done = await traces.reflect()
            return done, [await traces.get(row["id"]) for row in rows]

        done, after = await within(run, clock=FrozenClock(moment(case["input"]["now_ms"]) or datetime.now(UTC)))
        assert {
            **done.model_dump(include={"pruned", "merged", "derived", "compacted"}),
            "rows": [
                [one.id, one.deleted, one.type, one.strength, one.retrieval_count, list(one.tags), *counted(one)]
                for one in after
            ],
        } == case["output"], case["id"]


async def test_three_equal_traces_become_one_in_one_run_whatever_their_order():
    async def run(traces: TraceMemory, ctx: Context) -> list[Any]:
        for number, count in enumerate((0, 5, 1)):
            await put(ctx, trace(ctx, f"mt_{number}", "I like tea", retrieval_count=count))
        assert (await traces.reflect()).merged == 2
        return [await traces.get(f"mt_{number}") for number in range(3)]

    first, left, last = await within(run)
    assert (first.merged_into, last.merged_into, left.deleted) == ("mt_1", "mt_1", False)
    assert (left.retrieval_count, left.verification_count, set(left.merged_from)) == (6, 2, {"mt_0", "mt_2"})


async def test_equal_traces_of_other_scopes_personas_and_types_stay():
    async def run(traces: TraceMemory, ctx: Context) -> int:
        for scope in ("thread", "user", "persona", "organization"):
            for kind in ("episodic", "semantic"):
                await put(ctx, trace(ctx, f"mt_{scope}_{kind}", "I like tea", scope=scope, type=kind))
        return (await traces.reflect()).merged

    assert await within(run) == 0


@pytest.mark.parametrize(("other", "merged"), [(0.96, 1), (0.95, 0), (0.5, 0)])
async def test_vectors_above_the_threshold_say_the_same_and_those_at_it_do_not(other: float, merged: int):
    def embed(texts: list[str]) -> Any:
        rows = [[other, (1 - other * other) ** 0.5] if "another" in text else [1.0, 0.0] for text in texts]
        return np.array(rows, np.float32)

    async def run(traces: TraceMemory, _: Context) -> int:
        await traces.add("a note on tea in the yard")
        await traces.add("another note on tea in the yard")
        return (await traces.reflect()).merged

    assert (
        await within(run, embedder=embed, merge_threshold=0.95 if other != 0.95 else float(np.float16(0.95))) == merged
    )


async def test_a_merge_keeps_the_vectors_and_the_index_true():
    async def run(traces: TraceMemory, ctx: Context) -> Any:
        await put(
            ctx,
            trace(ctx, "mt_1", f"{LONG} today", tags=("a",)),
            trace(ctx, "mt_2", f"{LONG} today today", tags=("b",)),
        )
        assert (await traces.reflect()).merged == 1
        return [one.tags for one in await traces.search("a AND b AND yard")]

    assert await within(run, embedder="default") == [("a", "b")]


async def test_edges_of_melted_traces_lead_to_the_one_that_is_left_and_those_of_pruned_ones_go():
    async def run(traces: TraceMemory, ctx: Context) -> list[tuple[str, str]]:
        await put(
            ctx,
            trace(ctx, "mt_1", "I like tea", retrieval_count=3),
            trace(ctx, "mt_2", "I like tea"),
            trace(ctx, "mt_3", "tea in the yard"),
            trace(ctx, "mt_4", "weak tea", strength=0.04),
        )
        await ctx.transact(
            lambda tx: tx.put(USER.edges, [edge_between("mt_2", "mt_3", 0.5), edge_between("mt_3", "mt_4", 0.5)])
        )
        await traces.reflect()
        return [(edge.source, edge.target) for edge in await ctx.transact(lambda tx: tx.find(USER.edges))]

    assert await within(run) == [("mt_1", "mt_3")]


async def test_near_duplicates_among_thousands_are_found():
    async def run(traces: TraceMemory, ctx: Context) -> tuple[int, int]:
        letters = "bcdfghklmn"
        words = [a + vowel + b for a in letters for b in letters for vowel in "aeiou"]
        chance = np.random.default_rng(7)
        texts = [" ".join(chance.choice(words, 24)) for _ in range(2_000)]
        twins = [f"{text} {text.split()[-1]}" for text in texts[::20]]
        rows = [trace(ctx, f"mt_{number}", text) for number, text in enumerate([*texts, *twins])]
        await ctx.transact(lambda tx: tx.put(USER.traces, rows))
        return (await traces.reflect()).merged, len(twins)

    merged, twins = await within(run)
    assert merged == twins


async def test_what_faded_is_the_strength_that_is_left_since_the_last_use():
    clock = FrozenClock()

    async def run(traces: TraceMemory, ctx: Context) -> list[bool]:
        used = clock.now() + timedelta(days=1)
        await put(
            ctx,
            trace(ctx, "mt_1", "tea", stability=86_400),
            trace(ctx, "mt_2", "coffee", stability=86_400, last_accessed=used),
        )
        clock.advance(days=3, hours=1)  # exp(-3.04) is below 0.05, exp(-2.04) is above it
        await traces.reflect()
        return [(await traces.get(one)).deleted for one in ("mt_1", "mt_2")]  # type: ignore[union-attr]

    assert await within(run, clock=clock) == [True, False]


async def test_the_latest_word_on_a_trace_counts_and_a_note_counts_once():
    async def run(traces: TraceMemory, ctx: Context) -> list[int]:
        await put(ctx, trace(ctx, "mt_1", "tea"), trace(ctx, "mt_2", "coffee"))
        for one, signal in (("mt_1", "used"), ("mt_2", "used"), ("mt_2", "ignored")):
            await traces.feedback(one, signal, "drink?")  # type: ignore[arg-type]
        none = (await traces.reflect()).strengthened
        for one in ("mt_1", "mt_2"):
            await traces.feedback(one, "used", "drink?")
        return [none, (await traces.reflect()).strengthened, (await traces.reflect()).strengthened]

    assert await within(run) == [0, 1, 0]
