"""Histories that are sent again: what is new in them is added where it belongs, and nothing twice."""

from pathlib import Path
from typing import Any

import pytest

from fabric.errors import SchemaError
from pipelines import AsyncMemory, Memory
from pipelines.transcript import MAX_MESSAGE_CHARS, given


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def assistant(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


ASKED = user("Which boat should I rent?")
ANSWER = assistant("The Halcyon, a wooden sloop.")
OTHER = assistant("The Meridian, a catamaran.")


def turns(memory: Memory) -> list[tuple[int, str, str]]:
    assert memory.wait() == []
    found = [record for record in memory.export() if record["kind"] == "turn"]
    return sorted((message["turn"], message["role"], message["text"]) for message in found)


def said(memory: Memory) -> list[str]:
    return [item.text for item in memory.fabric.session("default", user="jake").items if item.kind == "message"]


def test_an_answer_that_arrives_later_is_kept_as_if_it_had_come_at_once(tmp_path: Path):
    with Memory(tmp_path / "m.duckdb", user="jake") as at_once:
        at_once.capture([ASKED, ANSWER])
        expected = turns(at_once)
    with Memory(user="jake") as memory:
        memory.capture([ASKED])
        assert memory.capture([ASKED, ANSWER], tags=["boats"]).jobs
        assert memory.capture([ASKED, ANSWER]).jobs == ()
        assert turns(memory) == expected == [(1, "assistant", ANSWER["content"]), (1, "user", ASKED["content"])]
        assert ANSWER["content"] in [recalled.content for recalled in memory.recall("Halcyon sloop")]
        assert ANSWER["content"] in [recalled.content for recalled in memory.recall("Halcyon sloop", tags=["boats"])]


def test_an_answer_is_kept_with_a_history_of_tools():
    calls = assistant("", tool_calls=[{"id": "c1", "function": {"name": "look_up", "arguments": "{}"}}])
    with Memory(user="jake") as memory:
        memory.capture([ASKED, calls])
        memory.capture([ASKED, calls, ANSWER])
        assert [text for _, role, text in turns(memory) if role == "assistant"] == [ANSWER["content"]]


async def test_async_keeps_a_late_answer_too():
    async with AsyncMemory(user="jake") as memory:
        await memory.capture([ASKED])
        await memory.capture([ASKED, ANSWER])
        await memory.wait()
        assert ANSWER["content"] in [record["text"] async for record in memory.export() if record["kind"] == "turn"]


def test_forgetting_takes_a_late_answer_too():
    with Memory(user="jake") as memory:
        memory.capture([ASKED])
        memory.capture([ASKED, ANSWER])
        assert len(turns(memory)) == 2
        memory.forget(everything=True)
        assert list(memory.export()) == []


def test_an_answer_given_anew_is_kept_beside_the_first():
    with Memory(user="jake") as memory:
        memory.capture([ASKED, ANSWER])
        again = memory.capture([ASKED, OTHER])
        assert (again.turns, again.known) == (0, 1)
        assert memory.capture([ASKED, OTHER, user("Thanks, that one.")]).turns == 1
        assert [(number, role) for number, role, _ in turns(memory)] == [
            (1, "assistant"), (1, "assistant"), (1, "user"), (2, "user")
        ]  # fmt: skip


def test_an_edit_in_the_middle_adds_only_what_changed():
    history = [ASKED, ANSWER, user("For how many days?"), assistant("Three.")]
    edited = [ASKED, OTHER, user("For how many people?"), assistant("Eight.")]
    with Memory(user="jake") as memory:
        memory.capture(history)
        changed = memory.capture(edited)
        assert (changed.turns, changed.known) == (1, 1)
        assert said(memory) == [version["content"] for version in (*history, *edited[1:])]
        assert (1, "assistant", OTHER["content"]) in turns(memory)
        grown = memory.capture([*edited, user("Fine.")])
        assert (grown.turns, grown.known) == (1, 2)
        assert memory.capture(history).turns == 0


def test_the_end_of_a_history_with_another_answer_is_known():
    history = [text for n in range(4) for text in (user(f"Question {n}"), assistant(f"Answer {n}"))]
    with Memory(user="jake") as memory:
        memory.capture(history)
        assert memory.capture([*history[4:7], assistant("Better")]).turns == 0
        assert memory.capture([*history[4:7], assistant("Better"), user("More")]).turns == 1
        assert said(memory) == [*[version["content"] for version in history], "Better", "More"]


@pytest.mark.parametrize("before", [[user("yes"), assistant("Sure?")], [user("yes"), assistant("Sure?"), user("tea")]])
def test_one_message_said_again_is_new(before: list[dict[str, Any]]):
    with Memory(user="jake") as memory:
        memory.capture(before)
        assert memory.capture([user("yes")]).turns == 1


@pytest.mark.parametrize("blank", ["", " \n", user(" "), [user("")], user([])])
def test_a_blank_message_is_refused_and_nothing_is_kept(blank: Any):
    with Memory(user="jake") as memory:
        with pytest.raises(SchemaError, match="blank"):
            memory.capture(blank)
        assert list(memory.export()) == []


@pytest.mark.parametrize("content", [{"a": 1}, [{"a": 1}], 5, [user("x"), 3]])
def test_content_of_an_unknown_shape_is_refused_by_its_place(content: Any):
    with Memory(user="jake") as memory:
        with pytest.raises(SchemaError, match="message 2 of 2: content has"):
            memory.capture([ASKED, user(content)])
        assert list(memory.export()) == []


def test_a_message_may_be_long_and_one_that_is_longer_is_refused_with_what_to_do():
    assert given("x" * MAX_MESSAGE_CHARS).messages
    for said in ("x" * (MAX_MESSAGE_CHARS + 1), {"role": "user", "content": "x" * (MAX_MESSAGE_CHARS + 1)}):
        with pytest.raises(SchemaError, match=r"it has 2000001 characters; at most 2000000 are taken: .*import_turns"):
            given(said)
