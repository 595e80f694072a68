"""How long a test goes on: shortly in `make test`, for as long as it takes to be sure in `make soak`."""

from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")


def either(short: T, long: T) -> T:
    """Return what is tried in each run of the tests, or in `make soak`."""
    return short if settings.get_current_profile_name() == "repeatable" else long


def examples(full: int) -> int:
    """Return how many examples are tried: ``full`` in `make soak`, a third, or two, in each run of the tests."""
    return either(max(2, -(-full // 3)), full)
