"""The litellm client over HTTP: answers, tool calls, retries, failures, streams and structured output."""

import logging
import math
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime

import pytest

from fabric.clock import SystemClock
from fabric.errors import ConfigurationError, ModelError, ModelUnavailableError
from fabric.models.base import Delta, Reply, Request, ToolCall, Usage
from fabric.models.litellm import LiteLLMClient
from fabric.models.retry import LONGEST_WAIT
from fabric.testing import FrozenClock
from tests.stub_server import (
    BAD_TRANSPORT,
    GOOD,
    StubReply,
    StubServer,
    cut_stream,
    failure,
    hang,
    raw,
    slow,
    stalled_stream,
    text,
    tools,
)

from .answer import Answer
from .conftest import Waits

Ask = Callable[..., Request]
SOON = 0.3
"""Seconds after which a provider that says nothing is given up."""
LOOKUP = {"type": "function", "function": {"name": "look_up", "description": "Look up.", "parameters": {}}}


async def pieces(client: LiteLLMClient, request: Request) -> list[Delta]:
    return [delta async for delta in client.stream(request)]


async def test_an_answer_with_its_usage(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([text("Good morning", usage=(12, 3))])
    reply = await client.complete(ask("hi", temperature=0.2, max_tokens=50))
    assert reply == Reply("Good morning", usage=Usage(12, 3, 0.0, 1), model="stub")
    (request,) = stub_server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body["messages"] == [{"role": "user", "content": "hi"}]
    assert (request.body["temperature"], request.body["max_tokens"]) == (0.2, 50)


async def test_a_known_model_has_its_price_and_an_unknown_one_costs_nothing(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text("hi", usage=(1000, 100))] * 2)
    known = await client.complete(ask(model="openai/gpt-4o-mini"))
    unknown = await client.complete(ask(model="openai/never-heard-of"))
    assert 0 < known.usage.cost < 0.01
    assert unknown.usage.cost == 0.0
    stub_server.script([text("hi", usage=(1000, 100))])
    (*_, last) = await pieces(client, ask(model="openai/gpt-4o-mini"))
    assert last.reply
    assert math.isclose(last.reply.usage.cost, known.usage.cost)


