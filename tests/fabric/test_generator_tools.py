"""The tool loop: calls run at once, whatever goes wrong is a result the model sees, and the loop ends."""

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel

from fabric.errors import DuplicateNameError, RefusedError
from fabric.flow.block import Block
from fabric.flow.capability import define_capability
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Document
from fabric.flow.sequencer import sequencer
from fabric.flow.tool import tool
from fabric.generation.generator import generator
from fabric.generation.toolbox import MAX_CALLS_PER_STEP, MAX_RESULT_CHARS
from fabric.models.base import Reply, Request, ToolCall
from fabric.record.items import Item
from fabric.sessions.fabric import Fabric
from fabric.testing import FrozenClock, ScriptedModel, call, run_block


def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


async def whose(ctx: Context) -> str:
    """Say whose session it is."""
    return f"{ctx.user} at {ctx.path}"


def broken(reason: str) -> str:
    """Fail."""
    raise RuntimeError(reason)


class Total(BaseModel):
    total: int


async def use(*replies: Any, tools: Any = (add, whose, broken), **options: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(replies)
    result = await run_block(generator(name="g", model="m", tools=tools, **options), "go", model=model)
    return result, model


def results(request: Request) -> list[Any]:
    return [message["content"] for message in request.messages if message["role"] == "tool"]


def kinds(items: Any) -> list[tuple[str, str, str]]:
    return [(item.kind, item.call_id, item.text) for item in items]


async def test_the_model_sees_the_tools_and_their_results() -> None:
    result, model = await use([call("add", a=1), call("whose", "w")], "done")
    assert result.output == "done"
    assert [tool["function"]["name"] for tool in model.requests[0].tools] == ["add", "whose", "broken"]
    assert model.requests[1].tools == model.requests[0].tools
    assert model.requests[1].messages == [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_add", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}},
                {"id": "w", "type": "function", "function": {"name": "whose", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_add", "content": "3"},
        {"role": "tool", "tool_call_id": "w", "content": "tester at g"},
    ]


async def test_calls_and_results_are_recorded_between_message_and_answer() -> None:
    spoken = Reply("Let me see.", (call("add", a=1), call("whose", "w")), finish="tool_calls")
    result, _ = await use(spoken, "done")
    assert kinds(result.items) == [
        ("message", "", "go"),
        ("message", "", "Let me see."),
        ("tool_call", "call_add", '{"a": 1}'),
        ("tool_call", "w", "{}"),
        ("tool_result", "call_add", "3"),
        ("tool_result", "w", "tester at g"),
        ("message", "", "done"),
    ]
    assert [item.name for item in result.items[2:6]] == ["add", "whose", "add", "whose"]
    assert {item.turn for item in result.items} == {1}


async def test_history_gives_an_exchange_back_as_it_was() -> None:
    model = ScriptedModel([Reply("Hm.", (call("add", a=1),)), "3", "4"])
    chat = generator(name="g", model="m", tools=[add], history=True)
    async with Fabric(":memory:", models=model, clock=FrozenClock()) as fabric:
        session = fabric.session("s")
        await session.arun(chat, "one")
        await session.arun(chat, "two")
    assert model.requests[2].messages[:4] == [*model.requests[1].messages, {"role": "assistant", "content": "3"}]


async def test_calls_of_one_step_run_at_the_same_time() -> None:
    gate = asyncio.Barrier(3)

    async def meet(number: int) -> str:
        await gate.wait()
        return f"met {number}"

    calls = [call("meet", str(number), number=number) for number in range(3)]
    async with asyncio.timeout(60):
        _, model = await use(calls, "done", tools=[meet])
    assert results(model.requests[1]) == ["met 0", "met 1", "met 2"]


@pytest.mark.parametrize(
    ("wish", "error", "advice"),
    [
        (call("nope"), "there is no tool 'nope'", "Use one of: add, whose, broken."),
        (call("broken", reason="no luck"), "RuntimeError: no luck", "go on without this tool"),
        (call("add"), "a: Field required", "Call the tool again with arguments that fit its schema."),
        (call("add", a=1, user="other"), "user: Extra inputs are not permitted", "fit its schema"),
        (ToolCall("1", "add", "gibberish"), "not a JSON object", "fit its schema"),
        (call("broken", reason="x" * 9_000), "RuntimeError: xxx", "go on"),
        (call("broken", reason="two\nlines\n  File x"), "RuntimeError: two lines File x", "go on"),
    ],
)
async def test_what_goes_wrong_is_a_short_result(wish: ToolCall, error: str, advice: str) -> None:
    result, model = await use(wish, "sorry")
    (seen,) = results(model.requests[1])
    told = json.loads(seen)
    assert list(told) == ["error", "do"]
    assert error in told["error"]
    assert advice in told["do"]
    assert len(seen) < 700
    assert "Traceback" not in seen
    assert result.output == "sorry"


async def test_a_tool_that_refuses_says_itself_what_to_do() -> None:
    def close(goal: str) -> str:
        """Close a goal."""
        raise RefusedError(f"there is no goal {goal!r}", do="Look its id up first.")

    _, model = await use(call("close", goal="x"), "done", tools=[close])
    assert [json.loads(result) for result in results(model.requests[1])] == [
        {"error": "there is no goal 'x'", "do": "Look its id up first."}
    ]


async def test_one_bad_call_does_not_cost_the_others() -> None:
    _, model = await use([call("nope"), call("add", a=1), call("broken", reason="x")], "done")
    assert results(model.requests[1])[1] == "3"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [("{'a': 1,}", "3"), ('{"a": 1, "b": null}', "3"), ('{"a": "1", "b": "5"}', "6"), ('{"a": 1', "3")],
)
async def test_arguments_that_nearly_fit_are_repaired(arguments: str, shown: str) -> None:
    _, model = await use(ToolCall("1", "add", arguments), "done")
    assert results(model.requests[1]) == [shown]


async def test_a_call_that_was_cut_off_is_not_carried_out() -> None:
    done: list[str] = []

    def delete(path: str) -> None:
        done.append(path)

    reply = Reply("", (ToolCall("1", "delete", '{"path": "/home/ann'),), finish="length")
    _, model = await use(reply, "done", tools=[delete])
    assert done == []
    assert "cut off" in results(model.requests[1])[0]


async def test_calls_without_an_id_or_with_the_same_one_are_told_apart() -> None:
    calls = [ToolCall("", "add", '{"a": 1}'), ToolCall("x", "add", '{"a": 2}'), ToolCall("x", "add", '{"a": 3}')]
    result, model = await use(calls, "done")
    ids = [message["id"] for message in model.requests[1].messages[1]["tool_calls"]]
    assert len({*ids, ""}) == 4
    assert [message["tool_call_id"] for message in model.requests[1].messages[2:]] == ids
    assert [item.call_id for item in result.items if item.kind == "tool_result"] == ids
    assert results(model.requests[1]) == ["3", "4", "5"]


async def test_too_many_calls_in_one_step_are_answered_but_not_carried_out() -> None:
    done: list[int] = []

    def note(number: int) -> None:
        done.append(number)

    calls = [call("note", str(number), number=number) for number in range(MAX_CALLS_PER_STEP + 3)]
    _, model = await use(calls, "done", tools=[note])
    assert done == list(range(MAX_CALLS_PER_STEP))
    answers = results(model.requests[1])
    assert len(answers) == MAX_CALLS_PER_STEP + 3
    assert all("again in the next step" in answer for answer in answers[MAX_CALLS_PER_STEP:])


class Odd:
    def __repr__(self) -> str:
        return "<odd>"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("text", "text"),
        (None, ""),
        ([Total(total=1), {"a": "ü"}], '[{"total": 1}, {"a": "ü"}]'),
        (Total(total=1), '{"total": 1}'),
        ({1, 2}, "[1, 2]"),
        (Odd(), '"<odd>"'),
        ("lone \ud83d", "lone \ud83d"),
        (float("nan"), "NaN"),
    ],
)
async def test_any_result_becomes_text(value: Any, shown: str) -> None:
    def give() -> Any:
        return value

    _, model = await use(call("give"), "done", tools=[give])
    assert results(model.requests[1]) == [shown]


