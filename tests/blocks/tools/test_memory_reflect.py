"""memory_reflect: every sentence of its specification, the six steps in order."""

import json

import pytest

from blocks.tools import memory_tools
from capabilities.traces.tables import USER
from fabric.errors import ModelUnavailableError
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.generation.generator import generator
from fabric.models.litellm import LiteLLMClient
from fabric.sessions.fabric import Fabric
from fabric.testing import FrozenClock, ScriptedModel
from tests.stub_server import StubServer, text
from tests.stub_server import stub_server as stub_server
from tests.stub_server import tools as calls

from .hosting import Tools, edges_of, tools

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")


class TestMemoryReflect:
    def test_gives_five_counts(self):
        with tools() as use:
            done = use("reflect")
        assert done == {"pruned": 0, "merged": 0, "derived": 0, "compacted": 0, "duration_ms": 0}

    def test_topic_is_reserved_and_ignored(self):
        with tools() as use:
            use.add("Jake likes tea")
            assert use("reflect", topic="tea") == use("reflect")

    def test_1_prune_soft_deletes_traces_below_the_strength_threshold(self):
        clock = FrozenClock()
        with tools(clock=clock) as use:
            old = use.add("Jake likes tea")
            clock.advance(days=200)
            new = use.add("Jake likes coffee")
            clock.advance(days=100)
            assert use("reflect")["pruned"] == 1
            assert use.trace(old).deleted
            assert "pruned" in use.trace(old).deleted_reason
            assert not use.trace(new).deleted

    def test_2_merge_melts_near_identical_traces_into_the_one_with_more_retrievals(self):
        words = (
            "one two three four five six seven eight nine ten and some more words of a long note about tea in the yard"
        )
        with tools() as use:
            first = use.add(f"{words} today", tags=["a"])
            second = use.add(f"{words} today, today", tags=["b"])
            use.within(lambda traces, _: traces.recall(f"{words} today today", limit=1))
            survivor = second if use.trace(second).retrieval_count else first
            assert use("reflect")["merged"] == 1
            left = use.trace(survivor)
        assert (left.deleted, left.retrieval_count, left.verification_count, set(left.tags)) == (
            False,
            1,
            1,
            {"a", "b"},
        )

    def test_2_merge_never_takes_traces_that_differ_in_a_value_or_a_negation(self):
        words = (
            "one of the many long notes about tea in the yard with some more words in it, written by Jake in a hurry on"
        )
        with tools() as use:
            for end in ("day 5", "day 6", "no day"):
                use.add(f"{words} {end}")
            assert use("reflect")["merged"] == 0

    def test_3_strengthen_ties_traces_that_were_used_together(self):
        with tools() as use:
            a, b, c = (use.add(f"{letter} tea") for letter in "abc")
            for one, signal in ((a, "used"), (b, "used"), (c, "ignored")):
                use.within(lambda traces, _, one=one, signal=signal: traces.feedback(one, signal, "which tea?"))
            use("reflect")
            use("reflect")
            edges = use.within(edges_of)
        assert [({source, target}, weight) for source, target, weight in edges] == [({a, b}, 0.1)]

    def test_4_derive_is_skipped_without_a_model(self):
        with tools() as use:
            _tie(use, 5)
            assert use("reflect")["derived"] == 0

    def test_4_derive_asks_a_model_for_an_insight_from_each_cluster(self):
        model = ScriptedModel(['{"insight": "Jake drinks tea all day."}'])
        with tools(memory_tools("m", embedder=None), models=model) as use:
            ids = _tie(use, 5)
            assert use("reflect")["derived"] == 1
            assert use("reflect")["derived"] == 0
            (found,) = use("search", query="drinks all day")["results"]
            trace = use.trace(found["id"])
        assert (trace.type, trace.strength, trace.tags) == ("semantic", 0.7, ("derived", "insight"))
        assert trace.derived_from == tuple(sorted(ids))
        asked = model.requests[0].messages[-1]["content"]
        assert "<background-data" in asked
        assert "tea number 4" in asked

    def test_4_derive_skips_a_cluster_whose_call_fails_and_says_so(self):
        with tools(memory_tools("m", embedder=None), models=ScriptedModel([ModelUnavailableError("down")])) as use:
            _tie(use, 5)
            assert use("reflect")["derived"] == 0
            log = use.within(lambda traces, _: traces.log())
        assert [failed for run in log for failed in run.failed] == [
            "cluster of 5 traces: ModelUnavailableError: memory_reflect/insight: down"
        ]

    def test_5_compact_makes_old_episodic_traces_with_many_retrievals_semantic(self):
        clock = FrozenClock()
        with tools(clock=clock) as use:
            often, seldom = use.add("green tea"), use.add("black coffee")
            for query in ("tea", "tea", "tea", "coffee", "coffee"):
                use.within(lambda traces, _, query=query: traces.recall(query))
            assert use("reflect")["compacted"] == 0
            clock.advance(days=7, seconds=1)
            assert use("reflect")["compacted"] == 1
            assert (use.trace(often).type, use.trace(seldom).type) == ("semantic", "episodic")

    def test_6_the_run_is_logged_and_everything_is_found_as_before(self):
        clock = FrozenClock()
        with tools(clock=clock) as use:
            use.add("green tea")
            use("reflect")
            log = use.within(lambda traces, _: traces.log())
            assert use.found("tea") == ["green tea"]
        assert {run.at for run in log} == {clock.now()}
        assert len({run.run for run in log}) == 1

    def test_6_traces_without_a_vector_get_one(self):
        def broken(texts: list[str]) -> list[list[float]]:
            if broken_now[0]:
                raise RuntimeError("down")
            return [[float(len(text)), 1.0] for text in texts]

        broken_now = [True]
        with tools(memory_tools(embedder=broken)) as use:
            use.add("green tea")
            broken_now[0] = False
            use("reflect")
            log = use.within(lambda traces, _: traces.log())
        assert sum(run.indexed for run in log) == 1

    def test_pruning_comes_before_merging(self):
        clock = FrozenClock()
        with tools(clock=clock) as use:
            first, second = use.add("old tea"), use.add("green tea")
            for _ in range(2):
                use.within(lambda traces, _: traces.recall("old"))
            clock.advance(days=300)
            use("update", trace_id=first, content="green tea")
            use.within(lambda traces, _: traces.recall("green", limit=1))  # the first of two equals is refreshed
            done = use("reflect")
            left = [one for one in (first, second) if not use.trace(one).deleted]
        assert (done["pruned"], done["merged"], len(left)) == (1, 0, 1)

    def test_merging_comes_before_strengthening_and_compacting(self):
        clock = FrozenClock()
        with tools(clock=clock) as use:
            first, second, third = use.add("one tea"), use.add("two teas"), use.add("some coffee")
            for query in ("one", "one", "two"):
                use.within(lambda traces, _, query=query: traces.recall(query))
            for one in (first, second):
                use.within(lambda traces, _, one=one: traces.feedback(one, "used", "tea?"))
            use("update", trace_id=second, content="one tea")
            clock.advance(days=8)
            done = use("reflect")
            assert (done["merged"], done["compacted"]) == (1, 1)  # only both together were retrieved three times
            log = use.within(lambda traces, _: traces.log())
            assert sum(run.strengthened for run in log) == 0  # there are no longer two to tie
            assert [use.trace(one).type for one in (first, third)] == ["semantic", "episodic"]

    def test_strengthening_comes_before_deriving_and_deriving_before_compacting(self):
        clock, model = FrozenClock(), ScriptedModel(['{"insight": "Jake drinks all day."}'])
        with tools(memory_tools("m", embedder=None), clock=clock, models=model) as use:
            _tie(use, 5)
            for _ in range(3):
                use.within(lambda traces, _: traces.recall("tea", limit=5))
            clock.advance(days=8)
            done = use("reflect")
        assert (done["derived"], done["compacted"]) == (1, 5)
        assert model.requests[0].messages[-1]["content"].count("[episodic]") == 5

    def test_the_log_is_written_last_with_all_that_was_done(self):
        clock = FrozenClock()
        with tools(clock=clock) as use:
            use.add("faded tea")
            clock.advance(days=300)
            _tie(use, 2)
            use("reflect")
            log = use.within(lambda traces, _: traces.log())
        assert [(run.pruned, run.strengthened) for run in log if run.pruned] == [(1, 1)]

    def test_3_feedback_on_deleted_traces_is_settled_and_ties_nothing(self):
        with tools() as use:
            ids = _tie(use, 2)
            use("delete", trace_id=ids[0])
            use("reflect")
            left = use.within(
                lambda _, ctx: ctx.transact(lambda tx: [one for one in tx.find(USER.feedback) if not one.counted])
            )
            assert use.within(edges_of) == []
        assert left == []


