"""Budgets: what is left, when it is free again, and a new day."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fabric.errors import BudgetExceededError
from fabric.models.base import Usage
from fabric.models.budget import Budget, DaySpend, add, check, spent_today

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)
SPENT = Usage(input_tokens=600, output_tokens=400, cost=0.5, calls=3)


@pytest.mark.parametrize(
    ("budget", "name"),
    [
        (Budget(day_cost=0.5), "day_cost"),
        (Budget(day_tokens=1000), "day_tokens"),
        (Budget(run_cost=0.5), "run_cost"),
        (Budget(run_tokens=1000), "run_tokens"),
    ],
)
def test_a_limit_that_is_reached_stops_the_next_call_and_is_named(budget: Budget, name: str):
    with pytest.raises(BudgetExceededError, match=name) as caught:
        check(budget, SPENT, SPENT, NOON)
    assert caught.value.until == (datetime(2026, 4, 1, tzinfo=UTC) if name.startswith("day") else None)


def test_a_little_less_than_the_limit_is_free():
    budget = Budget(day_cost=0.51, day_tokens=1001, run_cost=0.51, run_tokens=1001)
    check(budget, SPENT, SPENT, NOON)
    check(Budget(), SPENT, SPENT, NOON)


def test_a_budget_of_nothing_allows_nothing():
    with pytest.raises(BudgetExceededError):
        check(Budget(day_cost=0), Usage(), Usage(), NOON)


def test_the_day_is_the_utc_day_wherever_the_clock_hangs():
    kolkata = timezone(timedelta(hours=5, minutes=30))
    spend = add(DaySpend(), SPENT, datetime(2026, 4, 1, 4, 0, tzinfo=kolkata))  # 22:30 of the day before
    assert spend.day.isoformat() == "2026-03-31"
    with pytest.raises(BudgetExceededError) as caught:
        check(Budget(day_cost=0.1), Usage(), spend.usage, datetime(2026, 4, 1, 4, 0, tzinfo=kolkata))
    assert caught.value.until == datetime(2026, 4, 1, tzinfo=UTC)


def test_a_new_day_starts_from_nothing():
    spend = add(add(DaySpend(), SPENT, NOON), SPENT, NOON)
    assert spent_today(spend, NOON) == SPENT + SPENT
    assert spent_today(spend, NOON + timedelta(days=1)) == Usage()
    assert add(spend, SPENT, NOON + timedelta(days=1)).usage == SPENT


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf")])
def test_a_limit_that_cannot_work_is_refused(limit: float):
    with pytest.raises(ValidationError):
        Budget(day_cost=limit)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1000)), max_size=20))
def test_a_day_holds_what_was_added_on_it(events: list[tuple[int, int]]):
    spend = DaySpend()
    for day, tokens in sorted(events):
        spend = add(spend, Usage(input_tokens=tokens, calls=1), NOON + timedelta(days=day))
    last = max((day for day, _ in events), default=0)
    expected = sum(tokens for day, tokens in events if day == last)
    assert spent_today(spend, NOON + timedelta(days=last)).input_tokens == expected
    assert DaySpend.model_validate_json(spend.model_dump_json()) == spend
