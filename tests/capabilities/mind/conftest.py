"""What a mind promises holds for every provider: tests that take ``minds`` run on each."""

from collections.abc import Iterator

import pytest

from capabilities.mind import InMemoryProvider, StoreProvider

from .running import Minds


@pytest.fixture(params=[InMemoryProvider, StoreProvider])
def minds(request: pytest.FixtureRequest) -> Iterator[Minds]:
    made = Minds(request.param())
    with made.fabric:
        yield made
