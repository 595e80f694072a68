"""What was so at any time of a while: recall of facts with `valid_during`, from and to both included."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from fabric import Fabric
from fabric.errors import ConfigurationError
from fabric.testing import FrozenClock
from pipelines import Memory

JANUARY = datetime(2024, 1, 1, 9, tzinfo=UTC)
HOMES = (("Rome", 0), ("Oslo", 100), ("Turin", 200))


@pytest.fixture
def moved() -> Iterator[Memory]:
    """Somebody who lives in Rome, from day 100 in Oslo and from day 200 in Turin, and likes jazz all the time."""
    clock = FrozenClock(JANUARY)
    with Fabric(clock=clock) as fabric:
        memory = Memory(fabric, user="jake")
        memory.remember("Likes jazz")
        for city, day in HOMES:
            clock.set(JANUARY + timedelta(days=day))
            memory.remember(f"Lives in {city}", category="identity")
        clock.set(JANUARY + timedelta(days=300))
        yield memory


def day(number: int) -> datetime:
    return JANUARY + timedelta(days=number)


@pytest.mark.parametrize(
    ("since", "until", "cities"),
    [
        (10, 20, {"Rome"}),
        (110, 120, {"Oslo"}),
        (210, 400, {"Turin"}),
        (50, 150, {"Rome", "Oslo"}),
        (50, 250, {"Rome", "Oslo", "Turin"}),
        (150, 250, {"Oslo", "Turin"}),
        (200, 200, {"Turin"}),
        (-20, -10, set[str]()),
    ],
)
def test_what_was_so_at_any_time_between(moved: Memory, since: int, until: int, cities: set[str]):
    found = moved.recall("where do I live?", valid_during=(day(since), day(until)))
    assert {city for city, _ in HOMES for memory in found if memory.content == f"Lives in {city}"} == cities
    assert all(one.source == "semantic" for one in found)


def test_what_was_so_all_the_time_is_found_in_each_while(moved: Memory):
    for since, until in ((10, 20), (110, 120), (250, 260)):
        assert "Likes jazz" in [
            memory.content for memory in moved.recall("jazz", valid_during=(day(since), day(until)))
        ]


def test_it_agrees_with_as_of_on_a_single_moment(moved: Memory):
    for number in (5, 99, 101, 199, 201, 299):
        then = {memory.content for memory in moved.recall(valid_during=(day(number), day(number)))}
        assert then == {memory.content for memory in moved.recall(as_of=day(number))}


def test_with_known_at_it_asks_what_was_known_then_of_that_while(moved: Memory):
    found = moved.recall("where do I live?", valid_during=(day(50), day(250)), known_at=day(150))
    assert {memory.content for memory in found if "Lives" in memory.content} == {"Lives in Rome", "Lives in Oslo"}


@pytest.mark.parametrize("wrong", [(20, 10), (10,), 10, ("soon", "later")])
def test_a_while_that_is_none_is_refused(moved: Memory, wrong: object):
    given = tuple(day(one) if isinstance(one, int) else one for one in wrong) if isinstance(wrong, tuple) else wrong
    with pytest.raises(ConfigurationError, match="valid_during"):
        moved.recall("where do I live?", valid_during=given)
