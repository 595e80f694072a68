"""The fakes do what they promise, so that tests that lean on them mean something."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import BaseModel

from fabric.clock import SystemClock
from fabric.errors import ModelError, ModelUnavailableError
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.generation.generator import generator
from fabric.models.base import Delta, Reply, Request, ToolCall, Usage
from fabric.testing import Cut, FrozenClock, ScriptedModel, call, run_block


class Answer(BaseModel):
    number: int


def request(text: str = "hello you") -> Request:
    return Request("m", [{"role": "user", "content": text}])


async def pieces(model: ScriptedModel) -> list[Delta]:
    return [delta async for delta in model.stream(request())]


async def test_every_kind_of_reply() -> None:
    whole = Reply("whole", usage=Usage(calls=7), model="other")
    look, tell = call("look", cue="x"), call("tell", "7")
    model = ScriptedModel(["text", Answer(number=3), look, [look, tell], whole, lambda asked: asked.model + "!"])
    replies = [await model.complete(request()) for _ in range(6)]
    assert [reply.text for reply in replies] == ["text", '{"number":3}', "", "", "whole", "m!"]
    assert replies[2].tool_calls == (ToolCall("call_look", "look", '{"cue": "x"}'),)
    assert replies[3].tool_calls == (look, tell)
    assert [reply.finish for reply in replies[1:4]] == ["stop", "tool_calls", "tool_calls"]
    assert (replies[0].model, replies[4]) == ("m", whole)
    assert replies[0].usage == Usage(input_tokens=3, output_tokens=1, calls=1)
    assert (model.left, len(model.requests)) == (0, 6)


async def test_a_call_beyond_the_script_fails_the_test() -> None:
    model = ScriptedModel([])
    with pytest.raises(AssertionError, match="call 1 of 'm' is beyond the script: hello you"):
        await model.complete(request())


async def test_a_function_may_answer_every_call() -> None:
    model = ScriptedModel(lambda asked: asked.messages[-1]["content"] * 2)
    assert [(await model.complete(request(text))).text for text in ("a", "b")] == ["aa", "bb"]


async def test_exceptions_are_raised() -> None:
    model = ScriptedModel([ModelUnavailableError("down"), lambda _: ModelError("no")])
    with pytest.raises(ModelUnavailableError, match="down"):
        await model.complete(request())
    with pytest.raises(ModelError, match="no"):
        await pieces(model)


async def test_something_that_is_no_reply_is_refused() -> None:
    with pytest.raises(AssertionError, match="got 7"):
        await ScriptedModel([lambda _: 7]).complete(request())


@pytest.mark.parametrize("text", ["", "one", "one two  three\n", "  padded  ", " "])
async def test_a_streamed_reply_is_the_same_in_pieces(text: str) -> None:
    *spoken, last = await pieces(ScriptedModel([text]))
    assert "".join(delta.text for delta in spoken) == text
    assert last.reply is not None
    assert last.reply.text == text


async def test_a_cut_stream_says_something_first() -> None:
    model = ScriptedModel([Cut("half an", ModelUnavailableError("cut")), Cut("half an", ModelUnavailableError("cut"))])
    stream = model.stream(request())
    assert [(await anext(stream)).text for _ in range(2)] == ["half", " an"]
    with pytest.raises(ModelUnavailableError, match="cut"):
        await anext(stream)
    with pytest.raises(ModelUnavailableError, match="cut"):
        await model.complete(request())


def test_the_frozen_clock_moves_only_when_told() -> None:
    clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    assert clock.now() == clock.now()
    clock.advance(1, minutes=1, hours=1, days=1)
    assert clock.now() == datetime(2026, 1, 2, 1, 1, 1, tzinfo=UTC)
    clock.set(datetime(2027, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))))
    assert clock.now() == datetime(2027, 1, 1, tzinfo=UTC)
    assert clock.now().tzinfo is UTC


def test_its_ids_are_new_and_sorted_and_its_chances_come_round() -> None:
    clock = FrozenClock(chances=[0.1, 0.9], first_id=9)
    made = [clock.new_id("item") for _ in range(3)]
    assert made == sorted(set(made)) == ["item_00000009", "item_00000010", "item_00000011"]
    assert [clock.chance() for _ in range(3)] == [0.1, 0.9, 0.1]
    assert FrozenClock().chance() == 0.5


async def test_a_block_runs_in_a_session_with_the_ids_given() -> None:
    @handler
    def who(value: str, ctx: Context) -> list[object]:
        return [value, *ctx.ids.as_dict().values(), ctx.clock.now().year]

    assert (await run_block(who, "x")).output == ["x", "test", "tester", None, None, None, 2026]
    given = await run_block(who, "x", user=None, session="s", agent="a", project="p", org="o", clock=SystemClock())
    assert given.output[1:6] == ["s", None, "a", "p", "o"]


async def test_without_a_model_no_provider_is_reached() -> None:
    with pytest.raises(ModelError, match="no model was given to run_block, and 'gpt-5' was asked"):
        await run_block(generator(name="chat", model="gpt-5"), "hi")


def test_a_call_takes_arguments_of_any_name() -> None:
    assert json.loads(call("mind_complete_goal", "7", id="mg_1", name="x", call_id="y").arguments) == {
        "id": "mg_1",
        "name": "x",
        "call_id": "y",
    }
