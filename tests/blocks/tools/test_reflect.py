"""memory_reflect: every sentence of its specification, the six steps in order."""

from blocks.tools import memory_tools
from fabric.errors import ModelUnavailableError
from fabric.testing import FrozenClock, ScriptedModel

from .hosting import Tools, edges_of, tools


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


def _tie(use: Tools, count: int) -> list[str]:
    """Add traces that were used for one query, so that a reflection ties them into a cluster."""
    ids = [use.add(f"tea number {number}") for number in range(count)]
    for one in ids:
        use.within(lambda traces, _, one=one: traces.feedback(one, "used", "which tea?"))
    return ids
