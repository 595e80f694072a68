"""Closing the litellm callback waits for what litellm reports behind the calls, and nothing is lost in silence."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import litellm
import pytest
from litellm.integrations.custom_logger import CustomLogger
from structlog.testing import capture_logs

from pipelines import Memory
from pipelines.adapters.litellm import MemoryCallback
from pipelines.adapters.litellm_reports import wait_for_threads
from tests import forkserver
from tests.pipelines.adapters.through_litellm import heard_by, to_stub
from tests.stub_server import StubServer, text

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
"""The client leaves its connection where a loop ends."""


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as running:
        running.script([text("Congratulations to you!")] * 10)
        yield running


@pytest.fixture
def callback(tmp_path: Path) -> Iterator[MemoryCallback]:
    with heard_by(MemoryCallback(tmp_path / "calls.duckdb", embedder=None)) as made:
        yield made


def call(server: StubServer, number: int = 0, **options: Any) -> dict[str, Any]:
    said = [{"role": "user", "content": f"I like jazz {number}."}]
    return to_stub(server, said, {"user": "jake", "session": f"s{number}"}, **options)


def captured(tmp_path: Path) -> list[tuple[str, str]]:
    with Memory(tmp_path / "calls.duckdb", user="jake", embedder=None) as memory:
        turns = [record for record in memory.export() if record["kind"] == "turn"]
        return sorted((turn["role"], turn["text"]) for turn in turns)


def expected(count: int) -> list[tuple[str, str]]:
    asked = [("user", f"I like jazz {number}.") for number in range(count)]
    return [*[("assistant", "Congratulations to you!")] * count, *asked]


@pytest.mark.parametrize("count", [1, 10])
@pytest.mark.parametrize("stream", [False, True])
def test_calls_before_closing_are_captured(
    server: StubServer, callback: MemoryCallback, tmp_path: Path, count: int, stream: bool
):
    for number in range(count):
        answer = litellm.completion(stream=stream, **call(server, number))
        if stream:
            list(answer)
    callback.close()
    assert captured(tmp_path) == expected(count)


@pytest.mark.parametrize("first_is_closed", [False, True])
def test_two_callbacks_of_one_process_both_capture(
    server: StubServer, callback: MemoryCallback, tmp_path: Path, first_is_closed: bool
):
    with MemoryCallback(tmp_path / "others.duckdb", embedder=None) as other:
        litellm.callbacks.insert(0, other)
        if first_is_closed:
            other.close()
        litellm.completion(**call(server))
        asyncio.run(litellm.acompletion(**call(server, 1)))
        callback.close()
    assert captured(tmp_path) == expected(2)
    with Memory(tmp_path / "others.duckdb", user="jake", embedder=None) as memory:
        turns = [record for record in memory.export() if record["kind"] == "turn"]
    assert len(turns) == (0 if first_is_closed else 4)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_stream_of_an_async_call_is_captured_when_closed_after_the_loop(
    server: StubServer, callback: MemoryCallback, tmp_path: Path, wrapped: bool
):
    async def talk() -> None:
        chunks = await litellm.acompletion(stream=True, **call(server))
        async for _ in callback.stream(chunks) if wrapped else chunks:
            pass

    asyncio.run(talk())
    callback.close()
    assert captured(tmp_path) == expected(1)


@pytest.mark.parametrize("inside", [False, True])
def test_async_calls_are_captured_when_closed_inside_the_loop_or_after_it(
    server: StubServer, callback: MemoryCallback, tmp_path: Path, inside: bool
):
    async def talk() -> None:
        for number in range(3):
            await litellm.acompletion(**call(server, number))
        async for _ in callback.stream(await litellm.acompletion(stream=True, **call(server, 3))):
            pass
        if inside:
            callback.close()

    asyncio.run(talk())
    callback.close()
    assert captured(tmp_path) == expected(4)


async def test_closing_on_the_loop_waits_for_streams_as_litellm_gives_them(
    server: StubServer, callback: MemoryCallback, tmp_path: Path
):
    async with callback:
        await litellm.acompletion(**call(server, 0))
        async for _ in await litellm.acompletion(stream=True, **call(server, 1)):
            pass
    assert await asyncio.to_thread(captured, tmp_path) == expected(2)


def test_calls_of_many_threads_are_captured(server: StubServer, callback: MemoryCallback, tmp_path: Path):
    threads = [threading.Thread(target=lambda n=n: litellm.completion(**call(server, n))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    callback.close()
    assert captured(tmp_path) == expected(4)


class Held(CustomLogger):
    """A callback of somebody else that holds up reports."""

    def __init__(self, until: Callable[[], object]) -> None:
        super().__init__()
        self._until = until

    def log_success_event(self, *_: Any, **__: Any) -> None:
        self._until()


NO_THREADS = """
import sys, threading, time
import litellm
from pipelines.adapters.litellm import MemoryCallback
from tests.pipelines.adapters.test_litellm_closing import Held
path, base, stream = sys.argv[1], sys.argv[2], sys.argv[3] == "True"
with MemoryCallback(path, embedder=None) as callback:
    litellm.callbacks.extend([Held(lambda: time.sleep(0.5)), callback])
    def ask(number):
        answer = litellm.completion(
            model="openai/stub", api_base=base, api_key="none", stream=stream,
            messages=[{"role": "user", "content": f"I like jazz {number}."}],
            metadata={"user": "jake", "session": f"s{number}"},
        )
        list(answer) if stream else None
    ask(0)
    while len(callback.fabric.session("s0", user="jake").items) < 2:
        time.sleep(0.01)
    callback.fabric.drain()
    ask(1)
    threading.stack_size(2**46)  # more than there is, so that no further thread begins
