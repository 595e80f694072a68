"""memory_add, memory_update and memory_delete: every sentence of their specification."""

import hashlib
import re
from pathlib import Path

import pytest

from blocks.tools import memory_tools
from fabric.testing import FrozenClock

from .hosting import tools


class TestMemoryAdd:
    def test_stores_a_new_trace_in_the_file(self, tmp_path: Path):
        pack = memory_tools(embedder=None)
        with pack.host(tmp_path / "brain.duckdb", user="jake") as host:
            host.call("memory_add", {"content": "User prefers dark mode and TypeScript."})
        with pack.host(tmp_path / "brain.duckdb", user="jake") as host:
            found = host.call("memory_search", {"query": "dark mode"})["output"]["results"]
        assert [record["content"] for record in found] == ["User prefers dark mode and TypeScript."]

    def test_content_is_required_and_not_blank(self):
        with tools() as use:
            assert "content: Field required" in use.refused("add")
            assert "blank" in use.refused("add", content=" \n")

    def test_content_of_more_than_100000_characters_is_refused(self):
        with tools() as use:
            assert "100001 characters" in use.refused("add", content="x" * 100_001)
            assert use.add("x" * 100_000)

    def test_type_is_episodic_scope_user_and_there_are_no_tags_by_default(self):
        with tools() as use:
            trace = use.trace(use.add("Jake likes tea"))
        assert (trace.type, trace.scope, trace.tags) == ("episodic", "user", ())

    @pytest.mark.parametrize("kind", ["episodic", "semantic", "procedural", "prospective"])
    def test_the_types_are_those_of_tulving(self, kind: str):
        with tools() as use:
            assert use.trace(use.add("Jake likes tea", type=kind)).type == kind

    @pytest.mark.parametrize("scope", ["thread", "user", "persona", "organization"])
    def test_the_scopes_are_thread_user_persona_and_organization(self, scope: str):
        with tools(user="jake", agent="nova", org="acme") as use:
            assert use.trace(use.add("Jake likes tea", scope=scope)).scope == scope

    def test_another_type_or_scope_is_refused(self):
        with tools() as use:
            assert "type: Input should be 'episodic'" in use.refused("add", content="x", type="banana")
            assert "scope: Input should be 'thread'" in use.refused("add", content="x", scope="moon")

    def test_tags_are_free_and_kept_as_given_each_once(self):
        with tools() as use:
            trace = use.trace(use.add("Jake likes tea", tags=["a,b", "ui", " ui ", ""]))
        assert trace.tags == ("a,b", "ui")

    def test_gives_the_id_mt_and_a_uuid(self):
        with tools() as use:
            ids = {use.add(f"fact {number}") for number in range(50)}
        assert len(ids) == 50
        assert all(
            re.fullmatch(r"mt_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", record_id)
            for record_id in ids
        )

    def test_creates_a_trace_of_strength_1(self):
        with tools() as use:
            assert use.trace(use.add("Jake likes tea")).strength == 1.0

    def test_computes_the_sha256_of_the_content(self):
        with tools() as use:
            assert use.trace(use.add("Jaké")).content_hash == hashlib.sha256("Jaké".encode()).hexdigest()

    def test_new_tags_of_a_known_text_are_added_to_its_trace_and_told(self):
        with tools() as use:
            first = use("add", content="Jake likes tea", tags=["drink"])
            again = use("add", content="Jake likes tea", tags=["drink", "green", " "])
            same = use("add", content="Jake likes tea", tags=["green"])
            assert first == {"trace_id": first["trace_id"], "is_new": True, "new_tags": []}
            assert again == {"trace_id": first["trace_id"], "is_new": False, "new_tags": ["green"]}
            assert same == {"trace_id": first["trace_id"], "is_new": False, "new_tags": []}
            assert use.trace(first["trace_id"]).tags == ("drink", "green")
            assert use.found("green") == ["Jake likes tea"]

    def test_an_identical_trace_of_the_same_type_and_scope_gives_the_existing_id(self):
        with tools(user="jake", agent="nova", org="acme") as use:
            first = use.add("Jake likes tea", type="semantic")
            assert use.add("Jake likes tea", type="semantic", tags=["new"]) == first
            others = [use.add("Jake likes tea")]
            others += [
                use.add("Jake likes tea", type="semantic", scope=one) for one in ("thread", "persona", "organization")
            ]
            assert len({first, *others}) == 5

    def test_a_deleted_trace_is_not_an_existing_one(self):
        with tools() as use:
            first = use.add("Jake likes tea")
            use("delete", trace_id=first)
            assert use.add("Jake likes tea") != first

    def test_the_trace_is_indexed_at_once(self):
        with tools() as use:
            use.add("Jake likes tea")
            assert use.found("tea") == ["Jake likes tea"]

    def test_secrets_are_taken_out_before_it_is_stored(self):
        secret = "sk-proj-" + "a1B2c3D4" * 6
        with tools() as use:
            trace = use.trace(use.add(f"The key is {secret}", tags=[secret]))
            assert not use.found(secret)
        assert secret not in trace.model_dump_json()

    def test_the_trace_names_its_source_and_the_block_that_made_it(self):
        with tools() as use:
            trace = use.trace(use.add("Jake likes tea"))
        assert trace.source is not None
        assert (trace.source.session, trace.source.user, trace.made_by) == (
            "default",
            "jake",
            "memory_tools > memory_add",
        )


