"""Another session of the same user: what a block does there is that session's, as when it sees to an older one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from ..flow.context import Context
from ..flow.run import Run


@asynccontextmanager
async def other_session(ctx: Context, session: str) -> AsyncGenerator[Context]:
    """Give a context of the same blocks in another session of the user, with its items and resources.

    It belongs to the run of ``ctx``, which it costs, and whose background work it is where that is some.
    """
    services, ids = ctx.run.services, replace(ctx.ids, session=session)
    log = await services.logs.load(ids.scope("session"))
    run = Run(services, ids, log, None, turn=log.turns, owner=ctx.run.owner, job_id=ctx.run.job_id)
    try:
        yield Context(run, None, ctx)
    finally:
        run.end()
        ctx.run.usage += run.usage
        ctx.run.calls += run.calls
