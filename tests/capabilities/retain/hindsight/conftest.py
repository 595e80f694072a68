"""A server of its own for each test."""

from collections.abc import Iterator

import pytest

from tests.hindsight import HindsightDouble, hindsight_double


@pytest.fixture
def server() -> Iterator[HindsightDouble]:
    with hindsight_double() as double:
        yield double