"""


@pytest.mark.parametrize("stream", [False, True])
def test_reports_are_waited_for_where_no_thread_can_be_started(server: StubServer, tmp_path: Path, stream: bool):
    forkserver.run(
        [sys.executable, "-c", NO_THREADS, str(tmp_path / "calls.duckdb"), f"{server.url}/v1", str(stream)],
        imports=("litellm",),
        check=True,
        timeout=120,
    )
    assert captured(tmp_path) == expected(2)


AT_EXIT = """
import atexit, sys
import litellm
from pipelines.adapters.litellm import MemoryCallback
callback = MemoryCallback(sys.argv[1], embedder=None)
litellm.callbacks.append(callback)
said = dict(model="openai/stub", api_base=sys.argv[2], api_key="none", metadata={"user": "jake", "session": "s0"})
litellm.completion(messages=[{"role": "user", "content": "I like jazz 0."}], **said)
begun = litellm.completion(messages=[{"role": "user", "content": "I like jazz 1."}], stream=True, **said)
left = callback.stream(begun)
next(left)

def end():
    left.close()  # an answer that is broken off now is captured now
    callback.wait(60)
    callback.close()
    print("closed")

atexit.register(end)
"""


def test_an_exit_handler_captures_waits_and_closes(server: StubServer, tmp_path: Path):
    done = forkserver.run(
        [sys.executable, "-c", AT_EXIT, str(tmp_path / "calls.duckdb"), f"{server.url}/v1"],
        imports=("litellm",),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == "closed\n"
    assert "after shutdown" not in done.stderr
    assert ("user", "I like jazz 1.") in captured(tmp_path)


def test_closing_is_bounded_when_litellm_does_not_report(server: StubServer, callback: MemoryCallback):
    end = threading.Event()
    litellm.callbacks.insert(0, Held(end.wait))
    try:
        litellm.completion(**call(server))
        with capture_logs() as logs:
            callback.close(patience=0.1)
    finally:
        end.set()
    assert [entry["event"] for entry in logs if "still to report" in entry["event"]]


def test_calls_after_closing_are_named_once(server: StubServer, callback: MemoryCallback):
    callback.close()
    with capture_logs() as logs:
        for number in range(3):
            litellm.completion(**call(server, number))
        assert wait_for_threads(10.0)
    assert ["after the callback was closed" in entry["event"] for entry in logs] == [True]


@pytest.mark.parametrize("metadata", [{}, None, {"user": ""}, {"user": None}, {"user": 3}, {"session": "monday"}])
def test_a_call_that_names_no_user_is_named_once(
    server: StubServer, callback: MemoryCallback, tmp_path: Path, metadata: dict[str, Any] | None
):
    with capture_logs() as logs:
        for number in range(2):
            litellm.completion(**call(server, number, metadata=metadata))
        callback.close()
    assert ['metadata={"user"' in entry["event"] for entry in logs] == [True]
    assert captured(tmp_path) == []
