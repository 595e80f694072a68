"""Importing from Graphiti, Zep, Letta and LangMem, in the shapes that these write."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.checkup import check_up

from .commands import bring, command, facts, held, report, write

CREATED = "2025-03-01T10:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.json"


def edge(number: int, fact: str, **more: Any) -> dict[str, Any]:
    return {
        "uuid": f"e{number}",
        "group_id": "ann-there",
        "source_node_uuid": "n1",
        "target_node_uuid": "n2",
        "created_at": CREATED,
        "name": "WORKS_AT",
        "fact": fact,
        "fact_embedding": [0.1, 0.2],
        "episodes": ["p1"],
        "expired_at": None,
        "valid_at": "2024-01-01T00:00:00Z",
        "invalid_at": None,
        "attributes": {},
        **more,
    }


def entity(number: int, name: str, summary: str = "", *labels: str) -> dict[str, Any]:
    labelled = {"labels": ["Entity", *labels], "summary": summary, "attributes": {}, "name_embedding": None}
    return {"uuid": f"n{number}", "name": name, "group_id": "ann-there", "created_at": CREATED, **labelled}


def episode(number: int, content: str, source: str = "message") -> dict[str, Any]:
    return {
        "uuid": f"p{number}",
        "name": f"episode {number}",
        "group_id": "ann-there",
        "labels": [],
        "created_at": CREATED,
        "source": source,
        "source_description": "chat",
        "content": content,
        "valid_at": "2025-02-28T09:00:00Z",
        "entity_edges": ["e1"],
    }


def test_edges_become_facts_about_their_source_current_or_closed(path: Path) -> None:
    gone = {"invalid_at": "2024-12-31T00:00:00Z", "expired_at": "2025-01-15T00:00:00Z", "created_at": "2024-02-01"}
    link = {"uuid": "m1", "group_id": "ann-there", "source_node_uuid": "p1", "target_node_uuid": "n1"}
    write(
        path,
        {
            "edges": [
                edge(1, "Maria works at Stripe"),
                edge(2, "Maria works at Acme", **gone),
                edge(3, "Ann lives in Cork", source_node_uuid="n3"),
                {**link, "created_at": CREATED},
            ],
            "nodes": [
                entity(1, "Maria", "Maria is an engineer."),
                entity(2, "Stripe"),
                entity(3, "Ann", "", "User"),
                entity(4, "Engineers", "Those who build.", "Community"),
            ],
            "episodes": [
                episode(1, "Ann: I met Maria."),
                episode(2, "assistant: How is she?"),
                episode(3, '{"a": 1}', "json"),
                episode(4, "A long report.", "text"),
            ],
        },
    )
    told = report(path)
    assert (told["format"], told["facts"]["new"], told["messages"]["new"], told["refused"]) == ("graphiti", 4, 3, 0)
    assert told["left_out"] == {
        "links that state nothing": 1,
        "nodes without a summary": 2,
        "communities, which sum up what their members say": 1,
        "episodes of JSON data, which nobody said": 1,
    }
    by_text = {fact["content"]: fact for fact in facts(path)}
    now, before = by_text["Maria works at Stripe"], by_text["Maria works at Acme"]
    assert (now["subject"], now["status"], now["valid_from"], now["recorded_at"]) == (
        "maria",
        "current",
        "2024-01-01T00:00:00Z",
        CREATED,
    )
    assert (before["status"], before["valid_to"], before["superseded_at"]) == (
        "invalidated",
        "2024-12-31T00:00:00Z",
        "2025-01-15T00:00:00Z",
    )
    assert by_text["Ann lives in Cork"]["subject"] == "user"
    assert by_text["Maria is an engineer."]["subject"] == "maria"
    said = [
        (record["role"], record["speaker"], record["text"], record["tags"])
        for record in held(path)
        if record["id"][:3] == "imp"
    ]
    assert said == [
        ("user", "Ann", "I met Maria.", []),
        ("assistant", "", "How is she?", []),
        ("user", "", "A long report.", ["document"]),
    ]
    again = report(path)
    assert (again["facts"]["known"], again["messages"]["known"], again["facts"]["new"]) == (4, 3, 0)


def test_an_edge_that_was_closed_meanwhile_closes_the_fact(path: Path) -> None:
    write(path, [edge(1, "Maria works at Acme")])
    assert report(path)["facts"]["new"] == 1
    write(path, [edge(1, "Maria works at Acme", invalid_at="2025-05-01T00:00:00Z", expired_at="2025-05-02T00:00:00Z")])
    assert [report(path)["facts"]["changed"], report(path)["facts"]["known"]] == [1, 1]
    (fact,) = facts(path)
    assert (fact["status"], fact["valid_to"]) == ("invalidated", "2025-05-01T00:00:00Z")
    assert [record for record in held(path) if record["kind"] == "turn"] == []
    write(path, [edge(1, "Maria works at Acme")])
    assert (report(path)["facts"]["known"], facts(path)) == (1, [fact])


def test_a_fact_that_ends_in_the_future_is_current(path: Path) -> None:
    write(path, [edge(1, "Maria is a member", invalid_at="2190-01-01T00:00:00Z")])
    assert report(path)["facts"]["new"] == 1
    assert [(fact["status"], fact["valid_to"]) for fact in facts(path)] == [("current", "2190-01-01T00:00:00Z")]


def because(path: Path, content: str) -> list[str | None]:
    (fact,) = [fact for fact in facts(path) if fact["content"] == content]
    told = command("why", fact["id"], "--file", path.with_suffix(".duckdb"), "--user", "ann", "--json")
    return [record["text"] for record in json.loads(told.stdout)["evidence"]]


def test_a_fact_rests_on_the_episodes_that_the_export_names_for_it(path: Path) -> None:
    write(
        path,
        {
            "edges": [
                edge(1, "Maria works at Stripe", episodes=["p2", "p1"]),
                edge(2, "Maria lives in Cork", episodes=["p3", "p9"]),
                edge(3, "Maria likes tea", episodes=[]),
                edge(4, "Maria has a dog", episodes=["p4"]),
                edge(5, "Maria sails", episodes=None),
            ],
            "episodes": [
                episode(1, "Ann: I met Maria."),
                episode(2, "Ann: Maria is at Stripe now."),
                episode(3, '{"city": "Cork"}', "json"),
                {**episode(4, "Ann: Her dog barks."), "group_id": "bob-there"},
                {**episode(5, "Ann: We sail."), "entity_edges": ["e5"]},
            ],
        },
    )
    told = report(path, "--source-user", "ann-there")
    assert (told["facts"]["new"], told["messages"]["new"]) == (5, 3)
    assert set(because(path, "Maria works at Stripe")) == {"Maria is at Stripe now.", "I met Maria."}
    for content in ("Maria lives in Cork", "Maria likes tea", "Maria has a dog"):
        assert because(path, content) == [content]
    assert because(path, "Maria sails") == ["We sail."]
    again = report(path, "--source-user", "ann-there")
    assert (again["facts"]["known"], again["facts"]["new"], again["messages"]["new"]) == (5, 0, 0)


def test_closing_a_fact_keeps_the_episode_that_it_was_drawn_from(path: Path) -> None:
    gone = {"invalid_at": "2025-05-01T00:00:00Z", "expired_at": "2025-05-02T00:00:00Z"}
    records = [episode(1, "Ann: Maria is at Acme.")]
    write(path, {"edges": [edge(1, "Maria works at Acme")], "episodes": records})
    assert report(path)["facts"]["new"] == 1
    write(path, {"edges": [edge(1, "Maria works at Acme", **gone)], "episodes": records})
    assert report(path)["facts"]["changed"] == 1
    assert because(path, "Maria works at Acme") == ["Maria is at Acme."]
    assert [record["text"] for record in held(path) if record["kind"] == "turn"] == ["Maria is at Acme."]
    found = command("recall", "Maria", "--file", path.with_suffix(".duckdb"), "--user", "ann")
    assert "no longer so since 1 May 2025: Maria works at Acme" in found.stdout


def test_messages_of_zep_with_roles_and_names(path: Path) -> None:
    def said(number: int, role: str, kind: str, text: str) -> dict[str, Any]:
        return {"uuid": f"z{number}", "role": role, "role_type": kind, "content": text, "created_at": CREATED}

    write(
        path,
        {
            "messages": [
                said(1, "Ann", "user", "Hi"),
                said(2, "Guide", "assistant", "Hello"),
                said(3, "", "system", "x"),
            ]
        },
    )
    told = report(path)
    assert (told["format"], told["messages"]["new"], told["left_out"]) == ("graphiti", 2, {"system messages": 1})
    assert [(record["role"], record["speaker"]) for record in held(path)] == [("user", "Ann"), ("assistant", "Guide")]


def block(label: str, value: str, **more: Any) -> dict[str, Any]:
    return {"value": value, "limit": 5000, "label": label, "description": None, "is_template": False, **more}


def text(value: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": value}]


def sending(message: str) -> list[dict[str, Any]]:
    arguments = json.dumps({"message": message})
    return [{"id": "c1", "type": "function", "function": {"name": "send_message", "arguments": arguments}}]


def test_a_letta_agent_file(path: Path) -> None:
    asked = json.dumps({"type": "user_message", "message": "Hi Sam", "time": CREATED})
    login = json.dumps({"type": "login", "last_login": "never"})
    agent = {
        "id": "agent-0",
        "name": "Sam",
        "agent_type": "memgpt_agent",
        "block_ids": ["block-0", "block-1", "block-2"],
        "in_context_message_ids": ["message-0"],
        "system": "You are Sam.",
        "messages": [
            {"id": "message-0", "role": "system", "content": text("You are Sam."), "created_at": CREATED},
            {"id": "message-1", "role": "user", "content": text(login), "created_at": CREATED},
            {"id": "message-2", "role": "user", "content": text(asked), "created_at": CREATED},
            {"id": "message-3", "role": "assistant", "content": text("A friend."), "tool_calls": sending("Hello!")},
            {"id": "message-4", "role": "tool", "content": text("ok"), "tool_call_id": "c1", "created_at": CREATED},
        ],
    }
    blocks = [
        block("persona", "I am Sam, a guide.", id="block-0"),
        block("human", "Ann, works at Stripe.", id="block-1"),
        block("notes", "  ", id="block-2"),
    ]
    empty: dict[str, Any] = {"groups": [], "files": [], "sources": [], "mcp_servers": []}
    write(path, {"agents": [agent], **empty, "blocks": blocks, "tools": [{"id": "tool-0", "name": "send_message"}]})
    told = report(path)
    assert (told["format"], told["facts"]["new"], told["messages"]["new"], told["problems"]) == ("letta", 2, 2, [])
    assert told["left_out"] == {
        "system messages": 1,
        "events of the agent's loop": 1,
        "thoughts of the agent": 1,
        "tool results": 1,
        "blocks that are empty": 1,
        "tools of Letta, which are no memories": 1,
    }
    assert [(fact["subject"], fact["content"], fact["made_by"]) for fact in facts(path)] == [
        ("sam", "I am Sam, a guide.", "import from letta, block Sam/persona"),
        ("user", "Ann, works at Stripe.", "import from letta, block Sam/human"),
    ]
    said = [(record["role"], record["text"], record["session"]) for record in held(path) if record["id"][:3] == "imp"]
    assert said == [("user", "Hi Sam", "Sam"), ("assistant", "Hello!", "Sam")]
    blocks[1]["value"] = "Ann, works at Acme."
    write(path, {"agents": [agent], **empty, "blocks": blocks, "tools": []})
    again = report(path)
    assert (again["facts"]["changed"], again["facts"]["known"], again["messages"]["known"]) == (1, 1, 2)


def test_a_letta_agent_file_of_the_first_version(path: Path) -> None:
    times = {"created_at": CREATED, "updated_at": "2025-04-01T00:00:00Z"}
    write(
        path,
        {
            "agent_type": "letta_v1_agent",
            "core_memory": [block("human", "Likes tea.", template_name=None, **times)],
            "created_at": CREATED,
            "messages": [
                {"role": "user", "content": text("Hi"), "tool_calls": [], "tool_returns": [], **times},
                {"role": "assistant", "content": text("Hello!"), "tool_calls": [], "tool_returns": [], **times},
            ],
            "name": "Sam",
            "system": "You are Sam.",
            "tools": [],
            "version": "0.7.0",
        },
    )
    told = report(path)
    assert (told["format"], told["facts"]["new"], told["messages"]["new"], told["problems"]) == ("letta", 1, 2, [])
    (fact,) = facts(path)
    assert (fact["content"], fact["valid_from"], fact["recorded_at"]) == ("Likes tea.", CREATED, "2025-04-01T00:00:00Z")


def test_passages_of_letta(path: Path) -> None:
    passage = {
        "archive_id": "archive-1",
        "embedding": [0.5],
        "created_at": CREATED,
        "metadata": {},
        "is_deleted": False,
    }
    write(
        path,
        [
            {"id": "passage-1", "text": "Ann's bike is red.", "tags": ["bike"], **passage},
            {"id": "passage-2", "text": "Old.", "tags": [], **passage, "is_deleted": True},
        ],
    )
    told = report(path)
    assert (told["format"], told["facts"]["new"], told["left_out"]) == ("letta", 1, {"deleted in Letta": 1})
    assert [record["tags"] for record in held(path) if record["kind"] == "turn"] == [["bike"]]


def item(number: int, value: Any, *namespace: str, **more: Any) -> dict[str, Any]:
    times = {"created_at": CREATED, "updated_at": CREATED}
    return {"namespace": list(namespace or ("memories", "ann")), "key": f"k{number}", "value": value, **times, **more}


def test_items_of_a_langmem_store(path: Path) -> None:
    write(
        path,
        [
            item(1, {"kind": "Memory", "content": {"content": "Likes tea."}}),
            item(2, {"content": "Works at Stripe."}, score=0.4),
            item(
                3, {"kind": "UserProfile", "content": {"preferred_name": "Ann", "skills": ["Go", "Rust"], "age": None}}
            ),
            item(4, {"kind": "Triple", "content": {"subject": "Maria", "predicate": "manages", "object": "the team"}}),
            item(5, {}),
            item(6, {"content": {"text": ["x"]}}),
        ],
    )
    told = report(path)
    assert (told["format"], told["users"]) == ("langmem", {"memories/ann": 6})
    assert told["problems"] == ["record 5: the value says nothing"]
    assert [(fact["subject"], fact["content"]) for fact in facts(path)] == [
        ("user", "Likes tea."),
        ("user", "Works at Stripe."),
        ("user", "preferred_name: Ann"),
        ("user", "skills: Go, Rust"),
        ("maria", "Maria manages the team"),
        ("user", 'content: {"text": ["x"]}'),
    ]
    assert report(path)["facts"] == {"new": 0, "known": 6, "changed": 0, "older": 0}


def test_namespaces_of_two_people_are_told_apart(path: Path) -> None:
    rows = [item(1, {"content": "a"}, "memories", "ann"), item(2, {"content": "b"}, "memories", "bob")]
    write(path, [*rows, item(3, {"content": "c"}, "profile", "ann")])
    assert "of several people: 'memories/ann' (1), 'memories/bob' (1), 'profile/ann' (1)" in bring(path).stderr
    told = bring(path, "--source-user", "ann")
    assert (told.exit_code, told.stderr) == (0, "")
    assert "1 records of 'memories/bob'" in told.stdout
    assert [fact["content"] for fact in facts(path)] == ["a", "c"]


def test_an_edge_that_is_no_longer_so_is_nothing_to_warn_of(path: Path) -> None:
    write(path, [edge(1, "Maria works at Acme", expired_at="2025-05-02T00:00:00Z"), edge(2, "Maria likes tea")])
    report(path)
    (found,) = [finding for finding in check_up(path.with_suffix(".duckdb")) if finding.check == "sources"]
    assert found.state == "ok"