async def test_a_model_may_reflect_and_the_insight_is_drawn_by_a_model_that_sees_no_tools(stub_server: StubServer):
    client = LiteLLMClient(timeout=120, api_base=stub_server.url + "/v1", api_key="none")
    pack = memory_tools("openai/stub", embedder=None)
    chat = generator(name="chat", model="openai/stub", uses=[pack.capability])

    @handler(name="tie", uses=[pack.traces])
    async def tie(_: object, ctx: Context) -> None:
        for number in range(5):
            trace = (await ctx[pack.traces].add(f"tea number {number}")).trace
            await ctx[pack.traces].feedback(trace.id, "used", "which tea?")

    stub_server.script(
        [calls(("c1", "memory_reflect", "{}")), text('{"insight": "Jake drinks all day."}'), text("done")]
    )
    async with Fabric(models=client) as fabric:
        session = fabric.session("monday", user="jake")
        await session.arun(tie)
        result = await session.arun(chat, "tidy up")
        found = await pack.host(fabric, session="monday", user="jake").acall("memory_search", {"query": "drinks"})
    assert result.output == "done"
    asked = [request.body for request in stub_server.requests]
    assert [bool(one.get("tools")) for one in asked] == [True, False, True]
    told = json.loads(asked[2]["messages"][-1]["content"])
    assert {name: told[name] for name in ("pruned", "merged", "derived", "compacted")} == {
        "pruned": 0,
        "merged": 0,
        "derived": 1,
        "compacted": 0,
    }
    assert set(told) == {"pruned", "merged", "derived", "compacted", "duration_ms"}
    assert [record["tags"] for record in found["output"]["results"]] == [["derived", "insight"]]
    assert [item.text for item in result.items if item.kind == "tool_result"] == [asked[2]["messages"][-1]["content"]]


def _tie(use: Tools, count: int) -> list[str]:
    """Add traces that were used for one query, so that a reflection ties them into a cluster."""
    ids = [use.add(f"tea number {number}") for number in range(count)]
    for record_id in ids:
        use.within(lambda traces, _, one=record_id: traces.feedback(one, "used", "which tea?"))
    return ids
