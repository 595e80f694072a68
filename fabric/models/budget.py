"""What calls may cost, per run and per day: pure accounting, so that whoever keeps the sums decides where."""

from datetime import UTC, date, datetime, timedelta

from pydantic import BaseModel, ConfigDict, Field

from ..clock import utc
from ..errors import BudgetExceededError
from .base import Usage


class Budget(BaseModel):
    """Limits on what one run and one UTC day of a scope may use; None is no limit.

    Costs are US dollars, tokens are input and output together. A limit is checked before a call, so the last call may
    go over it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    run_tokens: int | None = Field(default=None, ge=0)
    day_cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    day_tokens: int | None = Field(default=None, ge=0)


class DaySpend(BaseModel):
    """What a scope used on one UTC day."""

    model_config = ConfigDict(frozen=True)

    day: date = date.min
    usage: Usage = Usage()


def add(spend: DaySpend, usage: Usage, now: datetime) -> DaySpend:
    """Return ``spend`` with ``usage`` on the day of ``now``; a new day starts from nothing.

    >>> noon = datetime(2026, 1, 2, 12, tzinfo=UTC)
    >>> add(DaySpend(), Usage(input_tokens=5, calls=1), noon).usage.input_tokens
    5
    """
    return DaySpend(day=_day(now), usage=spent_today(spend, now) + usage)


def spent_today(spend: DaySpend, now: datetime) -> Usage:
    """Return what was used on the UTC day of ``now``."""
    return spend.usage if spend.day == _day(now) else Usage()


def check(budget: Budget, run_usage: Usage, day_usage: Usage, now: datetime) -> None:
    """Raise BudgetExceededError when a limit is reached; ``until`` is the next UTC midnight for a limit per day.

    ``day_usage`` includes ``run_usage``, as ``spent_today`` returns it. A day's limit is reported before a run's.

    >>> check(Budget(day_cost=1.0), Usage(), Usage(cost=0.9), datetime(2026, 1, 2, tzinfo=UTC))
    """
    _check_one("day", "cost", budget.day_cost, day_usage.cost, _next_midnight(now))
    _check_one("day", "tokens", budget.day_tokens, _tokens(day_usage), _next_midnight(now))
    _check_one("run", "cost", budget.run_cost, run_usage.cost, None)
    _check_one("run", "tokens", budget.run_tokens, _tokens(run_usage), None)


def _check_one(period: str, kind: str, limit: float | None, used: float, until: datetime | None) -> None:
    if limit is None or used < limit:
        return
    unit = (f"${used:.4f}", f"${limit:.4f}") if kind == "cost" else (f"{used:,} tokens", f"{limit:,}")
    remedy = f"it is free again at {until.isoformat()}" if until else "start a new run"
    raise BudgetExceededError(
        f"the budget per {period} is used up: {unit[0]} of {unit[1]}; {remedy}, or raise {period}_{kind}", until=until
    )


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _day(now: datetime) -> date:
    return utc(now).date()


def _next_midnight(now: datetime) -> datetime:
    return datetime.combine(_day(now) + timedelta(days=1), datetime.min.time(), tzinfo=UTC)
