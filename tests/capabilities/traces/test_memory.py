"""Traces in the store: search, recall and feedback through the capability, as the reference's cases say."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from capabilities.traces import TraceMemory
from capabilities.traces.feedback import feedback_by_overlap
from capabilities.traces.tables import USER
from fabric.errors import ConfigurationError, RefusedError
from fabric.flow.context import Context

from .opened import golden, put, trace, within
from .test_search import FAILED, FEWER, MORE


async def filled(traces: TraceMemory, ctx: Context, corpus: list[dict[str, Any]]) -> dict[str, int]:
    """Add the reference's corpus; return the number of each trace."""
    added = [(await traces.add(one["content"], type=one["type"], tags=one["tags"])).trace for one in corpus]
    return {one.id: number for number, one in enumerate(added)}


async def test_searches_through_the_store_give_what_the_reference_gives():
    cases = golden("memory_search_tool")
    skipped = {*MORE, *FEWER, *FAILED}

    async def run(traces: TraceMemory, ctx: Context) -> None:
        numbers = await filled(traces, ctx, cases["corpus"])
        for case in cases["cases"]:
            if case["id"] in skipped:
                continue
            asked = case["input"]
            found = await traces.search(asked["query"], type=asked.get("type"), limit=asked.get("limit", 10))
            assert [numbers[one.id] for one in found] == case["output"]["docs"], case["id"]

    await within(run)


async def test_recall_through_the_store_scores_as_the_reference_does_and_strengthens_what_it_returns():
    cases = golden("facade_recall")

    async def run(traces: TraceMemory, ctx: Context) -> None:
        numbers = await filled(traces, ctx, cases["corpus"])
        whole = {one: await traces.get(one) for one in numbers}
        held = dict(whole)
        for case in cases["cases"]:
            if case["id"] in MORE:
                continue
            strengths = {int(number): strength for number, strength in case["input"]["strengths"].items()}
            begins = {
                trace_id: one.model_copy(update={"strength": strengths.get(numbers[trace_id], 1.0)})
                for trace_id, one in whole.items()
                if one is not None
            }
            await put(ctx, *(one for trace_id, one in begins.items() if one != held[trace_id]))
            found = await traces.recall(case["input"]["query"], limit=case["input"].get("limit", 10))
            held = {**begins, **dict.fromkeys(one.trace.id for one in found)}
            assert [numbers[one.trace.id] for one in found] == [number for number, _ in case["output"]], case["id"]
            assert [one.score for one in found] == pytest.approx([score for _, score in case["output"]], abs=1e-6)
            for one in found:
                assert one.trace == await traces.get(one.trace.id)
                assert one.trace.strength == min(1.0, strengths.get(numbers[one.trace.id], 1.0) + 0.1)
                assert (one.trace.retrieval_count, one.trace.last_accessed) == (1, ctx.clock.now())

    await within(run)


def test_feedback_is_read_from_an_answer_as_the_reference_does():
    for case in golden("feedback_by_overlap")["cases"]:
        assert feedback_by_overlap(case["input"]["content"], case["input"]["response"]) == case["output"], case["id"]


async def test_feedback_is_used_or_ignored_and_nothing_else():
    async def run(traces: TraceMemory, ctx: Context) -> None:
        one = (await traces.add("I like tea")).trace
        assert await traces.feedback(one.id, "used", "tea?")
        assert not await traces.feedback("mt_nope", "used", "tea?")
        with pytest.raises(RefusedError, match="signal='bogus': Input should be 'used' or 'ignored'"):
            await traces.feedback(one.id, "bogus", "tea?")  # type: ignore[arg-type]
        assert await traces.get(one.id) == one.model_copy(update={"last_accessed": ctx.clock.now()})

    await within(run)


async def test_feedback_from_a_response_tells_of_each_trace_what_it_noted():
    async def run(traces: TraceMemory, _: Context) -> None:
        one = (await traces.add("Prefers green teapots")).trace
        other = (await traces.add("Plays chess on Sundays")).trace
        noted = await traces.feedback_from_response([one.id, other.id, "mt_nope"], "tea?", "Take the green teapots.")
        assert noted == {one.id: "used", other.id: "ignored"}

    await within(run)


@pytest.mark.parametrize("limit", [0, -1, 101])
async def test_a_limit_outside_1_to_100_is_refused(limit: int):
    async def run(traces: TraceMemory, _: Context) -> None:
        for ask in (traces.search, traces.recall):
            with pytest.raises(RefusedError, match=r"limit=-?\d+: Input should be"):
                await ask("tea", limit=limit)

    await within(run)


