"""What the embedder tests share: a server, an embedder that talks to it, and waits that are written down."""

import pytest

from fabric.embedding.remote import RemoteEmbedder
from tests.stub_server import StubServer, stub_server

__all__ = ["remote", "stub_server", "waits"]


class Waits(list[float]):
    """A sleep that takes no time and remembers how long it should have taken."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def remote(stub_server: StubServer, waits: Waits) -> RemoteEmbedder:
    return RemoteEmbedder(
        "openai/text-embedding-3-small", timeout=60, api_base=stub_server.url + "/v1", api_key="none", sleep=waits
    )
