"""Steps that start background work and wait for it."""

from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..wiring import Flow
from .step import Single, Step


class Work(Single):
    """A block that runs in the background, while the value goes on; what the block is given is made now."""

    __slots__ = ()
    kind = "work"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the value."""
        block = self.body.block
        given = value if self.body.connector is None else await self.body.connector(value, ctx)
        inner = ctx.child(block)
        connected, in_transaction = await block.connect(given, inner), None
        if block.keeper is not None:
            connected, in_transaction = await block.keeper(connected)
        ticket = ctx.run.enqueue([*ctx.blocks, block], connected, ctx.marks, block.name, in_transaction)
        ctx.doing().tickets.append(ticket)
        for trial in ctx.retried():
            trial.jobs.append(ticket)
        return value

    def flow(self, given: Flow) -> Flow:
        """Return what came."""
        self.body.flow(given)
        return given


@dataclass(frozen=True, eq=False, slots=True)
class WaitForWork(Step):
    """The end of the background work that this run of the sequencer started."""

    fail_on_error: bool
    timeout: float | None
    kind = "wait_for_work"

    async def run(self, value: Any, ctx: Context) -> Any:
        """Return the value when all is done."""
        tickets = ctx.doing().tickets
        if tickets:
            await ctx.run.wait_for_work(tuple(tickets), fail_on_error=self.fail_on_error, timeout=self.timeout)
        return value