class TestMemoryUpdate:
    def test_replaces_only_the_given_fields(self):
        with tools() as use:
            one = use.add("Jake likes tea", tags=["drink"])
            assert use("update", trace_id=one, content="Jake likes coffee") == {"updated": True}
            assert (use.trace(one).content, use.trace(one).tags) == ("Jake likes coffee", ("drink",))
            assert use("update", trace_id=one, tags=["hot", "black"]) == {"updated": True}
            assert (use.trace(one).content, use.trace(one).tags) == ("Jake likes coffee", ("hot", "black"))
            use("update", trace_id=one, content="Jake likes juice", tags=[])
            assert (use.trace(one).content, use.trace(one).tags) == ("Jake likes juice", ())

    def test_recomputes_the_hash_when_content_changed(self):
        with tools() as use:
            one = use.add("Jake likes tea")
            use("update", trace_id=one, content="Jake likes coffee")
            assert use.trace(one).content_hash == hashlib.sha256(b"Jake likes coffee").hexdigest()
            assert use.add("Jake likes coffee") == one
            assert use.add("Jake likes tea") != one

    def test_the_index_follows(self):
        with tools() as use:
            one = use.add("Jake likes tea", tags=["drink"])
            use("update", trace_id=one, content="Jake likes coffee", tags=["bean"])
            assert use.found("tea OR drink") == []
            assert use.found("coffee AND bean") == ["Jake likes coffee"]

    def test_an_unknown_or_deleted_trace_gives_false(self):
        with tools() as use:
            one = use.add("Jake likes tea")
            use("delete", trace_id=one)
            assert use("update", trace_id="mt_nope", content="x") == {"updated": False}
            assert use("update", trace_id=one, content="x") == {"updated": False}

    def test_neither_content_nor_tags_gives_false(self):
        with tools() as use:
            assert use("update", trace_id=use.add("Jake likes tea")) == {"updated": False}

    def test_a_content_that_another_trace_has_keeps_both(self):
        with tools() as use:
            use.add("Jake likes tea")
            assert use("update", trace_id=use.add("Jake likes coffee"), content="Jake likes tea")["updated"]
            assert use.found("tea") == ["Jake likes tea"] * 2


class TestMemoryDelete:
    def test_marks_the_trace_as_deleted_and_keeps_it_for_provenance(self):
        clock = FrozenClock()
        with tools(clock=clock) as use:
            one = use.add("Jake likes tea")
            assert use("delete", trace_id=one) == {"deleted": True}
            trace = use.trace(one)
        assert (trace.deleted, trace.deleted_at, trace.content) == (True, clock.now(), "Jake likes tea")

    @pytest.mark.parametrize(
        "query", ["tea", "Jake", '"likes tea"', "te*", "drink", "NOT coffee", "What does Jake like?"]
    )
    def test_no_search_and_no_recall_returns_it(self, query: str):
        with tools() as use:
            use("delete", trace_id=use.add("Jake likes tea", tags=["drink"]))
            assert use.found(query) == []
            assert use.within(lambda traces, _: traces.recall(query)) == []

    def test_an_unknown_trace_gives_false_and_so_does_the_second_time(self):
        with tools() as use:
            one = use.add("Jake likes tea")
            use("delete", trace_id=one)
            assert use("delete", trace_id=one) == {"deleted": False}
            assert use("delete", trace_id="mt_nope") == {"deleted": False}
