"""What every memory of traces does with one by its id: get it, and give back what it said before it became less."""

from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.record.meanwhile import drawn

from ..arguments import checks_arguments
from ..sources import source_here
from .archive import rehydrate
from .record import Trace, TracesConfig
from .table import TraceTable


class TraceReader:
    """The traces that one context may use. Their scopes come from the session, never from an argument."""

    def __init__(self, ctx: Context, limits: TracesConfig) -> None:
        self._ctx = ctx
        self._limits = limits
        self._source = source_here(ctx)

    @checks_arguments
    async def get(self, trace_id: str) -> Trace | None:
        """Return a trace of this id that the context may see, deleted ones too, for provenance; None without one."""
        held = await self._ctx.transact(lambda tx: self._table(tx).find(trace_id))
        return None if held is None else drawn(held.trace)

    @checks_arguments
    async def rehydrate(self, trace_id: str) -> str | None:
        """Return what a trace said, word for word, before less was made of it; None where nothing is archived.

        The access is noted, the trace stays as it is. A text that is not what was archived is None, too.
        """
        return await self._ctx.transact(lambda tx: rehydrate(tx, trace_id, self._ctx.clock, self._ctx.path))

    def _table(self, tx: Transaction, space: str = "") -> TraceTable:
        return TraceTable(tx, self._ctx.clock, self._limits, space, self._ctx.path, self._source)
