"""The ledger: what each user spent today, kept in the file, so that a budget holds over runs, jobs and restarts."""

from concurrent.futures import Future
from typing import TYPE_CHECKING

from ..clock import Clock
from ..lazy import lazy
from ..models.base import Usage
from ..scope import Scope, ScopeIds
from ..store.base import Rows, Store
from ..threads.portal import Portal

if TYPE_CHECKING:
    from ..models import budget as budgets
    from ..models.budget import Budget, DaySpend
else:
    budgets = lazy("..models.budget", __package__)

DAY_SPEND = "fabric_day_spend"
"""The key of the document: one per user, or per session without one."""


class Ledger:
    """What was spent, against a budget; without a budget nothing is counted."""

    def __init__(self, budget: "Budget | None", store: Store, clock: Clock, portal: Portal) -> None:
        self._budget = budget
        self._store = store
        self._clock = clock
        self._portal = portal
        self._daily = budget is not None and (budget.day_cost is not None or budget.day_tokens is not None)

    async def check(self, ids: ScopeIds, run_usage: Usage) -> None:
        """Raise BudgetExceededError when the run, or the day of its user, has nothing left for another call."""
        if self._budget is None:
            return

        now = self._clock.now()
        day = run_usage
        if self._daily:
            spent = await self._store.transact(lambda rows: _read(rows, owner(ids)))
            day = budgets.spent_today(spent, now)
        budgets.check(self._budget, run_usage, day, now)

    def spend(self, ids: ScopeIds, usage: Usage) -> "Future[None] | None":
        """Count what a call cost; returns when it is written, or None when nothing is."""
        if not self._daily:
            return None

        now = self._clock.now()

        def write(rows: Rows) -> None:
            rows.write(DAY_SPEND, owner(ids), budgets.add(_read(rows, owner(ids)), usage, now).model_dump(mode="json"))

        return self._portal.submit(self._store.transact(write))


def owner(ids: ScopeIds) -> Scope:
    """Return the scope that a run's cost is counted for: its user, or its session when it has none."""
    return ids.scope("user" if ids.has("user") else "session")


def _read(rows: Rows, scope: Scope) -> "DaySpend":

    value = rows.read(DAY_SPEND, scope)
    return budgets.DaySpend() if value is None else budgets.DaySpend.model_validate(value)
