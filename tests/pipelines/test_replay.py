"""Replay: every shape of file, every kind of damage, each turn once and at its time."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from fabric import Fabric, ScopeIds
from fabric.errors import RefusedError
from pipelines import memory_system
from pipelines.chat import replay_pipeline
from pipelines.cli.app import app
from pipelines.importing import ChatFile, FileReport
from pipelines.replay import FileTurn, ReplayClock, file_turns, replay

START = "2026-03-02T09:00:00+00:00"
MOMENT = datetime.fromisoformat(START)


def user(text: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def read(path: Path) -> tuple[list[FileTurn], list[str]]:
    """Return the turns of a file, and what is wrong with the rest."""
    report = FileReport(file=str(path))
    return list(file_turns(ChatFile(path=path), report)), report.problems


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def replay_file(path: Path, folder: Path, *options: str) -> Result:
    file = folder / "memory.duckdb"
    return CliRunner().invoke(app, ["replay", str(path), "--file", str(file), "--user", "ann", *options])


def show(folder: Path, part: str) -> list[dict[str, Any]]:
    command = ["show", part, "--json", "--user", "ann", "--file", str(folder / "memory.duckdb")]
    found: list[dict[str, Any]] = json.loads(CliRunner().invoke(app, command).stdout)[part]
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.json"


def test_a_list_of_messages_is_one_conversation_named_like_its_file(path: Path) -> None:
    written(path, [{"role": "system", "content": "Be kind."}, user("hi"), assistant("hello"), user("bye")])
    turns, problems = read(path)
    assert [turn.session for turn in turns] == ["file", "file"]
    assert [[message["role"] for message in turn.turn.messages] for turn in turns] == [
        ["system", "user", "assistant"],
        ["user"],
    ]
    assert problems == []


def test_lines_lists_and_single_objects_mean_the_same(path: Path) -> None:
    sessions = [{"messages": [user(name)], "session": name, "started_at": START} for name in ("one", "two")]
    path.write_text("\ufeff" + "\n".join(json.dumps(session) for session in sessions) + "\r\n\n", encoding="utf-8")
    by_lines = read(path)
    assert by_lines == read(written(path, sessions))
    assert [(line.session, line.said_at) for line in by_lines[0]] == [("one", MOMENT), ("two", MOMENT)]
    assert read(written(path, sessions[0]))[0] == by_lines[0][:1], "also where the fields stand behind the messages"


BAD_LINES = [
    (b"{", "line 2: not JSON"),
    (b"\xff\xfe", "line 2: not UTF-8: byte 1 is 0xff"),
    (b"42", "line 2: expected an object"),
    (b"[]", "line 2: expected an object"),
    (b"null", "line 2: expected an object"),
    (b'{"session": "s"}', 'line 2: "messages" must be a list, got nothing'),
    (b'{"messages": {"role": "user"}}', 'line 2: "messages" must be a list, got an object'),
    (b'{"session": 7, "messages": [{"role": "user", "content": "x"}]}', "line 2: session must be a string"),
    (b'{"session": " ", "messages": [{"role": "user", "content": "x"}]}', "line 2: session must not be empty"),
    (b'{"started_at": "soon", "messages": [{"role": "user", "content": "x"}]}', "line 2: no time: 'soon'"),
    (b'{"messages": [{"role": "wizard", "content": "x"}, {"role": "user"}]}', "line 2, message 1: message role"),
    (b'{"messages": ["hi", {"role": "user"}]}', "line 2, message 1: expected a message, got text"),
    (b'{"messages": [{"role": "assistant", "content": "x"}]}', "line 2: no user message in it"),
    (b"[" * 100_000, "line 2: nested more than"),
]


@pytest.mark.parametrize(("line", "problem"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_malformed_line_is_named_and_the_rest_goes_on(path: Path, line: bytes, problem: str) -> None:
    good = json.dumps({"session": "good", "messages": [user("hi")]}).encode()
    path.write_bytes(b"\n".join([good, line, good.replace(b"good", b"last")]))
    turns, problems = read(path)
    assert [one.startswith(problem) for one in problems] == [True], problems
    assert turns[0].session == "good"
    assert turns[-1].session == "last"


def test_one_id_for_two_messages_is_reported_since_the_second_would_be_taken_for_the_first(path: Path) -> None:
    written(path, [user("hi", id="a"), assistant("ho"), user("bye", id="a"), user("hi", id="a"), user("hi", id="b")])
    turns, problems = read(path)
    assert [turn.turn.user["content"] for turn in turns] == ["hi", "hi", "hi"]
    assert problems == ["record 3: id 'a' names two different messages; the second was left out"]


def test_an_answer_to_a_message_that_was_refused_is_not_taken_for_one_to_the_message_before(path: Path) -> None:
    written(path, [user("hi"), assistant("hello"), user("x" * 200_001), assistant("long!"), user("bye")])
    turns, problems = read(path)
    assert [[message["content"] for message in turn.turn.messages] for turn in turns] == [["hi", "hello"], ["bye"]]
    assert problems == ["record 3: the message is 200,001 characters long; at most 200,000 are taken"]


JSON = st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3))
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {}, optional={"role": st.sampled_from(["user", "tool", "x"]) | JSON, "content": JSON, "id": JSON}
    )
    | JSON,
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"session": JSON, "started_at": JSON, "messages": MESSAGES}), max_size=3
    )
)
def test_whatever_the_records_are_turns_come_out_or_the_file_is_refused(path: Path, value: Any) -> None:
    try:
        turns, problems = read(written(path, value))
    except RefusedError:
        return
    said = [message for one in value for message in one.get("messages") or () if isinstance(message, dict)]
    assert len(turns) + len(problems) >= sum(message.get("role") == "user" for message in said)
    assert all(turn.name.strip() for turn in turns)


def test_turns_without_an_id_are_told_apart_by_text_and_count(path: Path) -> None:
    def names(*texts: str) -> list[str]:
        return [turn.name for turn in read(written(path, [user(text) for text in texts]))[0]]

    before = names("ok", "ok", "bye")
    assert len(set(before)) == 3
    after = names("well", "ok", "ok", "bye")
    assert set(before) <= set(after), "a message put in before them gives the others no new names"


def test_the_clock_goes_a_minute_per_turn_and_never_reads_the_same_twice(path: Path) -> None:
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    turns, _ = read(written(path, {"started_at": START, "messages": [user(text) for text in "abc"]}))
    assert [turn.said_at for turn in turns] == [start, start + timedelta(minutes=1), start + timedelta(minutes=2)]
    clock = ReplayClock()
    clock.set(datetime(2026, 3, 2, 9, 0))  # a file may leave the zone out: UTC
    readings = [clock.now() for _ in range(50)]
    assert readings == sorted(set(readings))
    assert start < readings[0] < readings[-1] < start + timedelta(minutes=1)
    assert clock.new_id("x") < clock.new_id("x")
    clock.set(None)
    assert clock.now() > readings[-1]


def test_a_second_replay_adds_nothing_and_a_longer_file_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([user("I live in Oslo."), assistant("Nice."), user("I like tea.")]))
    assert json.loads(replay_file(path, tmp_path, "--json").stdout) == {
        "file": str(tmp_path / "memory.duckdb"),
        "sessions": 1,
        "turns": 2,
        "added": 2,
        "replayed": 0,
        "jobs_left": 0,
        "format": "messages",
        "left_out": {},
        "refused": 0,
        "problems": [],
    }
    facts, turns = show(tmp_path, "facts"), show(tmp_path, "turns")
    assert "2 turns of 1 session: 0 new, 2 were there already." in replay_file(path, tmp_path).stdout
    assert (show(tmp_path, "facts"), show(tmp_path, "turns")) == (facts, turns)
    path.write_text(json.dumps([user("I live in Oslo."), user("I have a dog."), user("I like tea.")]))
    assert json.loads(replay_file(path, tmp_path, "--json").stdout)["added"] == 1
    assert [turn["text"] for turn in show(tmp_path, "turns") if turn["role"] == "user"] == [
        "I live in Oslo.",
        "I like tea.",
        "I have a dog.",
    ]


def test_facts_bear_the_times_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(
        json.dumps({"session": "s", "started_at": START, "messages": [user("Hi!"), user("I live in Oslo.")]})
    )
    assert replay_file(path, tmp_path).exit_code == 0
    (fact,) = show(tmp_path, "facts")
    assert fact["valid_from"].startswith("2026-03-02T09:01:00")
    assert fact["sources"][0]["said_at"] == fact["valid_from"]


def test_problems_are_listed_on_stderr_and_the_rest_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    good = json.dumps({"session": "s", "messages": [user("I live in Oslo.")]})
    path.write_text("\n".join([good, *["{nonsense"] * 30]))
    told = replay_file(path, tmp_path)
    assert told.exit_code == 1
    assert "1 turn of 1 session: 1 new" in told.stdout
    lines = told.stderr.splitlines()
    assert lines[0].startswith("skipped: line 2: not JSON: ")
    assert (len(lines), lines[-1]) == (21, "skipped: 10 more")
    assert len(show(tmp_path, "turns")) == 1


@pytest.mark.parametrize("content", ["", "\n\n", "[]"])
def test_a_file_without_a_turn_is_nothing_found_and_makes_no_memory(tmp_path: Path, content: str) -> None:
    path = tmp_path / "talk.json"
    path.write_text(content)
    assert replay_file(path, tmp_path).exit_code == 3
    assert not (tmp_path / "memory.duckdb").exists()


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        told = replay_file(path, tmp_path)
        assert told.exit_code == 1
        assert told.stderr.startswith(f"error: {path}: ")
        assert told.stderr.count("\n") == 1


def test_tool_calls_images_and_blank_messages_are_replayed_as_they_were(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    messages = [
        user([{"type": "text", "text": "I live in Oslo."}, {"type": "image_url", "image_url": {"url": "x"}}]),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
        assistant("It rains."),
        user(None),
        user("   "),
    ]
    turns, _ = read(written(tmp_path / "file.json", messages))
    mem = memory_system(episodic=True, semantic=True)
    clock = ReplayClock()
    with Fabric(tmp_path / "memory.duckdb", clock=clock) as fabric:
        ids = ScopeIds(session="any", user="ann")
        done = replay(fabric, replay_pipeline(mem), turns, ids=ids, clock=clock)
        items = fabric.session("file", user="ann").items
        assert fabric.jobs() == []
    assert (done.added, done.known) == (3, 0)
    assert [item.kind for item in items if item.turn == 1 and item.kind != "outcome"] == [
        "message",
        "tool_call",
        "tool_result",
        "message",
    ]
    assert [fact["content"] for fact in show(tmp_path, "facts")] == ["Lives in Oslo"]