WRONG: list[tuple[str, str, Callable[[TraceMemory], Awaitable[Any]]]] = [
    ("add", "content=5", lambda traces: traces.add(5)),  # type: ignore[arg-type]
    ("add", "tags='ab'", lambda traces: traces.add("tea", tags="ab")),
    ("add", "scope=['a']", lambda traces: traces.add("tea", scope=["a"])),  # type: ignore[arg-type]
    ("update", "content=5", lambda traces: traces.update("mt_1", content=5)),  # type: ignore[arg-type]
    ("update", "trace_id=['a']", lambda traces: traces.update(["a"])),  # type: ignore[arg-type]
    ("delete", "trace_id=None", lambda traces: traces.delete(None)),  # type: ignore[arg-type]
    ("erase", "trace_id=5", lambda traces: traces.erase(5)),  # type: ignore[arg-type]
    ("get", "trace_id=5", lambda traces: traces.get(5)),  # type: ignore[arg-type]
    ("merge", "trace_ids='mt_1'", lambda traces: traces.merge("mt_1")),
    ("merge", "trace_ids=[5]", lambda traces: traces.merge([5])),  # type: ignore[list-item]
    ("search", "query=5", lambda traces: traces.search(5)),  # type: ignore[arg-type]
    ("search", "limit='5'", lambda traces: traces.search("tea", limit="5")),  # type: ignore[arg-type]
    ("recall", "query=None", lambda traces: traces.recall(None)),  # type: ignore[arg-type]
    ("feedback", "query=5", lambda traces: traces.feedback("mt_1", "used", 5)),  # type: ignore[arg-type]
    ("feedback_from_response", "response=5", lambda t: t.feedback_from_response([], "q", 5)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("name", "said", "wrong"), WRONG)
async def test_an_argument_of_a_wrong_type_is_refused_by_its_name(
    name: str, said: str, wrong: Callable[[TraceMemory], Awaitable[Any]]
):
    async def run(traces: TraceMemory, _: Context) -> None:
        with pytest.raises(RefusedError, match=rf"^{name}: .*{re.escape(said)}: Input should be .*call again"):
            await wrong(traces)

    await within(run)


async def test_unknown_types_and_scopes_are_refused():
    async def run(traces: TraceMemory, _: Context) -> None:
        with pytest.raises(RefusedError, match="type='banana': Input should be 'episodic'"):
            await traces.add("tea", type="banana")  # type: ignore[arg-type]
        with pytest.raises(RefusedError, match="type='banana': Input should be 'episodic'"):
            await traces.search("tea", type="banana")  # type: ignore[arg-type]
        with pytest.raises(RefusedError, match="scope='moon': Input should be 'thread'"):
            await traces.add("tea", scope="moon")  # type: ignore[arg-type]

    await within(run)


@pytest.mark.parametrize(
    "option", [{"prune_threshold": 2}, {"merge_threshold": "high"}, {"stability_days": 0}, {"x": 1}]
)
async def test_an_option_that_cannot_work_is_refused(option: dict[str, Any]):
    async def run(traces: TraceMemory, _: Context) -> None:
        raise AssertionError(traces)

    with pytest.raises(ConfigurationError, match=next(iter(option))):
        await within(run, **option)


async def test_a_failing_embedder_loses_nothing():
    def broken(texts: list[str]) -> Any:
        raise RuntimeError(texts)

    async def run(traces: TraceMemory, _: Context) -> None:
        one = (await traces.add("I like tea")).trace
        assert await traces.update(one.id, content="I like green tea", tags=["drink"])
        assert [found.content for found in await traces.search("drink")] == ["I like green tea"]
        other = (await traces.add("I like tea")).trace
        assert (await traces.merge([one.id, other.id])).sources_deleted == 2
        assert (await traces.reflect()).merged == 0

    await within(run, embedder=broken)


async def test_new_content_never_keeps_the_vector_of_the_old():
    fails = [False]

    def embed(texts: list[str]) -> Any:
        if fails[0]:
            raise RuntimeError("down")
        return [[1.0, float(len(text))] for text in texts]

    async def run(traces: TraceMemory, ctx: Context) -> bool:
        one = (await traces.add("I like tea")).trace
        fails[0] = True
        await traces.update(one.id, content="I like coffee")
        spaces = await ctx.transact(lambda tx: tx.rows.spaces(USER.traces.table, tx.ids.scope("user")))
        return "" in spaces

    assert await within(run, embedder=embed)


async def test_a_trace_of_any_text_is_found_by_it():
    async def run(traces: TraceMemory, ctx: Context) -> None:
        for number, text in enumerate(
            ("pizza 🍕 night", "我喜欢东京", "I code in C and R", "Käse aus Österreich", "\ud83d cut")
        ):
            await put(ctx, trace(ctx, f"mt_{number}", text))
        for number, query in enumerate(("🍕", "东京", "C language", "KÄSE", "cut")):
            assert f"mt_{number}" in [one.id for one in await traces.search(query)], query

    await within(run)
