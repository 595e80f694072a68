"""memory_merge and memory_search: every sentence of their specification."""

import pytest

from capabilities.traces import TraceMemory
from capabilities.traces.tables import USER
from fabric.flow.context import Context

from .hosting import Tools, edges_of, tools


class TestMemoryMerge:
    def test_creates_a_new_trace_with_the_contents_of_all(self):
        with tools() as use:
            ids = [use.add("Jake likes tea"), use.add("Jake likes green tea")]
            done = use("merge", trace_ids=ids)
            assert done["merged_trace_id"] not in ids
            assert use.found("tea") == ["Jake likes tea\nJake likes green tea"]

    def test_content_overrides_theirs(self):
        with tools() as use:
            ids = [use.add("Jake likes tea"), use.add("Jake likes green tea")]
            use("merge", trace_ids=ids, content="Jake likes all tea")
            assert use.found("tea") == ["Jake likes all tea"]

    def test_gives_the_new_id_and_the_number_of_sources(self):
        with tools() as use:
            ids = [use.add(f"Jake likes tea {number}") for number in range(3)]
            done = use("merge", trace_ids=[*ids, ids[0]])
        assert done["sources_deleted"] == 3
        assert done.keys() == {"merged_trace_id", "sources_deleted"}

    def test_tags_are_united_in_order(self):
        with tools() as use:
            ids = [use.add("a tea", tags=["x", "y"]), use.add("b tea", tags=["y", "z"])]
            assert use.trace(use("merge", trace_ids=ids)["merged_trace_id"]).tags == ("x", "y", "z")

    def test_sources_are_deleted_with_a_reference_to_the_merged_trace(self):
        with tools() as use:
            ids = [use.add("a tea"), use.add("b tea")]
            merged = use("merge", trace_ids=ids)["merged_trace_id"]
            assert [(use.trace(record_id).deleted, use.trace(record_id).merged_into) for record_id in ids] == [
                (True, merged)
            ] * 2
            assert use.trace(merged).merged_from == tuple(ids)

    def test_it_inherits_the_highest_strength(self):
        async def weaken(traces: TraceMemory, ctx: Context) -> list[str]:
            made = [(await traces.add("a tea")).trace, (await traces.add("b tea")).trace]
            weaker = [trace.model_copy(update={"strength": left}) for trace, left in zip(made, (0.4, 0.7), strict=True)]
            await ctx.transact(lambda tx: tx.put(USER.traces, weaker))
            return [trace.id for trace in made]

        with tools() as use:
            ids = use.within(weaken)
            assert use.trace(use("merge", trace_ids=ids)["merged_trace_id"]).strength == 0.7

    def test_the_type_is_the_common_one_else_semantic(self):
        with tools() as use:
            same = [use.add("a tea", type="procedural"), use.add("b tea", type="procedural")]
            assert use.trace(use("merge", trace_ids=same)["merged_trace_id"]).type == "procedural"
            mixed = [use.add("c tea", type="procedural"), use.add("d tea")]
            assert use.trace(use("merge", trace_ids=mixed)["merged_trace_id"]).type == "semantic"

    def test_edges_are_pointed_to_the_merged_trace_the_heavier_kept_and_none_to_itself(self):
        with tools() as use:
            a, b, c = (use.add(f"{letter} tea") for letter in "abc")
            for query, pair in [("q1", (a, b)), ("q2", (a, c)), ("q3", (b, c)), ("q4", (b, c))]:
                for one in pair:
                    assert use.within(lambda traces, _, one=one, query=query: traces.feedback(one, "used", query))
                use("reflect")
            merged = use("merge", trace_ids=[a, b])["merged_trace_id"]
            edges = use.within(edges_of)
        assert [({source, target}, round(weight, 3)) for source, target, weight in edges] == [({merged, c}, 0.2)]

    def test_fewer_than_two_different_ids_are_refused(self):
        with tools() as use:
            one = use.add("a tea")
            assert "at least 2 different ids, got 1" in use.refused("merge", trace_ids=[one, one])
            assert "got 0" in use.refused("merge", trace_ids=[])
            assert not use.trace(one).deleted

    def test_fewer_than_two_live_traces_are_refused(self):
        with tools() as use:
            one, other = use.add("a tea"), use.add("b tea")
            use("delete", trace_id=other)
            assert other in use.refused("merge", trace_ids=[one, other, "mt_nope"])
            assert not use.trace(one).deleted

    def test_an_unknown_id_beside_good_ones_is_refused_by_its_name_and_nothing_is_merged(self):
        with tools() as use:
            ids = [use.add("a tea"), use.add("b tea")]
            assert use.refused("merge", trace_ids=[*ids, "mt_nope"]) == "there is no trace 'mt_nope'"
            assert [use.trace(record_id).deleted for record_id in ids] == [False, False]

    def test_traces_of_different_scopes_are_refused(self):
        with tools(user="jake", agent="nova") as use:
            ids = [use.add("a tea"), use.add("b tea", scope="persona"), use.add("c tea", scope="thread")]
            assert "different scopes" in use.refused("merge", trace_ids=ids)
            assert "different scopes" in use.refused("merge", trace_ids=ids[:2])
            assert set(use.found("tea", limit=3)) == {"a tea", "b tea", "c tea"}


