"""A consolidation from beginning to end: one at a time per owner, with a model's part between two transactions."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from capabilities.meaning import Meaning
from fabric.flow.context import Context
from fabric.flow.resource import Transaction

from ..record import Trace
from ..table import TraceTable
from ..tables import View
from .asking import answered, milliseconds
from .one_at_a_time import reserved
from .steps import Cluster, Counts, Prune, Steps

Derive = Callable[[Sequence[Trace]], Awaitable[str]]
"""What draws one insight, or one schema, from a cluster of traces; ModelError when it cannot."""


class Reflection(BaseModel):
    """What a consolidation did, over all owners together; all zeros when another one was under way."""

    model_config = ConfigDict(frozen=True)

    pruned: int = 0
    merged: int = 0
    derived: int = 0
    compacted: int = 0
    duration_ms: int = 0
    strengthened: int = 0
    """Ties that were made or became stronger."""
    failed: tuple[str, ...] = ()
    """Clusters that gave no insight, and why."""


@dataclass(frozen=True, slots=True)
class Consolidation:
    """One run of the six steps over the traces that a session sees, owner by owner.

    ``table`` opens the traces in a transaction; without ``derive`` no insight is drawn; ``prune`` is another way to.
    """

    ctx: Context
    table: Callable[[Transaction], TraceTable]
    meaning: Meaning
    derive: Derive | None
    prune: Prune | None = None

    async def run(self) -> Reflection:
        """Prune, merge, strengthen, derive, compact, re-index; owners that another run is busy with are left to it."""
        begun, run_id = self.ctx.clock.now(), self.ctx.clock.new_id("reflection")
        with reserved(self.ctx) as mine:
            done = [await self._owner(view, run_id, begun) for view in mine]
            spent = milliseconds(begun, self.ctx.clock.now()) if mine else 0
        counted = ("pruned", "merged", "derived", "compacted", "strengthened")
        counts = {name: sum(getattr(run, name) for run in done) for name in counted}
        failed = tuple(reason for run in done for reason in run.failed)
        return Reflection(**counts, duration_ms=spent, failed=failed)

    async def _owner(self, view: View, run_id: str, begun: datetime) -> Counts:
        counts = Counts()

        def before(tx: Transaction) -> tuple[list[Cluster], list[Trace]]:
            steps = Steps(self.table(tx), view, counts)
            steps.prune(self.prune)
            steps.merge()
            steps.strengthen()
            return steps.clusters() if self.derive is not None else [], steps.unindexed()

        clusters, bare = await self.ctx.transact(before)
        insights = [(cluster, text) for cluster in clusters if (text := await self._insight(cluster, counts))]
        texts = [text for _, text in insights]
        embedded = await self.meaning.embed([*texts, *(trace.content for trace in bare)])

        def after(tx: Transaction) -> None:
            tx.embedded = embedded.by_text([*texts, *(trace.content for trace in bare)])
            steps = Steps(self.table(tx), view, counts)
            for cluster, text in insights:
                steps.derive(cluster, text)
            steps.compact()
            steps.reindex(bare)
            duration = milliseconds(begun, self.ctx.clock.now())
            tx.put(view.tables.log, [counts.run(steps.table, run_id, duration)])

        await self.ctx.transact(after)
        return counts

    async def _insight(self, cluster: Cluster, counts: Counts) -> str:
        """Return what a model draws from a cluster; "" when it fails, which is told."""
        assert self.derive is not None  # noqa: S101  there are clusters only with a model
        text, reason = await answered(self.ctx, self.derive(cluster.traces), "insight", len(cluster.traces))
        if reason:
            counts.fail(cluster.traces, reason)
        return text
