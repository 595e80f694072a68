"""What is said later counts as said later, whatever the clock says; what has a time of its own keeps it."""

from datetime import UTC, datetime, timedelta

from fabric.record.order import STEP, Order
from fabric.testing import FrozenClock

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class SetClock(FrozenClock):
    """A clock that tells when something was said, as that of a replay does."""

    is_set = True


def test_what_is_said_behind_a_clock_that_was_set_back_counts_in_the_order_of_saying():
    order, clock = Order(), FrozenClock()
    times = [timedelta(0), timedelta(0), timedelta(milliseconds=-5), timedelta(hours=-3), timedelta(hours=-2)]
    assert [order.counts_as(NOON + time, clock) for time in times] == [None, None, None, NOON + STEP, NOON + 2 * STEP]
    assert order.counts_as(NOON - timedelta(milliseconds=5), clock) == NOON + 3 * STEP  # it has not caught up yet
    assert order.counts_as(NOON + timedelta(hours=1), clock) is None
    order.learn([NOON, NOON + timedelta(hours=4)])
    assert order.counts_as(NOON + timedelta(hours=2), clock) == NOON + timedelta(hours=4) + STEP


def test_what_is_replayed_with_its_own_time_neither_moves_nor_is_moved():
    order = Order()
    assert order.counts_as(NOON, SetClock()) is None
    assert order.counts_as(NOON - timedelta(days=9), FrozenClock()) is None
    assert order.counts_as(NOON - timedelta(days=20), SetClock()) is None
    assert order.counts_as(NOON - timedelta(days=8), FrozenClock()) is None
