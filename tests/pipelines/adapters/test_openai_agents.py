"""The session and the tools of the OpenAI Agents SDK, driven by the SDK's own runner with a scripted model."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents", reason="the extra 'openai-agents' is not installed")

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Session, SessionSettings, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from fabric import Fabric
from fabric.errors import ConfigurationError, ScopeError
from fabric.scope import ScopeIds
from fabric.sessions.toolhost import ToolHost
from pipelines import Memory, mind
from pipelines.adapters.openai_agents import FabricSession, function_tools, instructions

QUIET = RunConfig(tracing_disabled=True)
Output = ResponseOutputMessage | ResponseFunctionToolCall


def says(text: str) -> Output:
    content = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[content])


def calls(name: str, arguments: str, call_id: str = "c1") -> Output:
    return ResponseFunctionToolCall(id="f", call_id=call_id, type="function_call", name=name, arguments=arguments)


class Scripted(Model):
    """Answers from a list, and keeps what it was asked."""

    def __init__(self, *outputs: Output) -> None:
        self.outputs = list(outputs)
        self.asked: list[Any] = []
        self.told = ""

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        given = args[1] if len(args) > 1 else options["input"]
        self.asked.append(given)
        self.told = args[0] if args else options["system_instructions"]
        return ModelResponse(output=[self.outputs.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@pytest.fixture
def fabric() -> Iterator[Fabric]:
    with Fabric() as opened:
        yield opened


def message(text: str) -> Any:
    return {"role": "user", "content": text}


async def contents(session: FabricSession, limit: int | None = None) -> list[Any]:
    return [item.get("content") for item in await session.get_items(limit)]  # type: ignore[union-attr]


async def test_a_conversation_goes_on_in_another_process(tmp_path: Path):
    model = Scripted(says("San Francisco."), says("California."))
    agent = Agent(name="guide", model=model)
    for question in ("Where is the Golden Gate Bridge?", "In which state?"):
        session = FabricSession("trip", tmp_path / "a.duckdb", user="jake")
        assert isinstance(session, Session)
        await Runner.run(agent, question, session=session, run_config=QUIET)
        session.close()
    said = [record["content"] for record in model.asked[1]]
    assert (said[0], said[2]) == ("Where is the Golden Gate Bridge?", "In which state?")
    assert said[1][0]["text"] == "San Francisco."


async def test_items_come_back_in_order_and_go_from_the_end(fabric: Fabric):
    session = FabricSession("s", fabric, user="jake")
    assert await session.get_items() == []
    assert await session.pop_item() is None
    items = [message(str(number)) for number in range(12)]
    await session.add_items(items[:11])
    await session.add_items(items[11:])
    assert await session.get_items() == items
    assert await session.get_items(limit=2) == items[10:]
    assert await session.get_items(limit=0) == []
    assert await session.pop_item() == items[11]
    await session.add_items([message("again")])
    assert await contents(session, 2) == ["10", "again"]
    short = FabricSession("s", fabric, user="jake", session_settings=SessionSettings(limit=1))
    assert await contents(short) == ["again"]
    await session.clear_session()
    assert await session.get_items() == []


async def test_sessions_and_users_are_apart_and_forgotten(fabric: Fabric):
    jake, anna = FabricSession("s", fabric, user="jake"), FabricSession("s", fabric, user="anna")
    await jake.add_items([message("mine")])
    assert await anna.get_items() == []
    assert await FabricSession("t", fabric, user="jake").get_items() == []
    await anna.clear_session()
    assert await contents(jake) == ["mine"]
    with Memory(fabric, user="jake") as memory:
        exported = [record for record in memory.export() if record["kind"] == "openai_agents_items"]
        assert [(record["session"], record["item"]) for record in exported] == [(jake.session_id, message("mine"))]
        memory.forget(everything=True)
    assert await jake.get_items() == []


async def test_secrets_are_not_kept(fabric: Fabric):
    secret = "sk-abcdefghijklmnopqrstuvwxyz123456"
    session = FabricSession("s", fabric, user="jake")
    await session.add_items([message(f"my key is {secret}")])
    assert secret not in str(await session.get_items())


def test_a_blank_name_is_refused():
    with pytest.raises(ScopeError):
        FabricSession(" ", user="jake")


async def test_an_agent_uses_the_tools_and_a_wrong_call_ends_no_run(fabric: Fabric):
    host = ToolHost(fabric, ScopeIds(session="s", user="jake"), uses=[mind(embedder=None)])
    model = Scripted(
        calls("mind_believe", '{"confidence": "high"}', "c1"),
        calls("mind_believe", '{"content": "The bridge opens in May", "confidence": "high"}', "c2"),
        calls("mind_recall", '{"query": "bridge opens"}', "c3"),
        says("In May."),
    )
    session = FabricSession("s", fabric, user="jake")
    agent = Agent(name="tracker", model=model, tools=list(function_tools(host)))
    done = await Runner.run(agent, "When does it open?", session=session, run_config=QUIET)
    assert done.final_output == "In May."
    outputs = [str(one.get("output")) for one in model.asked[-1] if one.get("type") == "function_call_output"]
    assert "content" in outputs[0]
    assert "The bridge opens in May" in outputs[2]
    assert len(await session.get_items()) == 8
    assert {tool.name for tool in function_tools(host)} == {schema["function"]["name"] for schema in host.schemas()}


@pytest.mark.parametrize("limit", range(1, 9))
@pytest.mark.parametrize("popped", [0, 1, 2, 3])
async def test_no_half_of_a_tool_call_enters_a_prompt(fabric: Fabric, limit: int, popped: int):
    host = ToolHost(fabric, ScopeIds(session="s", user="jake"), uses=[mind(embedder=None)])
    recall = [calls("mind_recall", '{"query": "bridge"}', f"c{number}") for number in range(3)]
    model = Scripted(*recall[:2], says("One."), recall[2], says("Two."), says("Three."))
    agent = Agent(name="tracker", model=model, tools=list(function_tools(host)))
    whole = FabricSession("s", fabric, user="jake")
    for question in ("First?", "Second?"):
        await Runner.run(agent, question, session=whole, run_config=QUIET)
    for _ in range(popped):
        await whole.pop_item()
    short = FabricSession("s", fabric, user="jake", session_settings=SessionSettings(limit=limit))
    await Runner.run(agent, "Third?", session=short, run_config=QUIET)
    kinds = ("function_call", "function_call_output")
    called, answered = (
        [record["call_id"] for record in model.asked[-1] if record.get("type") == kind] for kind in kinds
    )
    assert called == answered
    assert model.asked[-1][-1]["content"] == "Third?"


@pytest.mark.parametrize(("limit", "kept"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 4), (6, 6), (None, 7)])
async def test_a_limit_leaves_no_result_of_a_call_that_it_cut_off(fabric: Fabric, limit: int | None, kept: int):
    session = FabricSession("s", fabric, user="jake")
    call = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
    other = {**call, "call_id": "b"}
    ends = [{"type": "function_call_output", "call_id": one, "output": "1"} for one in ("a", "b")]
    said = [{"role": "user", "content": "Look."}, {"role": "assistant", "content": "Well."}]
    await session.add_items([said[0], call, other, ends[0], said[1], {**call, "call_id": "c"}, ends[1]])
    items = await session.get_items(limit)
    assert len(items) == kept
    called = [item["call_id"] for item in items if item.get("type") == "function_call"]
    assert all(item["call_id"] in called for item in items if item.get("type") == "function_call_output")


async def test_sessions_and_memories_of_one_path_share_its_file(tmp_path: Path):
    path = tmp_path / "m.duckdb"
    one, two = FabricSession("monday", path, user="jake"), FabricSession("monday", path, user="jake")
    await one.add_items([{"role": "user", "content": "Hello."}])
    one.close()
    assert await two.get_items() == [{"role": "user", "content": "Hello."}]
    with Memory(path, user="anna", embedder=None) as anna, Memory(path, user="bob", embedder=None) as bob:
        anna.capture("I joined Stripe last month.")
        bob.capture("I like jazz.")
        assert (anna.wait(120), bob.wait(120)) == ([], [])
        assert [[record["text"] for record in of.export() if record["kind"] == "turn"] for of in (anna, bob)] == [
            ["I joined Stripe last month."],
            ["I like jazz."],
        ]
    two.close()
    with Fabric(path):
        pass


def test_a_session_of_nobody_and_what_is_no_host_are_refused(tmp_path: Path):
    with pytest.raises(ScopeError, match="user"):
        FabricSession("monday", tmp_path / "m.duckdb", user=None)  # type: ignore[arg-type]
    assert not (tmp_path / "m.duckdb").exists()
    with pytest.raises(ConfigurationError, match="ToolHost"):
        function_tools("m.duckdb")  # type: ignore[arg-type]


async def test_sessions_close_at_the_end_of_a_with(tmp_path: Path):
    async with FabricSession("monday", tmp_path / "m.duckdb", user="jake") as session:
        assert await session.get_items() == []
    with FabricSession("monday", tmp_path / "m.duckdb", user="jake"):
        pass
    Fabric(tmp_path / "m.duckdb").close()


async def test_what_is_pinned_in_the_mind_reaches_the_model():
    async with ToolHost(":memory:", ScopeIds(session="s", user="jake"), uses=[mind(embedder=None)]) as host:
        reflected = await host.acall("mind_reflect", {"content": "Cite every source.", "pin": True})
        assert reflected["success"], reflected
        model = Scripted(says("Done."))
        agent = Agent("a", instructions=instructions(host, "You track research."), model=model)
        await Runner.run(agent, "Go on.", run_config=QUIET)
    assert "Cite every source." in model.told
    assert model.told.endswith("You track research.")
