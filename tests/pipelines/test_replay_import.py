"""Replay and import read the same files: what went through both is kept once, in either order."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric import Fabric, ScopeIds
from pipelines import memory_system
from pipelines.chat import replay_pipeline
from pipelines.importing import ChatFile, FileImport, FileReport, file_import_block
from pipelines.replay import ReplayClock, file_turns, replay
from tests.soak import examples

from .importing.commands import ANN, command, held
from .importing.test_chats import cats

MEM = memory_system(episodic=True, semantic=True, embedder=None)
IDS = ScopeIds(session="any", user="ann")
Way = Callable[[Path, Fabric, ReplayClock], object]
TALK = [("user", "My cat is called Momo."), ("assistant", "Lovely name.")]


def imports(path: Path, fabric: Fabric, _: ReplayClock) -> object:
    return fabric.session("any", user="ann").run(file_import_block(MEM.layout), FileImport(path=path)).output


def replays(path: Path, fabric: Fabric, clock: ReplayClock) -> object:
    turns = file_turns(ChatFile(path=path), FileReport(file=str(path)))
    return replay(fabric, replay_pipeline(MEM), turns, ids=IDS, clock=clock)


def kept(path: Path, *ways: Way) -> dict[str, list[dict[str, Any]]]:
    """Return what a new memory holds, by kind, after a file went into it in these ways."""
    clock = ReplayClock()
    found: dict[str, list[dict[str, Any]]] = {}
    with Fabric(clock=clock) as fabric:
        for way in ways:
            way(path, fabric, clock)
        for record in fabric.session("any", user="ann").run(MEM.export_block).output:
            found.setdefault(record["kind"], []).append(record)
    return found


def facts(found: dict[str, list[dict[str, Any]]]) -> list[tuple[str, str]]:
    return sorted((record["content"], record["sources"][0]["turn_id"]) for record in found.get("fact", ()))


def said(found: dict[str, list[dict[str, Any]]]) -> list[tuple[str, str]]:
    return [(message["role"], message["text"]) for message in found.get("turn", ())]


def message(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": text, **more}


FILES: dict[str, Any] = {
    "messages": [message("system", "Be kind."), *(message(*one) for one in TALK)],
    "sharegpt": [{"id": "c", "conversations": [{"from": role, "value": text} for role, text in TALK]}],
    "chatgpt": [cats()],
    "letta": {
        "agents": [
            {
                "id": "agent-0",
                "name": "Sam",
                "agent_type": "letta_v1_agent",
                "messages": [message(role, text, id=f"m-{at}") for at, (role, text) in enumerate(TALK)],
            }
        ]
    },
    "graphiti": [
        {
            "uuid": f"e{at}",
            "group_id": "ann",
            "source": "message",
            "source_description": "chat",
            "content": f"{role}: {text}",
            "valid_at": f"2026-03-02T09:00:0{at}Z",
        }
        for at, (role, text) in enumerate(TALK)
    ],
}


@pytest.mark.parametrize("form", FILES)
def test_every_format_with_messages_is_replayed_and_imported_once(tmp_path: Path, form: str) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(FILES[form]))
    report = FileReport(file=str(path))
    assert len(list(file_turns(ChatFile(path=path), report))) == 1
    assert (report.format, report.problems) == (form, [])
    alone = kept(path, replays, replays)
    assert said(alone) == TALK
    assert [content for content, _ in facts(alone)] == ["Has a cat named Momo"]
    for ways in ((imports, replays), (replays, imports), (imports, replays, imports, replays)):
        both = kept(path, *ways)
        assert (said(both), facts(both)) == (TALK, facts(alone))
    only = kept(path, imports)
    assert (said(only), facts(only)) == (TALK, [])
    assert [record["captured"] for record in (*only["turn"], *alone["turn"])] == [False, False, True, True]


ROLES = st.sampled_from(["user", "user", "assistant", "tool"])
LINES = st.lists(st.tuples(ROLES, st.sampled_from(["I like tea.", "ok", "", "Hm?"])), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(8))
@given(lines=LINES)
def test_whatever_was_said_both_ways_and_both_orders_keep_what_import_alone_keeps(
    tmp_path: Path, lines: list[tuple[str, str]]
) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([message(*line) for line in lines] or [message("user", "")]))
    only = {record["id"]: record["text"] for record in kept(path, imports).get("turn", ())}
    for ways in ((imports, replays), (replays, imports)):
        both = kept(path, *ways).get("turn", ())
        assert len(both) == len(only)
        assert {record["id"]: record["text"] for record in both} == only


def test_what_was_imported_keeps_its_time_and_speaker_when_it_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    first = message("user", "I live in Oslo.", name="Ann", created_at="2026-03-02T09:00:00Z")
    path.write_text(json.dumps([first, message("assistant", "Nice.", created_at="2026-03-02T09:05:00Z")]))
    found = kept(path, imports, replays)
    assert [(record["said_at"], record["speaker"], record["turn"]) for record in found["turn"]] == [
        ("2026-03-02T09:00:00Z", "Ann", 1),
        ("2026-03-02T09:05:00Z", "", 1),
    ]
    assert found["fact"][0]["valid_from"] == "2026-03-02T09:00:00Z"


def test_forgetting_a_fact_of_what_was_imported_and_replayed_leaves_none_of_its_words(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([message("user", "I live in Oslo."), message("assistant", "Oslo is nice.")]))
    clock = ReplayClock()
    with Fabric(clock=clock) as fabric:
        imports(path, fabric, clock)
        replays(path, fabric, clock)
        session = fabric.session("talk", user="ann")
        (fact,) = [record for record in session.run(MEM.export_block).output if record["kind"] == "fact"]
        session.run(MEM.forget_block, {"id": fact["id"]})
        assert "Oslo" not in json.dumps(session.run(MEM.export_block).output)


def test_memories_are_left_to_import(tmp_path: Path) -> None:
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps([{"id": "1", "memory": "Likes tea", "user_id": "ann"}]))
    told = command("replay", path, "--file", tmp_path / "memory.duckdb", "--user", "ann")
    assert (told.exit_code, told.stdout) == (3, "left out: 1 memories and documents, which import takes in\n")
    assert told.stderr == f"{path}: no user message in it\n"
    assert not (tmp_path / "memory.duckdb").exists()


def test_whose_messages_are_meant_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(
        json.dumps([{"session": one, "user_id": one, "messages": [message("user", one)]} for one in ("ann", "bob")])
    )
    file = path.with_suffix(".duckdb")
    refused = command("replay", path, "--file", file, *ANN[:2])
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert "Say with --source-user whose are meant." in refused.stderr
    told = command("replay", path, "--file", file, *ANN[:2], "--source-user", "bob", "--json")
    assert json.loads(told.stdout)["left_out"] == {"records of 'ann'": 1}
    assert [record["text"] for record in held(path) if record["kind"] == "turn"] == ["bob"]
