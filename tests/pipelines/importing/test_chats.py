"""Importing chats: ShareGPT, ChatGPT's data export, fine-tuning data, parts, tool calls and own times."""

import json
from pathlib import Path
from typing import Any

import pytest

from .commands import bring, counts, held, report, turns, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats.json"


def test_sharegpt_conversations_are_kept_under_their_ids(path: Path) -> None:
    talk = [
        {"from": "system", "value": "Be kind."},
        {"from": "human", "value": "My cat is called Momo."},
        {"from": "gpt", "value": "Lovely."},
        {"from": "function_call", "value": '{"name": "weather"}'},
        {"from": "observation", "value": "rain"},
        {"from": "gpt", "value": "It rains."},
        {"from": "wizard", "value": "x"},
        {"from": "human", "value": 7},
    ]
    write(path, [{"id": "talk_0", "conversations": talk}])
    told = report(path)
    assert (told["format"], told["messages"]["new"], told["sessions"]) == ("sharegpt", 3, 1)
    assert told["left_out"] == {"system messages": 1, "tool calls": 1, "tool results": 1}
    assert told["problems"] == [
        "record 1, message 7: message role 'wizard': expected user, assistant, system or tool",
        'record 1, message 8: "value" must be text, got int 7',
    ]
    assert turns(path, "talk_0") == [
        ("user", "My cat is called Momo."),
        ("assistant", "Lovely."),
        ("assistant", "It rains."),
    ]
    assert counts(path) == (0, 3)


def test_nameless_conversations_that_begin_alike_are_kept_apart_and_may_grow(path: Path) -> None:
    def line(*texts: str) -> str:
        roles = ("user", "assistant")
        return json.dumps({"messages": [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]})

    path.write_text("\n".join([line("hi", "hello"), line("hi", "good day"), line("bye", "bye")]))
    assert [counts(path), counts(path)] == [(6, 0), (0, 6)]
    path.write_text("\n".join([line("hi", "hello"), line("hi", "good day", "who?", "me"), line("bye", "bye")]))
    assert counts(path) == (2, 6)
    assert len({record["session"] for record in held(path)}) == 3


def test_parts_tool_calls_and_own_times(path: Path) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    write(
        path,
        [
            {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture], "said_at": 1772442000},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
            {"role": "assistant", "content": "A cat.", "created_at": "2026-03-02T09:00:05Z"},
            {"role": "user", "content": "Thanks", "created_at": "the other day"},
        ],
    )
    told = report(path)
    assert told["left_out"] == {"parts of messages that are no text": 1, "tool calls": 1, "tool results": 1}
    assert told["problems"] == ["record 5: no time: 'the other day'"]
    assert [(record["text"], record["said_at"]) for record in held(path)] == [
        ("What is this?", "2026-03-02T09:00:00Z"),
        ("A cat.", "2026-03-02T09:00:05Z"),
    ]


def node(name: str, parent: str | None, message: dict[str, Any] | None, *children: str) -> dict[str, Any]:
    return {"id": name, "message": message, "parent": parent, "children": list(children)}


def spoken(name: str, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1772442000.5,
        "update_time": None,
        "content": {"content_type": "text", "parts": list(parts)},
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        **more,
    }


def conversation(current: str | None = "a2", **nodes: Any) -> dict[str, Any]:
    return {
        "title": "Cats",
        "create_time": 1772441000.25,
        "update_time": 1772443000.0,
        "mapping": nodes,
        "moderation_results": [],
        "current_node": current,
        "conversation_id": "5f0c-cats",
        "is_archived": False,
    }


def cats(**more: Any) -> dict[str, Any]:
    thoughts = spoken("t1", "assistant", content={"content_type": "thoughts", "thoughts": []})
    photo = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    nodes = {
        "root": node("root", None, None, "s1"),
        "s1": node("s1", "root", spoken("s1", "system", ""), "u1"),
        "u1": node("u1", "s1", spoken("u1", "user", photo, "My cat is called Momo."), "a1", "t1"),
        "a1": node("a1", "u1", spoken("a1", "assistant", "First try.")),
        "t1": node("t1", "u1", thoughts, "a2"),
        "a2": node("a2", "t1", spoken("a2", "assistant", "Lovely name.", create_time=None)),
    }
    return conversation(**{**nodes, **more})


def test_a_chatgpt_export_gives_the_branch_that_was_looked_at_last(path: Path) -> None:
    write(path, [cats()])
    told = report(path)
    assert (told["format"], told["messages"]["new"], told["problems"]) == ("chatgpt", 2, [])
    assert told["left_out"] == {
        "system messages": 1,
        "parts of messages that are no text": 1,
        "content of the kind thoughts": 1,
        "messages of branches that were left": 1,
    }
    assert turns(path, "5f0c-cats") == [("user", "My cat is called Momo."), ("assistant", "Lovely name.")]
    assert [record["said_at"] for record in held(path)] == [
        "2026-03-02T09:00:00.500000Z",
        "2026-03-02T09:00:00.501000Z",
    ]
    assert counts(path) == (0, 2)


def test_a_chatgpt_conversation_alone_without_a_current_message(path: Path) -> None:
    write(path, {**cats(), "current_node": None})
    assert (report(path)["format"], [text for _, text in turns(path, "5f0c-cats")]) == (
        "chatgpt",
        ["My cat is called Momo.", "Lovely name."],
    )


def test_a_circle_and_broken_messages_of_chatgpt_are_refused_and_the_rest_is_kept(path: Path) -> None:
    circle = conversation("x", x=node("x", "y", None, "y"), y=node("y", "x", None, "x"))
    broken = conversation("b", r=node("r", None, spoken("r", "user", "Hello.")), b=node("b", "r", None))
    broken["mapping"]["b"]["message"] = ["no message"]
    write(path, [circle, {**broken, "conversation_id": "7"}, {"mapping": 3}, {"mapping": {"n": 4}}, cats()])
    told = bring(path)
    assert told.stderr.splitlines() == [
        "skipped: record 1: its messages go in a circle at 'x'",
        "skipped: record 2, message b: expected a message, got a list",
        'skipped: record 3: "mapping" must be an object, got int 3',
    ]
    assert "3 messages of 2 sessions: 3 new" in told.stdout