class TestMemorySearch:
    @pytest.fixture
    def use(self):
        with tools() as use:
            for content, kind in [
                ("User prefers dark mode and TypeScript.", "semantic"),
                ("The deployment uses docker and compose.", "procedural"),
                ("Deployed to staging on Friday.", "episodic"),
                ("The dark side has no mode.", "episodic"),
                ("JavaScript types are a lie.", "semantic"),
            ]:
                use.add(content, type=kind)
            yield use

    def test_gives_id_content_type_scope_strength_and_tags(self, use: Tools):
        one = use.add("Ana drinks maté", type="semantic", tags=["drink", "hot"])
        assert use("search", query="maté")["results"] == [
            {
                "id": one,
                "content": "Ana drinks maté",
                "type": "semantic",
                "scope": "user",
                "strength": 1.0,
                "tags": ["drink", "hot"],
            }
        ]

    def test_query_is_required(self, use: Tools):
        assert "query: Field required" in use.refused("search")

    def test_results_are_ranked_by_bm25(self, use: Tools):
        use.add("dark dark dark")
        assert use.found("dark")[0] == "dark dark dark"

    def test_ten_results_by_default(self, use: Tools):
        for number in range(20):
            use.add(f"tea {number}")
        assert len(use.found("tea")) == 10
        assert len(use.found("tea", limit=20)) == 20

    @pytest.mark.parametrize("limit", [0, -1, 101, "many"])
    def test_a_limit_outside_1_to_100_is_refused(self, use: Tools, limit: object):
        assert "limit" in use.refused("search", query="dark", limit=limit)

    def test_type_filters(self, use: Tools):
        assert use.found("dark", type="episodic") == ["The dark side has no mode."]

    def test_scope_filters(self, use: Tools):
        use.add("dark room", scope="thread")
        assert use.found("dark", scope="thread") == ["dark room"]
        assert "dark room" not in use.found("dark", scope="user")
        assert "dark room" in use.found("dark")

    def test_it_changes_nothing(self, use: Tools):
        before = [use.trace(record["id"]) for record in use("search", query="dark")["results"]]
        use("search", query="dark")
        assert [use.trace(trace.id) for trace in before] == before

    def test_a_word_matches_any_form(self, use: Tools):
        assert set(use.found("deploy")) == {"The deployment uses docker and compose.", "Deployed to staging on Friday."}

    def test_a_phrase_matches_exactly(self, use: Tools):
        assert use.found('"dark mode"') == ["User prefers dark mode and TypeScript."]

    def test_and_requires_both(self, use: Tools):
        assert use.found("docker AND compose") == ["The deployment uses docker and compose."]
        assert use.found("docker AND dark") == []

    def test_or_takes_either(self, use: Tools):
        assert set(use.found("typescript OR javascript")) == {
            "User prefers dark mode and TypeScript.",
            "JavaScript types are a lie.",
        }

    def test_not_excludes(self, use: Tools):
        assert use.found("deploy NOT staging") == ["The deployment uses docker and compose."]

    def test_a_star_matches_the_beginning_of_words(self, use: Tools):
        assert set(use.found("type*")) == {"User prefers dark mode and TypeScript.", "JavaScript types are a lie."}

    def test_natural_language_is_converted(self, use: Tools):
        asked = "What does the user prefer to look at in the evening"
        assert use.found(asked)[0] == use.found(f"{asked}?")[0] == "User prefers dark mode and TypeScript."

    @pytest.mark.parametrize(
        "query",
        ["", '"', "*", "()", "^", "{", "???", "NOT", "a AND", "C++", "--force", "🍕", "東京", "\x00", '"unbalanced'],
    )
    def test_no_query_is_an_error(self, use: Tools, query: str):
        assert isinstance(use("search", query=query)["results"], list)
