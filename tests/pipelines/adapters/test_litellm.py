"""The litellm callback, over HTTP with a scripted provider: every chat is captured once, however it ends."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import litellm
import openai
import pytest

from pipelines.adapters.litellm import INTERRUPTED, MemoryCallback
from tests.pipelines.adapters.through_litellm import heard_by, to_stub
from tests.stub_server import StubServer, cut_stream, failure, stalled_stream, text, tools
from tests.stub_server.bad import BAD_TRANSPORT

SAID = "I joined Stripe last month."
WHOSE = {"user": "jake", "session": "monday"}
PATIENCE = 120.0
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
"""The client leaves its connection where a stream breaks."""


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as running:
        yield running


@pytest.fixture
def callback() -> Iterator[MemoryCallback]:
    with heard_by(MemoryCallback(embedder=None)) as made:
        yield made


def call(server: StubServer, text: str = SAID, **options: Any) -> dict[str, Any]:
    messages = options.pop("messages", [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}])
    return to_stub(server, messages, WHOSE, **options)


def items(callback: MemoryCallback, user: str = "jake", session: str = "monday") -> list[Any]:
    return [item for item in callback.fabric.session(session, user=user).items if item.kind != "outcome"]


def texts(callback: MemoryCallback) -> list[str]:
    return [item.text for item in items(callback)]


def until(holds: Callable[[], bool]) -> None:
    """Wait for what litellm reports from threads of its own."""
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.2)  # a second report would come now


def test_a_finished_call_is_captured_and_read(server: StubServer, callback: MemoryCallback):
    server.script([text("Congratulations!")])
    litellm.completion(**call(server))
    until(lambda: len(items(callback)) == 2)
    callback.wait()
    assert texts(callback) == [SAID, "Congratulations!"]
    found = callback._memories["jake"].recall("where does he work?", tiers=["semantic"])
    assert [memory.content for memory in found] == ["Joined Stripe last month"]


def test_a_stream_is_captured_once_when_it_ends(server: StubServer, callback: MemoryCallback):
    server.script([text("Congratulations to you!")])
    assert "".join(piece.choices[0].delta.content or "" for piece in litellm.completion(stream=True, **call(server)))
    until(lambda: len(items(callback)) == 2)
    assert texts(callback) == [SAID, "Congratulations to you!"]


async def test_async_calls_and_streams_are_captured_once(server: StubServer, callback: MemoryCallback):
    server.script([text("One."), text("Two and more.")])
    await litellm.acompletion(**call(server, "First?"))
    await asyncio.to_thread(until, lambda: len(items(callback)) == 2)
    async for _ in callback.stream(await litellm.acompletion(stream=True, **call(server, "Second?"))):
        pass
    await asyncio.sleep(0.1)  # litellm reports on this loop
    await asyncio.to_thread(until, lambda: len(items(callback)) == 4)
    assert texts(callback) == ["First?", "One.", "Second?", "Two and more."]
    assert [item.parts for item in items(callback)] == [()] * 4


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
def test_messages_may_be_passed_without_their_name(
    server: StubServer, callback: MemoryCallback, is_async: bool, stream: bool
):
    server.script([text("One.")])
    options = call(server)
    where = (options.pop("model"), options.pop("messages"))

    async def ask() -> None:
        answer = await litellm.acompletion(*where, stream=stream, **options)
        if stream:
            async for _ in callback.stream(answer):
                pass

    if is_async:
        asyncio.run(ask())
    else:
        answer = litellm.completion(*where, stream=stream, **options)
        list(answer) if stream else None
    callback.wait()
    assert texts(callback) == [SAID, "One."]


def test_a_history_that_is_sent_again_adds_what_is_new(server: StubServer, callback: MemoryCallback):
    server.script([text("One."), text("Two.")])
    litellm.completion(**call(server, messages=[{"role": "user", "content": "a?"}]))
    until(lambda: len(items(callback)) == 2)
    roles = ("user", "assistant", "user")
    history = [{"role": role, "content": said} for role, said in zip(roles, ["a?", "One.", "b?"], strict=True)]
    litellm.completion(**call(server, messages=history))
    until(lambda: len(items(callback)) == 4)
    assert texts(callback) == ["a?", "One.", "b?", "Two."]


def marked(callback: MemoryCallback) -> bool:
    return [part["type"] for part in items(callback)[-1].parts] == [INTERRUPTED["type"]]


def test_a_stream_that_is_left_keeps_what_was_said(server: StubServer, callback: MemoryCallback):
    server.script([text("Congratulations to you and yours!")])
    said = ""
    chunks = callback.stream(litellm.completion(stream=True, **call(server)))
    for chunk in chunks:
        said += chunk.choices[0].delta.content or ""
        if said:
            break
    chunks.close()
    until(lambda: len(items(callback)) == 2)
    assert texts(callback) == [SAID, said]
    assert said in "Congratulations to you and yours!"
    assert marked(callback)


async def test_a_cancelled_stream_keeps_what_was_said(server: StubServer, callback: MemoryCallback):
    server.script([stalled_stream("Congratulations to you and yours!", 2)])
    said: list[str] = []

    begun = asyncio.Event()

    async def read() -> None:
        async for chunk in callback.stream(await litellm.acompletion(stream=True, **call(server))):
            said.append(chunk.choices[0].delta.content or "")
            if said[-1]:
                begun.set()

    task = asyncio.create_task(read())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(until, lambda: len(items(callback)) == 2)
    assert texts(callback) == [SAID, "".join(said)]
    assert marked(callback)


async def test_an_async_stream_that_is_left_keeps_what_was_said_without_being_closed(
    server: StubServer, callback: MemoryCallback
):
    server.script([text("Congratulations to you and yours!")])
    said = ""
    async for chunk in callback.stream(await litellm.acompletion(stream=True, **call(server))):
        said += chunk.choices[0].delta.content or ""
        if said:
            break
    await asyncio.sleep(0.1)  # the loop closes what was left
    await asyncio.to_thread(until, lambda: len(items(callback)) == 2)
    assert texts(callback) == [SAID, said]
    assert marked(callback)


async def test_an_error_of_the_reader_keeps_what_was_said_once(server: StubServer, callback: MemoryCallback):
    server.script([text("Congratulations to you and yours!"), text("Congratulations to you and yours!")])
    for number, is_async in enumerate((False, True), 1):
        with pytest.raises(ZeroDivisionError):
            await _read_and_fail(server, callback, is_async=is_async)
        await asyncio.sleep(0.1)
        await asyncio.to_thread(until, lambda count=2 * number: len(items(callback)) == count)
        assert len(items(callback)) == 2 * number
        assert marked(callback)


async def _read_and_fail(server: StubServer, callback: MemoryCallback, *, is_async: bool) -> None:
    if is_async:
        async for _ in callback.stream(await litellm.acompletion(stream=True, **call(server, "Again?"))):
            raise ZeroDivisionError
    for _ in callback.stream(litellm.completion(stream=True, **call(server))):
        raise ZeroDivisionError


@pytest.mark.parametrize("name", ["500", "no JSON", "empty body", "half a body", "429"])
@pytest.mark.parametrize("stream", [False, True])
def test_what_a_broken_provider_sends_is_raised_by_litellm_alone_and_captures_no_answer(
    server: StubServer, callback: MemoryCallback, name: str, stream: bool
):
    server.script([BAD_TRANSPORT[name], text("Hello.")])
    try:
        made = litellm.completion(stream=stream, timeout=60, **call(server))
        said = "".join(one.choices[0].delta.content or "" for one in callback.stream(made)) if stream else ""
    except openai.OpenAIError:  # what litellm raises
        said = ""
    litellm.completion(**call(server, "Anything else?"))
    until(lambda: texts(callback)[-1:] == ["Hello."])
    assert texts(callback) == [*([SAID, said] if said else []), "Anything else?", "Hello."]


def test_an_answer_without_choices_keeps_what_was_asked_and_is_marked(server: StubServer, callback: MemoryCallback):
    server.script([BAD_TRANSPORT["no choices"]])
    litellm.completion(**call(server))
    until(lambda: len(items(callback)) == 2)
    assert texts(callback) == [SAID, ""]
    assert marked(callback)


def test_a_broken_stream_keeps_what_was_said_once(server: StubServer, callback: MemoryCallback):
    server.script([cut_stream("Congratulations to you and yours!", 2)])
    chunks = callback.stream(litellm.completion(stream=True, **call(server)))
    with pytest.raises(litellm.exceptions.MidStreamFallbackError):
        list(chunks)
    until(lambda: len(items(callback)) == 2)
    assert len(items(callback)) == 2
    assert items(callback)[-1].text
    assert items(callback)[-1].text in "Congratulations to you and yours!"
    assert marked(callback)


def test_a_call_of_a_tool_is_part_of_what_is_captured(server: StubServer, callback: MemoryCallback):
    server.script([tools(("c1", "look_up", '{"who": "Ann"}'))])
    litellm.completion(**call(server))
    until(lambda: len(items(callback)) == 2)
    assert [(item.kind, item.name) for item in items(callback)] == [("message", ""), ("tool_call", "look_up")]


def test_an_answer_of_litellm_that_is_sent_back_is_known_by_its_call(server: StubServer, callback: MemoryCallback):
    server.script([tools(("c1", "look_up", "{}")), text("Done.")])
    asked: list[Any] = [{"role": "user", "content": SAID}]
    answer = litellm.completion(**call(server, messages=asked)).choices[0].message
    until(lambda: len(items(callback)) == 2)
    litellm.completion(
        **call(server, messages=[*asked, answer, {"role": "tool", "tool_call_id": "c1", "content": "x"}])
    )
    until(lambda: len(items(callback)) == 3)
    assert [item.kind for item in items(callback)] == ["message", "tool_call", "message"]


def test_what_failed_or_names_no_user_is_not_captured(server: StubServer, callback: MemoryCallback):
    server.script([failure(400), text("Hello."), text("Hello Ann.")])
    with pytest.raises(litellm.exceptions.BadRequestError):
        litellm.completion(**call(server))
    litellm.completion(**call(server, metadata={"session": "monday"}))
    litellm.completion(**call(server, metadata={"user_id": "ann", "session_id": "monday"}))
    until(lambda: len(items(callback, "ann")) == 2)
    assert items(callback) == []


def test_an_error_of_the_memory_never_reaches_the_caller(server: StubServer, callback: MemoryCallback):
    server.script([text("Hello."), text("Hello.")])
    assert litellm.completion(**call(server, metadata={"user": "x" * 1000})).choices[0].message.content == "Hello."
    callback.close()
    assert litellm.completion(**call(server)).choices[0].message.content == "Hello."