async def test_a_long_result_is_cut_and_says_so() -> None:
    def give() -> str:
        return "x" * 1_000_000

    _, model = await use(call("give"), "done", tools=[give])
    (shown,) = results(model.requests[1])
    assert shown == "x" * MAX_RESULT_CHARS + f"\n[cut: {MAX_RESULT_CHARS} of 1000000 characters shown]"


@pytest.mark.parametrize("limit", [1, 3, 8])
async def test_the_loop_ends_at_its_limit_with_the_last_text(limit: int) -> None:
    again = Reply("still looking", (call("add", a=1),), finish="tool_calls")
    result, model = await use(*[again] * 20, tool_limit=limit)
    assert (result.output, len(model.requests)) == ("still looking", limit)
    calls = [item.call_id for item in result.items if item.kind == "tool_call"]
    assert len(calls) == limit
    assert [item.call_id for item in result.items if item.kind == "tool_result"] == calls
    assert [item.text for item in result.items].count("still looking") == limit


async def test_tools_come_before_the_structured_answer() -> None:
    result, model = await use(call("add", a=1), "it is three", Total(total=3), output_schema=Total)
    assert result.output == Total(total=3)
    last = model.requests[2]
    assert (last.schema, list(last.tools)) == (Total, [])
    assert [message["role"] for message in last.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert model.requests[1].schema is None
    assert [item.text for item in result.items][-2:] == ["3", '{"total": 3}']


async def test_the_structured_answer_is_asked_for_at_the_limit_too() -> None:
    result, model = await use(call("add", a=1), Total(total=3), output_schema=Total, tool_limit=1)
    assert result.output == Total(total=3)
    assert [message["role"] for message in model.requests[1].messages] == ["user", "assistant", "tool", "user"]


async def test_a_block_is_a_tool_and_runs_inside_the_same_run() -> None:
    @handler(name="who/am-i", input_schema=Total, description="Say who asks.")
    def who(value: Total, ctx: Context) -> str:
        return f"{value.total} {ctx.user} {ctx.path}"

    _, model = await use(call("who_am-i", total=4), "done", tools=[who])
    assert results(model.requests[1]) == ["4 tester g > who/am-i"]


async def test_a_generator_as_a_tool_adds_nothing_to_the_conversation() -> None:
    expert = generator(name="expert", model="e", history=True, tools=[add])
    result, model = await use(
        call("expert", input="why?"), call("add", a=1), "because", "it says because", tools=[expert]
    )
    assert [request.model for request in model.requests] == ["m", "e", "e", "m"]
    assert [item.text for item in result.items] == ["go", '{"input": "why?"}', "because", "it says because"]
    assert result.usage.calls == 4


async def test_the_resources_of_a_tool_block_are_installed() -> None:
    counter = Document("counter", Total, "session", default=lambda: Total(total=0))

    @handler(name="count", uses=[counter])
    async def count(ctx: Context) -> int:
        return (await ctx.update(counter, lambda known: Total(total=known.total + 1))).total

    mem = define_capability("mem", tools=[count])
    for options in ({"tools": [count]}, {"tools": [count.as_tool()]}, {"tools": [], "uses": [mem]}):
        _, model = await use(call("count", input=""), "done", **options)
        assert results(model.requests[1]) == ["1"]


async def test_tools_of_capabilities_join_in_unless_switched_off() -> None:
    mem = define_capability("mem", tools=[add])
    _, model = await use("ok", tools=[whose], uses=[mem])
    assert [tool["function"]["name"] for tool in model.requests[0].tools] == ["whose", "add"]
    _, model = await use("ok", tools=[whose], uses=[mem.presets(tools=False)])
    assert [tool["function"]["name"] for tool in model.requests[0].tools] == ["whose"]
    _, model = await use("ok", tools=[add], uses=[mem])
    assert [tool["function"]["name"] for tool in model.requests[0].tools] == ["add"]


def test_tools_that_share_a_name_are_found_at_construction() -> None:
    other = tool(whose, name="add")
    with pytest.raises(DuplicateNameError, match=r"named 'add': one of g, another of g; rename one"):
        generator(name="g", model="m", tools=[add, other])
    mem = define_capability("mem", tools=[other])
    with pytest.raises(DuplicateNameError, match=r"named 'add': one of g, another of capability 'mem'"):
        generator(name="g", model="m", tools=[add], uses=[mem])
    with pytest.raises(DuplicateNameError, match="'a_b'"):
        generator(name="g", model="m", tools=[tool(add, name="a/b"), tool(whose, name="a.b")])


async def test_a_clash_with_a_block_around_is_found_when_it_runs() -> None:
    inner = generator(name="g", model="m", tools=[add])
    mem = define_capability("mem", tools=[tool(whose, name="add")])

    @handler(name="outer", uses=[mem])
    async def outer(value: str, ctx: Context) -> str:
        return await inner(value, ctx)

    with pytest.raises(DuplicateNameError, match="capability 'mem'"):
        await run_block(outer, "hi", model=ScriptedModel([]))


async def test_a_cancelled_run_stops_its_tools() -> None:
    stopped = asyncio.Event()
    limit = asyncio.timeout(None)

    async def wait() -> None:
        try:
            limit.reschedule(asyncio.get_running_loop().time())
            await asyncio.Event().wait()
        finally:
            stopped.set()

    chat: Block[Any, str] = generator(name="g", model="m", tools=[wait])

    @handler(name="impatient")
    async def impatient(value: str, ctx: Context) -> str:
        try:
            async with limit:
                return await chat(value, ctx)
        except TimeoutError:
            return f"stopped: {stopped.is_set()}"

    result = await run_block(impatient, "hi", model=ScriptedModel([call("wait")]))
    assert result.output == "stopped: True"


async def test_a_long_tool_conversation_is_one_turn() -> None:
    steps = [call("add", str(number), a=number) for number in range(7)]
    chat = sequencer(name="both").then(generator(name="g", model="m", tools=[add]))
    model = ScriptedModel([*steps, "done"])
    items: tuple[Item, ...] = (await run_block(chat, "go", model=model)).items
    assert [item.text for item in items if item.role == "user"] == ["go"]
    assert {item.turn for item in items} == {1}
