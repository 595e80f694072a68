"""The generator over the real client: the same stories through HTTP."""

from typing import Any

import pytest
from pydantic import BaseModel

from fabric.errors import ModelError, ModelUnavailableError
from fabric.generation.generator import generator
from fabric.models.litellm import LiteLLMClient
from fabric.record.events import TextDelta
from fabric.sessions.fabric import Fabric
from fabric.testing import FrozenClock, run_block
from tests.stub_server import StubServer, cut_stream, failure, text, tools
from tests.stub_server import stub_server as stub_server

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")


async def no_wait(_: float) -> None:
    """Wait for nothing."""


@pytest.fixture
def client(stub_server: StubServer) -> LiteLLMClient:
    return LiteLLMClient(timeout=120, api_base=stub_server.url + "/v1", api_key="none", sleep=no_wait)


class Total(BaseModel):
    total: int


def add(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


async def test_tools_over_http(stub_server: StubServer, client: LiteLLMClient) -> None:
    stub_server.script([tools(("c1", "add", '{"a": 1, "b": null}'), ("c2", "add", '{"a": 2,')), text("3 and 4")])
    chat = generator(name="chat", model="openai/stub", system="Add.", tools=[add])
    result = await run_block(chat, "1+2, 2+2", model=client)
    assert result.output == "3 and 4"
    assert result.usage.calls == 2
    sent = stub_server.requests[1].body["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "tool"]
    assert [message["content"] for message in sent[3:]] == ["3", "4"]
    assert stub_server.requests[0].body["tools"][0]["function"]["parameters"]["required"] == ["a", "b"]


async def test_tools_then_structured_over_http(stub_server: StubServer, client: LiteLLMClient) -> None:
    stub_server.script([tools(("c1", "add", '{"a": 1}')), text("three"), text('{"total": 3}')])
    block = generator(name="sum", model="openai/stub", tools=[add], output_schema=Total)
    assert (await run_block(block, "1+2", model=client)).output == Total(total=3)


async def test_the_fallback_over_http(stub_server: StubServer, client: LiteLLMClient) -> None:
    stub_server.script([failure(401), text("ok")])
    result = await run_block(generator(name="chat", model=["openai/a", "openai/b"]), "hi", model=client)
    assert result.output == "ok"
    assert [request.body["model"] for request in stub_server.requests] == ["a", "b"]


async def test_a_provider_that_says_no_is_an_error_with_the_path(
    stub_server: StubServer, client: LiteLLMClient
) -> None:
    stub_server.script([failure(401)])
    with pytest.raises(ModelError, match=r"^chat: model 'openai/stub': check the API key"):
        await run_block(generator(name="chat", model="openai/stub"), "hi", model=client)


async def test_text_of_any_kind_goes_over_the_wire(stub_server: StubServer, client: LiteLLMClient) -> None:
    stub_server.script([text("ok")])
    said = "NUL \x00, lone \ud83d, family 👨‍👩‍👧, rtl \u202e, " + "x" * 100_000
    await run_block(generator(name="chat", model="openai/stub"), said, model=client)
    assert stub_server.requests[0].body["messages"][0]["content"] == said.replace("\ud83d", "\ufffd")


async def stream(client: LiteLLMClient, **options: Any) -> tuple[str, list[str], Exception | None]:
    heard, failed = "", None
    async with Fabric(":memory:", models=client, clock=FrozenClock()) as fabric:
        session = fabric.session("s")
        try:
            async for event in session.stream(generator(name="chat", model="openai/stub", **options), "hi"):
                heard += event.text if isinstance(event, TextDelta) else ""
        except ModelUnavailableError as error:
            failed = error
        return heard, [item.text for item in session.items], failed


async def test_streaming_over_http(stub_server: StubServer, client: LiteLLMClient) -> None:
    stub_server.script([tools(("c1", "add", '{"a": 1}'), content="hm "), text("one two three")])
    heard, items, failed = await stream(client, tools=[add])
    assert (heard, failed) == ("hm one two three", None)
    assert items == ["hi", "hm ", '{"a": 1}', "3", "one two three"]


async def test_a_stream_cut_over_http_records_nothing_half(stub_server: StubServer, client: LiteLLMClient) -> None:
    stub_server.script([cut_stream("a long answer that is cut", after=4)])
    heard, items, failed = await stream(client)
    assert heard
    assert "a long answer that is cut".startswith(heard)
    assert items == ["hi"]
    assert str(failed).startswith("chat: ")
