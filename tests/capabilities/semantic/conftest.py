"""Facts for each test."""

from collections.abc import Iterator

import pytest

from .facts import Facts, open_facts


@pytest.fixture
def facts() -> Iterator[Facts]:
    opened = open_facts()
    yield opened
    opened.store.close()
