"""A list of models: the next is asked when one cannot answer, and the last error names them all."""

from collections.abc import Callable

import pytest

from fabric.errors import ConfigurationError, ModelError, ModelUnavailableError
from fabric.models.base import Delta, Request
from fabric.models.fallback import complete_with_fallback, stream_with_fallback
from fabric.models.litellm import LiteLLMClient
from tests.stub_server import StubServer, cut_stream, failure, text

from .conftest import collect

Ask = Callable[..., Request]
MODELS = ["openai/first", "openai/second"]


async def test_each_model_has_its_own_attempts(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([failure(500)] * 3 + [failure(503), text("from the second")])
    reply = await complete_with_fallback(client, MODELS, ask())
    assert (reply.text, reply.model) == ("from the second", "second")
    assert [request.body["model"] for request in stub_server.requests] == ["first"] * 3 + ["second"] * 2


@pytest.mark.parametrize("bad", [failure(401), failure(404), failure(400, "maximum context length is 10 tokens")])
async def test_a_model_that_cannot_answer_is_skipped_at_once(
    bad: object, stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([bad, text("ok")])
    assert (await complete_with_fallback(client, MODELS, ask())).model == "second"
    assert len(stub_server.requests) == 2


async def test_the_error_names_every_model_and_its_reason(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([failure(401), failure(429, retry_after=3600)])
    with pytest.raises(ModelUnavailableError) as caught:
        await complete_with_fallback(client, MODELS, ask())
    message = str(caught.value)
    assert all(part in message for part in ("none of 2", "openai/first", "API key", "openai/second", "RateLimit"))
    assert caught.value.retry_after == 3600
    stub_server.script([failure(401), failure(404)])
    with pytest.raises(ModelError) as caught_for_good:
        await complete_with_fallback(client, MODELS, ask())
    assert type(caught_for_good.value) is ModelError


async def test_a_stream_falls_back_before_its_first_piece_only(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([failure(401), text("from the second")])
    deltas = [delta async for delta in stream_with_fallback(client, MODELS, ask())]
    assert deltas[-1].reply
    assert deltas[-1].reply.text == "from the second"
    stub_server.script([cut_stream("hello wonderful world", 3), text("never reached")])
    came: list[Delta] = []
    with pytest.raises(ModelUnavailableError) as caught:
        await collect(stream_with_fallback(client, MODELS, ask()), came)
    assert "".join(delta.text for delta in came) == caught.value.partial == "hello wond"
    stub_server.script([failure(401), failure(401)])
    with pytest.raises(ModelError, match="none of 2"):
        [delta async for delta in stream_with_fallback(client, MODELS, ask())]


@pytest.mark.parametrize("models", [[], "openai/stub"])
async def test_no_list_is_a_mistake_of_the_caller(models: object, client: LiteLLMClient, ask: Ask):
    with pytest.raises(ConfigurationError, match="at least one"):
        await complete_with_fallback(client, models, ask())  # type: ignore[arg-type]
