"""Structured output over HTTP: what can be saved is saved in one call, the rest is asked for once more."""

from collections.abc import Callable

import pytest

from fabric.errors import ConfigurationError, ModelUnavailableError, OutputError
from fabric.models.answers.asking import complete_structured
from fabric.models.base import Request
from fabric.models.litellm import LiteLLMClient
from tests.stub_server import BAD_ANSWERS, GOOD, Bad, StubServer, failure, text, tools

from .answer import Answer

Ask = Callable[..., Request]
SAVED = {name: bad for name, bad in BAD_ANSWERS.items() if bad.kept is not None}
LOST = {name: bad for name, bad in BAD_ANSWERS.items() if bad.kept is None}


def test_there_are_more_than_forty_bad_answers():
    assert len(BAD_ANSWERS) >= 40


@pytest.mark.parametrize("bad", SAVED.values(), ids=SAVED)
async def test_what_can_be_saved_costs_one_call(bad: Bad, stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([text(bad.text, finish=bad.finish)])
    reply = await complete_structured(client, ["openai/stub"], ask(schema=Answer))
    assert reply.value.contents == bad.kept
    assert reply.usage.calls == len(stub_server.requests) == 1


@pytest.mark.parametrize("bad", LOST.values(), ids=LOST)
async def test_what_cannot_be_read_is_asked_for_once_more(
    bad: Bad, stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text(bad.text, finish=bad.finish, usage=(100, 20)), text(GOOD, usage=(150, 30))])
    reply = await complete_structured(client, ["openai/stub"], ask(schema=Answer))
    assert reply.value.contents == ("likes tea", "has a cat")
    assert (reply.usage.calls, reply.usage.input_tokens, reply.usage.output_tokens) == (2, 250, 50)
    first, second = (request.body["messages"] for request in stub_server.requests)
    assert second[: len(first)] == first
    assert second[-1]["role"] == "user"


@pytest.mark.parametrize("bad", LOST.values(), ids=LOST)
async def test_the_second_failure_is_typed_and_holds_the_text_and_the_cost(
    bad: Bad, stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text(bad.text, finish=bad.finish)] * 2)
    with pytest.raises(OutputError, match="Answer") as caught:
        await complete_structured(client, ["openai/stub"], ask(schema=Answer))
    assert caught.value.raw == bad.text
    assert caught.value.usage.calls == len(stub_server.requests) == 2
    if bad.finish == "length":
        assert caught.value.truncated


async def test_the_model_is_told_what_was_wrong(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([text('{"observations": [{"importance": 0.5}]}'), text(GOOD)])
    await complete_structured(client, ["openai/stub"], ask(schema=Answer))
    *_, shown, correction = stub_server.requests[1].body["messages"]
    assert shown == {"role": "assistant", "content": '{"observations": [{"importance": 0.5}]}'}
    assert "content: Field required" in correction["content"]


async def test_an_answer_cut_off_before_its_first_item_is_retried_with_more_room_for_fewer_items(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text(GOOD[:30], finish="length"), text(GOOD)])
    await complete_structured(client, ["openai/stub"], ask(schema=Answer, max_tokens=50))
    first, second = (request.body for request in stub_server.requests)
    assert (first["max_tokens"], second["max_tokens"]) == (50, 100)
    assert "at most 10" in second["messages"][-1]["content"]


async def test_a_partly_cut_answer_is_asked_for_again_only_where_more_room_helps(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text(GOOD[:70], finish="length"), text(GOOD)])
    reply = await complete_structured(client, ["openai/stub"], ask(schema=Answer, max_tokens=50))
    assert reply.value.contents == ("likes tea", "has a cat")
    assert not reply.truncated
    stub_server.script([text(GOOD[:70], finish="length")])
    reply = await complete_structured(client, ["openai/stub"], ask(schema=Answer))
    assert reply.value.contents == ("likes tea",)
    assert reply.truncated


@pytest.mark.parametrize("second", [text("no", finish="length"), failure(400), text(GOOD[:70], finish="length")])
async def test_what_was_complete_is_kept_when_the_retry_is_no_better(
    second: object, stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text(GOOD[:70], finish="length"), second])
    reply = await complete_structured(client, ["openai/stub"], ask(schema=Answer, max_tokens=50))
    assert reply.value.contents == ("likes tea",)
    assert reply.truncated


async def test_a_full_list_is_not_asked_for_again(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    rambling = BAD_ANSWERS["200 items"].text[:-40]
    stub_server.script([text(rambling, finish="length")])
    reply = await complete_structured(client, ["openai/stub"], ask(schema=Answer, max_tokens=50))
    assert len(reply.value.observations) == 25


async def test_refused_items_are_reported_with_place_and_reason(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text(BAD_ANSWERS["wrong choice"].text)])
    reply = await complete_structured(client, ["openai/stub"], ask(schema=Answer))
    (refused,) = reply.refused
    assert (refused.field, refused.index) == ("observations", 0)
    assert refused.item == {"content": "bad", "category": "banana"}
    assert "category" in refused.reason


async def test_a_tool_call_instead_of_text_is_read(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([tools(("c1", "answer", GOOD))])
    reply = await complete_structured(client, ["openai/stub"], ask(schema=Answer))
    assert reply.value.contents == ("likes tea", "has a cat")


async def test_the_first_call_is_paid_for_when_the_provider_is_down_at_the_second(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text("no JSON here", usage=(40, 5)), *[failure(503)] * 3])
    with pytest.raises(ModelUnavailableError) as caught:
        await complete_structured(client, ["openai/stub"], ask(schema=Answer))
    assert (caught.value.usage.calls, caught.value.usage.input_tokens) == (1, 40)


async def test_a_request_without_a_schema_is_a_mistake_of_the_caller(client: LiteLLMClient, ask: Ask):
    with pytest.raises(ConfigurationError, match="schema"):
        await complete_structured(client, ["openai/stub"], ask())