async def test_an_answer_without_usage_counts_as_a_call(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([text("hi", usage=None)])
    assert (await client.complete(ask())).usage == Usage(calls=1)


async def test_tool_calls_are_handed_on_as_they_are(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([tools(("c1", "look_up", '{"q": "tea"}'), ("c2", "look_up", '{"q": broken'))])
    reply = await client.complete(ask(tools=[LOOKUP]))
    assert reply.finish == "tool_calls"
    assert reply.tool_calls == (ToolCall("c1", "look_up", '{"q": "tea"}'), ToolCall("c2", "look_up", '{"q": broken'))
    assert stub_server.requests[0].body["tools"] == [LOOKUP]


@pytest.mark.parametrize("finish", ["stop", "length", "content_filter"])
async def test_the_finish_reason_is_handed_on(finish: str, stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([text("cut", finish=finish)] * 2)
    assert (await client.complete(ask())).finish == finish
    (*_, last) = await pieces(client, ask())
    assert last.reply
    assert last.reply.finish == finish


async def test_a_lone_surrogate_in_the_conversation_does_not_stop_the_call(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text("ok")])
    await client.complete(ask("caf\ud83d \x00 👩‍👩‍👧"))
    assert stub_server.requests[0].body["messages"][0]["content"] == "caf\ufffd \x00 👩‍👩‍👧"


@pytest.mark.parametrize("name", [name for name, bad in BAD_TRANSPORT.items() if not bad.hang])
async def test_what_may_pass_is_tried_again(
    name: str, stub_server: StubServer, client: LiteLLMClient, waits: Waits, ask: Ask
):
    bad = BAD_TRANSPORT[name]
    stub_server.script([bad, bad, text("at last")])
    assert (await client.complete(ask())).text == "at last"
    stub_server.script([bad] * 3)
    with pytest.raises(ModelUnavailableError, match="openai/stub"):
        await client.complete(ask())
    assert len(stub_server.requests) == 6
    assert len(waits) == 4


async def test_a_provider_that_hangs_is_given_up_and_tried_again(stub_server: StubServer, waits: Waits, ask: Ask):
    async def wait(seconds: float) -> None:
        await waits(seconds)
        client.timeout = 60 if len(waits) == 2 else SOON

    client = LiteLLMClient(timeout=SOON, api_base=stub_server.url + "/v1", api_key="none", sleep=wait)
    stub_server.script([lambda _: text("at last") if len(waits) == 2 else hang()] * 9)
    assert (await client.complete(ask())).text == "at last"
    assert len(waits) == 2
    client.timeout = SOON
    stub_server.script([hang()] * 9)
    with pytest.raises(ModelUnavailableError, match="openai/stub"):
        await client.complete(ask())
    assert len(waits) == 4


async def test_nobody_listening_may_pass(waits: Waits, ask: Ask):
    client = LiteLLMClient(timeout=60, attempts=2, api_base="http://127.0.0.1:9/v1", api_key="none", sleep=waits)
    with pytest.raises(ModelUnavailableError):
        await client.complete(ask())
    assert len(waits) == 1


@pytest.mark.parametrize(
    ("bad", "advice"),
    [
        (failure(401), "API key"),
        (failure(402), "credit"),
        (failure(403), "ask for access"),
        (failure(404, "model does not exist"), "check the model id"),
        (failure(400), "refuses the request"),
        (failure(422), "refuses the request"),
        (failure(413), "too long"),
        (failure(400, "This model's maximum context length is 4096 tokens"), "too long"),
        (failure(429, "You exceeded your current quota (insufficient_quota)"), "credit"),
    ],
)
async def test_what_will_not_pass_is_not_tried_again_and_says_what_to_do(
    bad: StubReply, advice: str, stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([bad, text("never reached")])
    with pytest.raises(ModelError, match=advice) as caught:
        await client.complete(ask())
    assert type(caught.value) is ModelError
    assert "'openai/stub'" in str(caught.value)
    assert len(stub_server.requests) == 1


async def test_a_model_without_a_provider_is_explained(ask: Ask):
    with pytest.raises(ModelError, match="name the provider"):
        await LiteLLMClient().complete(ask(model="nonsense"))


async def test_waits_grow_and_are_never_the_same_for_everybody(stub_server: StubServer, waits: Waits, ask: Ask):
    client = LiteLLMClient(attempts=4, api_base=stub_server.url + "/v1", api_key="none", sleep=waits)
    stub_server.script([failure(500)] * 3 + [text("ok")])
    await client.complete(ask())
    for number, wait in enumerate(waits):
        assert 0.25 * 2**number <= wait <= 0.5 * 2**number
    assert len(waits) == 3


async def test_the_provider_decides_how_long_to_wait(stub_server: StubServer, waits: Waits, ask: Ask):
    clock = FrozenClock()
    client = LiteLLMClient(timeout=60, api_base=stub_server.url + "/v1", api_key="none", clock=clock, sleep=waits)
    in_ten = format_datetime(clock.now() + timedelta(seconds=10), usegmt=True)
    dated = StubReply(status=503, body=b"{}", headers={"retry-after": in_ten})
    stub_server.script([failure(429, retry_after=7), dated, text("ok")])
    await client.complete(ask())
    assert waits == [7, 10]


async def test_a_long_wait_is_left_to_the_caller(
    stub_server: StubServer, client: LiteLLMClient, waits: Waits, ask: Ask
):
    stub_server.script([failure(429, retry_after=LONGEST_WAIT + 1), text("never reached")])
    with pytest.raises(ModelUnavailableError) as caught:
        await client.complete(ask())
    assert caught.value.retry_after == LONGEST_WAIT + 1
    assert not waits


async def test_a_request_has_its_own_timeout(stub_server: StubServer, waits: Waits, ask: Ask):
    client = LiteLLMClient(timeout=60, attempts=1, api_base=stub_server.url + "/v1", api_key="none", sleep=waits)
    is_up = False
    stub_server.script([lambda _: slow(0.05, text("slow but there")) if is_up else hang()] * 2)
    with pytest.raises(ModelUnavailableError):
        await client.complete(ask(timeout=SOON))
    is_up = True
    assert (await client.complete(ask())).text == "slow but there"


async def test_an_answer_that_was_paid_for_in_vain_is_counted(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    empty = raw(b'{"id":"x","object":"chat.completion","model":"m","choices":[],"usage":'
                b'{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}')  # fmt: skip
    stub_server.script([empty, text("ok", usage=(11, 7))])
    assert (await client.complete(ask())).usage == Usage(16, 8, 0.0, 2)
    stub_server.script([empty] * 3)
    with pytest.raises(ModelUnavailableError) as caught:
        await client.complete(ask())
    assert caught.value.usage == Usage(15, 3, 0.0, 3)


async def test_a_stream_brings_text_as_it_comes_and_the_whole_at_the_end(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text("hello wonderful world", usage=(4, 3))])
    *texts, last = await pieces(client, ask())
    assert len(texts) > 2
    assert "".join(delta.text for delta in texts) == "hello wonderful world"
    assert last == Delta(reply=Reply("hello wonderful world", usage=Usage(4, 3, 0.0, 1), model="stub"))


async def test_streamed_tool_calls_are_put_together(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([tools(("c1", "look_up", '{"q": "green tea"}'), ("c2", "add", '{"n": [1, 2, 3]}'))])
    (only,) = await pieces(client, ask(tools=[LOOKUP]))
    assert only.reply
    assert only.reply.finish == "tool_calls"
    assert only.reply.tool_calls == (
        ToolCall("c1", "look_up", '{"q": "green tea"}'),
        ToolCall("c2", "add", '{"n": [1, 2, 3]}'),
    )


@pytest.mark.parametrize(
    "bad",
    [
        cut_stream("hello wonderful world", 3),
        stalled_stream("hello wonderful world", 3),
        text("hello wond", finish=None),
    ],
    ids=["connection lost", "nothing more comes", "no finish reason"],
)
async def test_a_stream_cut_in_the_middle_reports_what_came(
    bad: StubReply, stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([bad, text("never reached")])
    came = ""

    async def read() -> None:
        nonlocal came
        async for delta in client.stream(ask()):
            came += delta.text
            client.timeout = SOON if came == "hello wond" else client.timeout

    with pytest.raises(ModelUnavailableError, match="cut after 10 characters") as caught:
        await read()
    assert caught.value.partial == came == "hello wond"
    assert len(stub_server.requests) == 1


@pytest.mark.parametrize("bad", [failure(429), failure(500), cut_stream("hello", 0), cut_stream("hello", 1), hang()])
async def test_a_stream_that_did_not_begin_is_tried_again(
    bad: StubReply, stub_server: StubServer, waits: Waits, ask: Ask
):
    async def wait(seconds: float) -> None:
        await waits(seconds)
        client.timeout = 60

    patience = SOON if bad.hang else 60
    client = LiteLLMClient(timeout=patience, api_base=stub_server.url + "/v1", api_key="none", sleep=wait)
    stub_server.script([lambda _: text("fine") if waits else bad] * 3)
    assert "".join(delta.text for delta in await pieces(client, ask())) == "fine"
    assert len(waits) == 1


async def test_a_stream_can_be_left_early(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([text("hello wonderful world"), text("again")])
    stream = client.stream(ask())
    assert (await anext(stream)).text == "hello"
    await stream.aclose()
    assert (await client.complete(ask())).text == "again"


async def test_a_schema_is_native_where_the_provider_has_it(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([text(GOOD)])
    await client.complete(ask(model="openai/gpt-4o-mini", schema=Answer))
    body = stub_server.requests[0].body
    assert body["response_format"]["json_schema"]["schema"]["properties"].keys() == {"observations"}
    assert body["messages"] == [{"role": "user", "content": "hello"}]


async def test_a_schema_is_written_into_the_instructions_elsewhere(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask
):
    stub_server.script([text(GOOD)] * 2)
    await client.complete(ask(schema=Answer))
    system = {"role": "system", "content": "Be brief."}
    await client.complete(Request("openai/stub", [system, {"role": "user", "content": "hi"}], schema=Answer))
    alone, joined = (request.body for request in stub_server.requests)
    assert "response_format" not in alone
    assert [message["role"] for message in alone["messages"]] == ["system", "user"]
    assert '"observations"' in alone["messages"][0]["content"]
    assert joined["messages"][0]["content"].startswith("Be brief.\n\n")
    assert [message["role"] for message in joined["messages"]] == ["system", "user"]


async def test_a_refused_native_schema_is_not_sent_again(stub_server: StubServer, client: LiteLLMClient, ask: Ask):
    stub_server.script([failure(400, "Invalid schema for response_format 'Answer'"), text(GOOD), text(GOOD)])
    for _ in range(2):
        await client.complete(ask(model="openai/gpt-4o-mini", schema=Answer))
    refused, *later = (request.body for request in stub_server.requests)
    assert "response_format" in refused
    assert len(later) == 2
    assert all("response_format" not in body for body in later)


def test_limits_that_cannot_work_are_refused():
    for options in ({"timeout": 0}, {"attempts": 0}):
        with pytest.raises(ConfigurationError, match="timeout"):
            LiteLLMClient(**options)


async def test_litellm_writes_nothing_and_the_log_of_the_program_is_untouched(
    stub_server: StubServer, client: LiteLLMClient, ask: Ask, capfd: pytest.CaptureFixture[str]
):
    before = (list(logging.root.handlers), logging.root.level)
    stub_server.script([text("odd", finish="unheard_of"), failure(401)])
    await client.complete(ask())
    with pytest.raises(ModelError):
        await client.complete(ask())
    assert capfd.readouterr() == ("", "")
    assert (list(logging.root.handlers), logging.root.level) == before


def test_litellm_is_imported_at_the_first_call_and_without_its_network_fetch():
    program = (
        "import sys, os, fabric.models.litellm as ours, fabric.models.answers.asking\n"
        "ours.LiteLLMClient()\n"
        "assert not {'litellm', 'openai', 'httpx'} & sys.modules.keys()\n"
        "print(os.environ.get('LITELLM_LOCAL_MODEL_COST_MAP'))\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM_")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "None"), done.stderr


def test_the_clock_of_the_machine_is_the_default():
    assert isinstance(LiteLLMClient()._clock, SystemClock)
