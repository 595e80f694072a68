"""Tools in a history: what they were asked and gave belongs to the question's turn, in every provider's shape."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from fabric.record.items import drafts_from_message
from pipelines import Memory
from pipelines.captured import Captured

Messages = list[dict[str, Any]]
STEPS = 12


def anthropic(call: str, given: Mapping[str, Any], result: str) -> Messages:
    use = {"type": "tool_use", "id": call, "name": "look", "input": given}
    back = {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": result}]}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [back]}]


def bedrock(call: str, given: Mapping[str, Any], result: str) -> Messages:
    use = {"toolUse": {"toolUseId": call, "name": "look", "input": given}}
    back = {"toolResult": {"toolUseId": call, "content": [{"text": result}]}}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [back]}]


def gemini(call: str, given: Mapping[str, Any], result: str) -> Messages:
    use = {"functionCall": {"id": call, "name": "look", "args": given}}
    back = {"functionResponse": {"id": call, "name": "look", "response": result}}
    return [{"role": "model", "parts": [use]}, {"role": "user", "parts": [back]}]


def vercel(call: str, given: Mapping[str, Any], result: str) -> Messages:
    use = {"type": "tool-call", "toolCallId": call, "toolName": "look", "input": given}
    back = {"type": "tool-result", "toolCallId": call, "toolName": "look", "output": result}
    return [{"role": "assistant", "content": [use]}, {"role": "tool", "content": [back]}]


def chat_completions(call: str, given: Mapping[str, Any], result: str) -> Messages:
    use = {"id": call, "type": "function", "function": {"name": "look", "arguments": json.dumps(given)}}
    back = {"role": "tool", "tool_call_id": call, "content": result}
    return [{"role": "assistant", "content": None, "tool_calls": [use]}, back]


def responses(call: str, given: Mapping[str, Any], result: str) -> Messages:
    use = {"type": "function_call", "call_id": call, "name": "look", "arguments": json.dumps(given)}
    return [use, {"type": "function_call_output", "call_id": call, "output": result}]


SHAPES = [anthropic, bedrock, gemini, vercel, chat_completions, responses]
ASKED = {"role": "user", "content": "Which boat should I rent?"}
ANSWER = {"role": "assistant", "content": "The Halcyon."}


def history(shape: Callable[..., Messages]) -> Messages:
    steps = [one for number in range(STEPS) for one in shape(f"c{number}", {"page": number}, f"boat {number}")]
    return [ASKED, *steps, ANSWER]


def items(memory: Memory) -> list[tuple[int, str, str, str]]:
    kept = memory.fabric.session("default", user="jake").items
    return [(item.turn, item.kind, item.call_id, item.text) for item in kept if item.kind != "outcome"]


def expected(turn: int = 1) -> list[tuple[int, str, str, str]]:
    steps = [
        row
        for number in range(STEPS)
        for row in (
            (turn, "tool_call", f"c{number}", f'{{"page": {number}}}'),
            (turn, "tool_result", f"c{number}", f"boat {number}"),
        )
    ]
    return [(turn, "message", "", str(ASKED["content"])), *steps, (turn, "message", "", str(ANSWER["content"]))]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_question_and_its_tools_are_one_turn(shape: Callable[..., Messages]):
    with Memory(user="jake", embedder=None) as memory:
        captured = memory.capture(history(shape))
        assert (captured.turns, len(captured.jobs)) == (1, 1)
        assert items(memory) == expected()
        again = memory.capture([*history(shape), {"role": "user", "content": "Thanks."}])
        assert (again.turns, again.known) == (1, 1)
        assert len(items(memory)) == len(expected()) + 1


@pytest.mark.parametrize("shape", SHAPES)
def test_tools_that_are_told_of_step_by_step_stay_in_their_turn(shape: Callable[..., Messages]):
    told = history(shape)
    with Memory(user="jake", embedder=None) as memory:
        captured: Sequence[Captured] = [memory.capture(told[: end + 1]) for end in range(len(told))]
        assert sum(one.turns for one in captured) == 1
        assert items(memory) == expected()


def test_words_beside_a_result_are_the_users():
    message = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": {"boats": 2}},
            {"type": "text", "text": "And the weather?"},
        ],
    }
    drafts = drafts_from_message(message)
    assert [(draft.role, draft.kind, draft.text) for draft in drafts] == [
        ("tool", "tool_result", '{"boats": 2}'),
        ("user", "message", "And the weather?"),
    ]


def test_what_only_repeats_what_recall_returned_is_skipped_and_why_is_said():
    with Memory(user="jake", embedder=None) as memory:
        told = '<background-data title="x">I joined Stripe.</background-data>'
        captured = memory.capture(told)
        assert (captured.turns, captured.skipped) == (0, ("empty: it only repeats what recall returned",))
        assert memory.wait() == []
        assert [record for record in memory.export() if record["kind"] == "turn"] == []
        both = memory.capture([{"role": "user", "content": told}, {"role": "user", "content": "I live in Oslo."}])
        assert (both.turns, both.known, both.skipped) == (1, 1, ())


class Block(BaseModel):
    """A part of a message as libraries of models have it: an object."""

    type: str
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None


class Answer(BaseModel):
    role: str
    content: str
    tool_calls: list[dict[str, Any]] | None = None


def test_what_a_library_returned_is_captured_as_it_is():
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "I live in Paris."}]}
    searched = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "boats"}}
    blocks = [Block(type="text", text="Let me look."), Block(type="tool_use", id="t1", name="look", input={"day": 1})]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "nothing"}
    history: list[Any] = [
        {"role": "user", "content": "I live in Rome."},
        thought,
        searched,
        {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Nice!"}]},
        {"role": "user", "content": "What is on Monday?"},
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": [result]},
        Answer(role="assistant", content="Nothing."),
    ]
    with Memory(":memory:", user="jake", embedder=None) as memory:
        assert memory.capture(history).turns == 2
        assert (memory.capture(history).turns, memory.capture(history[:4]).known) == (0, 1)
        memory.wait()
        said = [record["text"] for record in memory.export() if record["kind"] == "turn"]
        assert said == ["I live in Rome.", "Nice!", "What is on Monday?", "Nothing."]
        assert [record["content"] for record in memory.export() if record["kind"] == "fact"] == ["Lives in Rome"]
