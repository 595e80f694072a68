"""Spans of model calls, embeddings and tools, in the words of the conventions for generative AI."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from opentelemetry.trace import SpanKind, StatusCode
from pydantic import BaseModel

from fabric import Context, Fabric, generator, handler
from fabric.embedding.remote import RemoteEmbedder
from fabric.errors import ModelError, ModelUnavailableError, RefusedError
from fabric.models.base import Delta, Reply, Request, Usage
from fabric.models.fallback import stream_with_fallback
from fabric.models.litellm import LiteLLMClient
from fabric.record.events import TextDelta
from fabric.testing import Cut, ScriptedModel, call, run_block
from tests.stub_server import StubServer, failure, text, tools
from tests.stub_server import stub_server as stub_server

from .recorded import Spans, attributes, recording, said

# litellm's own types make pydantic warn when they are first used.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning")
SAID = "my sister lives in Lisbon"


@pytest.fixture
def spans() -> Iterator[Spans]:
    with recording() as recorded:
        yield recorded


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


async def test_a_model_call_says_what_was_asked_who_answered_and_what_it_cost(spans: Spans):
    answer = Reply("Noted.", usage=Usage(input_tokens=12, output_tokens=3, cost=0.25, calls=1), model="gpt-5-2026")
    chat = generator(name="chat", model="openai/gpt-5", temperature=0.5, max_tokens=90)
    await run_block(chat, SAID, model=ScriptedModel([answer]), session="monday")
    span = spans.one("chat gpt-5")
    assert span.kind is SpanKind.CLIENT
    assert attributes(span) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 90,
        "gen_ai.conversation.id": "monday",
        "gen_ai.response.model": "gpt-5-2026",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
        "fabric.usage.cost": 0.25,
    }
    assert spans.path(span) == ["run chat", "generator chat", "chat gpt-5"]
    assert attributes(spans.one("run chat"))["fabric.usage.cost"] == 0.25
    assert "Lisbon" not in said(spans)
    assert "Noted" not in said(spans)


async def test_each_model_of_a_fallback_has_a_span_of_its_own(spans: Spans):
    chat = generator(name="chat", model=["azure/a", "anthropic/b"])
    paid = ModelUnavailableError(f"down: {SAID}", usage=Usage(input_tokens=7, cost=0.5, calls=1))
    await run_block(chat, SAID, model=ScriptedModel([paid, "ok"]))
    first, second = spans.one("chat a"), spans.one("chat b")
    assert attributes(first)["gen_ai.provider.name"] == "azure.ai.openai"
    assert attributes(first)["error.type"] == "ModelUnavailableError"
    assert attributes(first)["fabric.usage.cost"] == 0.5
    assert first.status.status_code is StatusCode.ERROR
    assert attributes(second)["fabric.usage.cost"] == 0.0, "what the first cost is not counted twice"
    assert second.status.status_code is StatusCode.UNSET
    assert spans.one("generator chat").status.status_code is StatusCode.UNSET
    assert "Lisbon" not in said(spans)


async def test_a_structured_answer_that_is_asked_for_twice_has_two_spans(spans: Spans):
    block = generator(name="sum", model="openai/m", output_schema=Total)
    await run_block(block, SAID, model=ScriptedModel(["no JSON", '{"total": 3}']))
    assert [attributes(span)["gen_ai.output.type"] for span in spans.named("chat m")] == ["json", "json"]


def streamed(block: Any, *script: Any) -> list[str]:
    with Fabric(models=ScriptedModel(script)) as fabric:
        return [event.text for event in fabric.session("s").stream(block, SAID) if isinstance(event, TextDelta)]


def test_a_streamed_call_is_one_span_from_the_request_to_the_last_piece(spans: Spans):
    assert streamed(generator(name="chat", model="openai/m"), "one two three") == ["one", " two", " three"]
    found = attributes(spans.one("chat m"))
    assert found["gen_ai.request.stream"] is True
    assert found["gen_ai.response.finish_reasons"] == ("stop",)
    assert 0 <= found["gen_ai.response.time_to_first_chunk"] < 600
    assert spans.tree() == ["run chat", "  generator chat", "    chat m"]


def test_a_stream_that_breaks_off_is_an_error_of_its_call(spans: Spans):
    with pytest.raises(ModelError):
        streamed(generator(name="chat", model="openai/m"), Cut("half", ModelUnavailableError("lost")))
    span = spans.one("chat m")
    assert attributes(span)["error.type"] == "ModelUnavailableError"
    assert span.status.status_code is StatusCode.ERROR


class Endless(ScriptedModel):
    """Says one word, and then nothing more for a long time."""

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield Delta(text="one")
        await asyncio.sleep(600)


def test_a_stream_that_nobody_reads_on_is_a_cancelled_call_and_no_error(spans: Spans):
    with Fabric(models=Endless([])) as fabric:
        for event in fabric.session("s").stream(generator(name="chat", model="openai/m"), SAID):
            if isinstance(event, TextDelta):
                break
    for name in ("run chat", "generator chat", "chat m"):
        assert attributes(spans.one(name))["fabric.cancelled"] is True
        assert spans.one(name).status.status_code is StatusCode.UNSET


async def test_what_a_reader_does_between_two_pieces_is_not_inside_of_the_call(spans: Spans):
    stream = stream_with_fallback(ScriptedModel(["one two"]), ["openai/m"], Request(model="", messages=[]))

    @handler(name="read")
    async def read() -> None:
        async for _ in stream:
            with spans.tracer.start_as_current_span("of the reader"):
                pass

    await run_block(read)
    assert {spans.path(span)[-2] for span in spans.named("of the reader")} == {"handler read"}
    assert spans.path(spans.one("chat m")) == ["run read", "handler read", "chat m"]


async def test_a_generator_with_tools_is_an_agent_and_its_tools_are_below_it(spans: Spans):
    @handler(name="double")
    def double(number: int) -> int:
        return 2 * number

    chat = generator(name="chat", model="openai/m", tools=[add, double])
    script = ScriptedModel([[call("add", a=1), call("double", input=4)], "done"])
    await run_block(chat, SAID, model=script, session="monday")
    assert spans.tree() == [
        "run chat",
        "  invoke_agent chat",
        "    chat m",
        "    execute_tool add",
        "    execute_tool double",
        "      handler double",
        "    chat m",
    ]
    agent = attributes(spans.one("invoke_agent chat"))
    assert agent["gen_ai.operation.name"] == "invoke_agent"
    assert agent["gen_ai.agent.name"] == "chat"
    assert agent["gen_ai.provider.name"] == "openai"
    assert attributes(spans.one("execute_tool add")) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "add",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_add",
        "gen_ai.conversation.id": "monday",
    }


async def test_a_tool_that_fails_refuses_or_is_called_wrongly_is_an_error_by_type_alone(spans: Spans):
    def fail() -> None:
        """Fail."""
        raise ValueError(SAID)

    def refuse(ctx: Context) -> None:
        """Refuse."""
        raise RefusedError(SAID, do="Ask.")

    chat = generator(name="chat", model="openai/m", tools=[fail, refuse, add])
    calls = [call("fail"), call("refuse"), call("add", a=SAID), call("unknown " + SAID)]
    await run_block(chat, SAID, model=ScriptedModel([calls, "done"]))
    found = {
        span.name: attributes(span)["error.type"] for span in spans.all if span.status.status_code is StatusCode.ERROR
    }
    assert found == {
        "execute_tool fail": "ValueError",
        "execute_tool refuse": "RefusedError",
        "execute_tool add": "ValueError",
    }
    assert "Lisbon" not in said(spans)


async def test_a_call_over_http_with_a_retry(spans: Spans, stub_server: StubServer, client: LiteLLMClient):
    stub_server.script([failure(429, retry_after=0), tools(("c1", "add", '{"a": 1}')), text("three")])
    await run_block(generator(name="chat", model="openai/stub", tools=[add]), SAID, model=client)
    first, second = spans.named("chat stub")
    ((name, values),) = [(event.name, dict(event.attributes or {})) for event in first.events]
    assert (name, values) == (
        "retry",
        {"fabric.attempt": 1, "error.type": "RateLimitError", "fabric.wait_seconds": 0.0},
    )
    assert attributes(first)["gen_ai.response.finish_reasons"] == ("tool_calls",)
    assert attributes(second)["gen_ai.response.finish_reasons"] == ("stop",)
    assert attributes(second)["gen_ai.usage.input_tokens"] > 0
    assert attributes(second)["gen_ai.usage.output_tokens"] > 0
    assert "Lisbon" not in said(spans)


async def test_a_call_over_http_that_is_refused_names_the_providers_error(
    spans: Spans, stub_server: StubServer, client: LiteLLMClient
):
    stub_server.script([failure(401)])
    with pytest.raises(ModelError):
        await run_block(generator(name="chat", model="openai/stub"), SAID, model=client)
    assert attributes(spans.one("chat stub"))["error.type"] == "AuthenticationError"
    assert attributes(spans.one("run chat"))["error.type"] == "ModelError"


async def test_embeddings_over_http(spans: Spans, stub_server: StubServer):
    embedder = RemoteEmbedder("openai/small", api_base=stub_server.url + "/v1", api_key="none", sleep=no_wait)

    @handler(name="embed")
    async def embed(value: str) -> int:
        return len((await embedder.embed([value]))[0])

    stub_server.script_embeddings([failure(500)])
    result = await run_block(embed, SAID)
    span = spans.one("embeddings small")
    found = attributes(span)
    assert span.kind is SpanKind.CLIENT
    assert [event.name for event in span.events] == ["retry"]
    assert found["gen_ai.operation.name"] == "embeddings"
    assert found["gen_ai.provider.name"] == "openai"
    assert found["gen_ai.embeddings.dimension.count"] == result.output
    assert found["gen_ai.usage.input_tokens"] == embedder.usage.input_tokens > 0
    assert "gen_ai.usage.output_tokens" not in found
    assert spans.path(span) == ["run embed", "handler embed", "embeddings small"]
    assert "Lisbon" not in said(spans)


async def test_a_secret_in_what_a_server_calls_itself_is_taken_out(spans: Spans):
    key = "sk-" + "proj-Zq81Xw92Rt63Yu74Io85"
    await run_block(generator(name="chat", model="openai/gpt-5"), SAID, model=ScriptedModel([Reply("Hi", model=key)]))
    assert attributes(spans.one("chat gpt-5"))["gen_ai.response.model"] == "[redacted]"
