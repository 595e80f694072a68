"""Closing the litellm callback waits for what litellm reports behind the calls, and nothing is lost in silence."""

import asyncio
import gc
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import litellm
import pytest
from litellm.litellm_core_utils.thread_pool_executor import executor
from structlog.testing import capture_logs

from pipelines import Memory
from pipelines.adapters.litellm import MemoryCallback
from pipelines.adapters.litellm_reports import wait_for_threads
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
    with MemoryCallback(tmp_path / "calls.duckdb", embedder=None) as made:
        litellm.callbacks.append(made)
        try:
            yield made
        finally:
            litellm.logging_callback_manager._reset_all_callbacks()  # litellm copies it into lists of its own
            with warnings.catch_warnings(action="ignore"):
                gc.collect()  # what litellm left is no matter of a later test


def call(server: StubServer, number: int = 0, **options: Any) -> dict[str, Any]:
    return {
        "model": "openai/stub",
        "api_base": f"{server.url}/v1",
        "api_key": "none",
        "max_retries": 0,
        "messages": [{"role": "user", "content": f"I like jazz {number}."}],
        "metadata": {"user": "jake", "session": f"s{number}"},
        **options,
    }


def captured(tmp_path: Path) -> list[tuple[str, str]]:
    with Memory(tmp_path / "calls.duckdb", user="jake", embedder=None) as memory:
        turns = [one for one in memory.export() if one["kind"] == "turn"]
        return sorted((one["role"], one["text"]) for one in turns)


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
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    callback.close()
    assert captured(tmp_path) == expected(4)


def test_closing_is_bounded_when_litellm_does_not_report(callback: MemoryCallback):
    end = threading.Event()
    executor.submit(end.wait)
    try:
        with capture_logs() as logs:
            callback.close(patience=0.1)
    finally:
        end.set()
    assert [one["event"] for one in logs if "still to report" in one["event"]]


def test_calls_after_closing_are_named_once(server: StubServer, callback: MemoryCallback):
    callback.close()
    with capture_logs() as logs:
        for number in range(3):
            litellm.completion(**call(server, number))
        assert wait_for_threads(10.0)
    assert ["after the callback was closed" in one["event"] for one in logs] == [True]


@pytest.mark.parametrize("metadata", [{}, None, {"user": ""}, {"user": None}, {"user": 3}, {"session": "monday"}])
def test_a_call_that_names_no_user_is_named_once(
    server: StubServer, callback: MemoryCallback, tmp_path: Path, metadata: dict[str, Any] | None
):
    with capture_logs() as logs:
        for number in range(2):
            litellm.completion(**call(server, number, metadata=metadata))
        callback.close()
    assert ['metadata={"user"' in one["event"] for one in logs] == [True]
    assert captured(tmp_path) == []
