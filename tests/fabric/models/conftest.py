"""What the model tests share: a server, a client that talks to it, and waits that are written down."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from fabric.models.base import Delta, Request
from fabric.models.litellm import LiteLLMClient
from tests.stub_server import StubServer, stub_server

__all__ = ["client", "stub_server"]


class Waits(list[float]):
    """A sleep that takes no time and remembers how long it should have taken."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def client(stub_server: StubServer, waits: Waits) -> LiteLLMClient:
    return LiteLLMClient(timeout=60, api_base=stub_server.url + "/v1", api_key="none", sleep=waits)


@pytest.fixture
def ask() -> Callable[..., Request]:
    def request(content: Any = "hello", model: str = "openai/stub", **options: Any) -> Request:
        return Request(model, [{"role": "user", "content": content}], **options)

    return request


async def collect(stream: AsyncIterator[Delta], into: list[Delta]) -> None:
    """Add what a stream brings to ``into``, also when it ends in an error."""
    async for delta in stream:
        into.append(delta)  # noqa: PERF401  a comprehension would lose what came before an error
