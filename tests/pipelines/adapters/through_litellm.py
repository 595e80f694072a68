"""Calls through litellm to a stub server, and a callback that hears of those of one test only."""

import asyncio
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import litellm
from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

from pipelines.adapters.litellm import MemoryCallback
from tests.stub_server import StubServer


def settle() -> None:
    """Let litellm report what earlier tests called: else it does so on the loop of the next one that calls it."""

    async def report() -> None:
        await GLOBAL_LOGGING_WORKER.flush()
        await GLOBAL_LOGGING_WORKER.stop()

    loop = asyncio.new_event_loop()  # asyncio.run would take the loop of the test away
    try:
        loop.run_until_complete(report())
    finally:
        loop.close()


@contextmanager
def heard_by(callback: MemoryCallback) -> Iterator[MemoryCallback]:
    """Let a callback hear of what is called meanwhile, and close it."""
    settle()
    with callback:
        litellm.callbacks.append(callback)
        try:
            yield callback
        finally:
            litellm.logging_callback_manager._reset_all_callbacks()  # litellm copies it into lists of its own
            with warnings.catch_warnings(action="ignore"):
                gc.collect()  # what litellm left is no matter of a later test


def to_stub(
    server: StubServer, messages: list[dict[str, Any]], whose: dict[str, str], **options: Any
) -> dict[str, Any]:
    """Return the arguments of a call to the server, for somebody's session."""
    return {
        "model": "openai/stub",
        "api_base": f"{server.url}/v1",
        "api_key": "none",
        "max_retries": 0,
        "messages": messages,
        "metadata": dict(whose),
        **options,
    }
