"""The toolset of Pydantic AI, driven by the library's own models for tests."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="the extra 'pydantic-ai' is not installed")

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from fabric.errors import ConfigurationError
from fabric.scope import ScopeIds
from fabric.sessions.toolhost import ToolHost
from pipelines import mind
from pipelines.adapters.pydantic_ai import HostToolset


@pytest.fixture
def host() -> Iterator[ToolHost]:
    with ToolHost(":memory:", ScopeIds(session="s", user="jake"), uses=[mind(embedder=None)]) as opened:
        yield opened


def results(messages: list[ModelMessage]) -> list[str]:
    return [str(part.content) for message in messages for part in message.parts if part.part_kind == "tool-return"]


async def test_a_model_is_offered_every_tool_and_may_call_it(host: ToolHost):
    model = TestModel()
    run = await Agent(model, toolsets=[HostToolset(host)]).run("What is on your mind?")
    names = {schema["function"]["name"] for schema in host.schemas()}
    assert model.last_model_request_parameters is not None
    offered = model.last_model_request_parameters.function_tools
    assert {one.name for one in offered} == names
    assert all(one.description and one.parameters_json_schema["type"] == "object" for one in offered)
    assert len(results(run.all_messages())) == len(names)


def script(*calls: tuple[str, Any]) -> FunctionModel:
    """Return a model that makes these calls, one per request, and then says what came back last."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        done = len(results(messages))
        if done < len(calls):
            return ModelResponse(parts=[ToolCallPart(*calls[done])])
        return ModelResponse(parts=[TextPart(results(messages)[-1])])

    return FunctionModel(answer)


async def test_what_one_run_believes_the_next_recalls_for_this_user_only(host: ToolHost):
    believe = script(("mind_believe", {"content": "The bridge opens in May", "confidence": "high"}))
    await Agent(believe, toolsets=[HostToolset(host)]).run("Note it.")
    recall = script(("mind_recall", {"query": "bridge opens"}))
    found = await Agent(recall, toolsets=[HostToolset(host)]).run("When?")
    assert "The bridge opens in May" in found.output
    other = HostToolset(host.of(ScopeIds(session="s", user="anna")))
    assert "May" not in (await Agent(recall, toolsets=[other]).run("When?")).output


async def test_a_wrong_call_is_answered_and_ends_no_run(host: ToolHost):
    wrong = script(("mind_believe", {"confidence": "high"}), ("mind_complete_goal", {"goal_id": "none"}))
    run = await Agent(wrong, toolsets=[HostToolset(host)]).run("Try.")
    assert len(results(run.all_messages())) == 2
    assert "content" in results(run.all_messages())[0]


async def test_what_is_pinned_in_the_mind_reaches_the_model(host: ToolHost):
    reflected = await host.acall("mind_reflect", {"content": "Cite every source.", "pin": True})
    assert reflected["success"], reflected
    seen: list[str] = []

    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.instructions or "")
        return ModelResponse(parts=[TextPart("Done.")])

    await Agent(FunctionModel(answer), toolsets=[HostToolset(host)], instructions="You track research.").run("Go on.")
    assert "Cite every source." in seen[0]
    assert "You track research." in seen[0]


def test_what_is_no_host_is_refused():
    with pytest.raises(ConfigurationError, match="ToolHost"):
        HostToolset("m.duckdb")  # type: ignore[arg-type]
