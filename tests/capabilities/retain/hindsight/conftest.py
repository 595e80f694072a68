"""A server of its own for each test."""

from collections.abc import Iterator

import pytest

from .small_server import SmallServer


@pytest.fixture
def server() -> Iterator[SmallServer]:
    small = SmallServer()
    yield small
    small.close()
