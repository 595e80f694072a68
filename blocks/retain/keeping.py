"""Keeping a session: what of it is not in the bank yet goes there, in one transaction with the note of how far."""

from collections.abc import Callable

from capabilities.retain.backend import Backend
from capabilities.retain.config import AutoConfig
from capabilities.retain.transcript import Span, Window, said_in_session, transcript_of
from fabric.errors import ConfigurationError, RunError
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.workers.other_session import other_session

from .state import (
    begin,
    drop_unkept,
    has_begun,
    note_unkept,
    put_retained_through,
    retained_through,
    unkept_elsewhere,
    unkept_turns,
)

Current = Callable[[], Backend | None]
"""Gives the backend in use now, None where retain is off; asked at each call, since it may change between runs."""
Settings = Callable[[], AutoConfig]
"""Gives the options in use now."""
OFF = "retain is off: set backend to 'local' or 'hindsight'"


def in_use(current: Current, ctx: Context) -> Backend:
    """Return the backend in use; ConfigurationError where retain is off."""
    backend = current()
    if backend is None:
        raise ConfigurationError(f"{ctx.path}: {OFF}")
    return backend


class _MovedError(RunError):
    """Somebody else has kept turns of this session meanwhile."""


async def keep_session(
    ctx: Context, backend: Backend, settings: AutoConfig, through: int, *, least: int = 1, known: int = 0
) -> int:
    """Keep the session up to one of the user's turns, if at least so many are not; return how many were kept.

    What remains of its ``known`` turns is noted, for the user's next session to keep. Called twice, also side by side
    or by the next process, it keeps each turn once.
    """

    def look(tx: Transaction) -> int:
        note_unkept(tx, backend, max(known, through))
        return retained_through(tx, backend)

    while through - (kept := await ctx.transact(look)) >= least:
        every, overlap = settings.retain_every_n_turns, settings.retain_overlap_turns
        window = Window(_span(backend, settings), kept, through, every, overlap)
        transcript = transcript_of(said_in_session(ctx.items), window, ctx.ids)
        if transcript is None:
            if least == 1:  # too little was said, or it is forgotten: nobody need look at it again
                await ctx.transact(lambda tx: drop_unkept(tx, backend, through))
            return 0

        def mark_kept(tx: Transaction, kept: int = kept) -> None:
            if retained_through(tx, backend) != kept:
                raise _MovedError("these turns were kept meanwhile")
            put_retained_through(tx, backend, through)
            note_unkept(tx, backend, max(known, through))

        try:
            done = await backend.keep(ctx, transcript, mark_kept)
        except _MovedError:
            continue
        for failure in done.failed:
            ctx.log.warning("a conversation was not kept", through=through, reason=failure.reason)
        return 0 if done.failed else through - kept
    return 0


async def keep_rest(ctx: Context, backend: Backend, settings: AutoConfig, session: str) -> int:
    """Keep what is noted as not kept of one of the user's sessions, whichever turn ``ctx`` is of; return the number."""
    async with other_session(ctx, session) as theirs:
        through = await theirs.transact(lambda tx: unkept_turns(tx, backend))
        return await keep_session(theirs, backend, settings, through)


async def keep_earlier(ctx: Context, backend: Backend, settings: AutoConfig) -> int:
    """Keep what the user's other sessions in the bank have not, where this one is new to it; return their number."""

    def look(tx: Transaction) -> list[str]:
        sessions = [] if has_begun(tx, backend) else unkept_elsewhere(tx, backend)
        if not sessions:
            begin(tx, backend)
        return sessions

    count = 0
    if sessions := await ctx.transact(look):
        for session in sessions:
            count += bool(await keep_rest(ctx, backend, settings, session))
        await ctx.transact(lambda tx: begin(tx, backend))
    return count


def _span(backend: Backend, settings: AutoConfig) -> Span:
    """Return which part of a session is kept: in a file each turn once, on a server as its options say."""
    return "suffix" if backend.name == "local" else settings.retain_mode
