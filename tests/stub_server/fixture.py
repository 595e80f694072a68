"""The pytest fixture that starts and stops a server around one test."""

from collections.abc import Iterator

import pytest

from .server import StubServer


@pytest.fixture
def stub_server() -> Iterator[StubServer]:
    """Give a running server with an empty script."""
    with StubServer() as server:
        yield server
