"""Models of an own server: the address, the key, and a response format that is asked for and may be refused."""

import json
from collections.abc import Callable

import pytest

from fabric.errors import ConfigurationError, ModelError
from fabric.models.answers.asking import complete_structured
from fabric.models.base import Request
from fabric.models.litellm import LiteLLMClient
from fabric.models.server import ModelServer
from tests.stub_server import GOOD, Received, StubReply, StubServer, failure, text

from .answer import Answer

Ask = Callable[..., Request]


@pytest.fixture
def own() -> LiteLLMClient:
    return LiteLLMClient(attempts=1)


def native(server: StubServer) -> list[bool]:
    return ["response_format" in request.body for request in server.requests]


@pytest.mark.parametrize(("asked", "sent"), [(True, True), (False, False), (None, False)])
async def test_an_unlisted_model_is_sent_the_format_when_it_is_asked_for(
    asked: bool | None, sent: bool, stub_server: StubServer, own: LiteLLMClient, ask: Ask
):
    stub_server.script([text(GOOD)])
    server = ModelServer(f"{stub_server.url}/v1", response_format=asked)
    reply = await complete_structured(own, ["smollm2"], ask(schema=Answer, server=server))
    assert reply.value.contents == ("likes tea", "has a cat")
    (received,) = stub_server.requests
    assert native(stub_server) == [sent]
    assert ("JSON schema" in json.dumps(received.body["messages"])) is not sent
    assert received.body["model"] == "smollm2"


@pytest.mark.parametrize("asked", [True, None])
async def test_a_listed_model_is_sent_it_too_unless_switched_off(
    asked: bool | None, stub_server: StubServer, own: LiteLLMClient, ask: Ask
):
    stub_server.script([text(GOOD)] * 2)
    for wanted in (asked, False):
        server = ModelServer(f"{stub_server.url}/v1", "key", wanted)
        await complete_structured(own, ["openai/gpt-5-mini"], ask(schema=Answer, server=server))
    assert native(stub_server) == [True, False]


@pytest.mark.parametrize("status", [400, 422])
async def test_a_refusal_is_met_in_words_and_remembered_for_that_model_alone(
    status: int, stub_server: StubServer, own: LiteLLMClient, ask: Ask
):
    def refusing(received: Received) -> StubReply:
        refused = "response_format" in received.body and received.body["model"] == "old"
        return failure(status, "grammar is not supported") if refused else text(GOOD)

    stub_server.script([refusing] * 4)
    server = ModelServer(f"{stub_server.url}/v1", response_format=True)
    for model in ("old", "old", "new"):
        reply = await complete_structured(own, [model], ask(schema=Answer, server=server))
        assert reply.value.contents == ("likes tea", "has a cat")
    assert native(stub_server) == [True, False, False, True]


async def test_what_is_wrong_with_the_request_itself_is_still_told(
    stub_server: StubServer, own: LiteLLMClient, ask: Ask
):
    stub_server.script([failure(400, "too many messages")] * 2)
    server = ModelServer(f"{stub_server.url}/v1", response_format=True)
    with pytest.raises(ModelError, match="too many messages"):
        await complete_structured(own, ["small"], ask(schema=Answer, server=server))


@pytest.mark.parametrize(
    ("given", "sent"), [("", "Bearer none"), ("secret", "Bearer secret")], ids=["no key", "its own key"]
)
async def test_the_key_is_the_one_that_was_given_or_none_at_all(
    given: str, sent: str, stub_server: StubServer, own: LiteLLMClient, ask: Ask, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub_server.script([text("hello")] * 2)
    for model in ("smollm2", "openai/smollm2"):
        await own.complete(ask(model=model, server=ModelServer(f"{stub_server.url}/v1", given)))
    assert [request.headers["authorization"] for request in stub_server.requests] == [sent, sent]


def test_an_address_needs_a_scheme_and_a_key_is_never_shown():
    with pytest.raises(ConfigurationError, match="http://localhost"):
        ModelServer("localhost:8000")
    assert "secret" not in repr(ModelServer("http://localhost:8000/v1", "secret"))
