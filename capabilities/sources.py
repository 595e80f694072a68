"""Where a memory came from: the turn that was said, and what became of it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from fabric.errors import RefusedError
from fabric.flow.context import Context
from fabric.store.base import Row
from fabric.text.terms import terms

from .vocabulary import Moment

Status = Literal["stored", "merged", "superseded", "skipped", "deferred", "failed"]
TierName = Literal["turn", "working", "episodic", "semantic", ""]


class Source(BaseModel):
    """One captured turn: which session and turn, and the id of its kept text."""

    model_config = ConfigDict(frozen=True)

    turn_id: str
    session: str
    turn: int
    user: str | None = None
    """Who spoke, where the memory is shared by several users."""
    said_at: Moment
    counts_as: Moment | None = None
    """When it counts as said among others, where the clock was behind what was said before: `fabric.record.order`."""

    @property
    def ordered(self) -> Moment:
        """What tells whether it was said before or after another turn."""
        return self.counts_as or self.said_at


def source_of(ctx: Context) -> Source | None:
    """Return the user's message that a context's run is about, None where it is about none, as a tool called alone."""
    message = ctx.run.said
    if message is None:
        return None
    return Source(
        turn_id=message.id,
        session=ctx.session,
        turn=message.turn,
        user=ctx.user,
        said_at=message.created_at,
        counts_as=message.counts_as,
    )


def source_here(ctx: Context) -> Source:
    """Return the same, or the session at this time where there is none: whoever calls a tool alone is a source, too."""
    return source_of(ctx) or session_source(ctx)


def session_source(ctx: Context) -> Source:
    """Return a context's session at this time as the source of what is of no turn."""
    return Source(turn_id="", session=ctx.session, turn=ctx.turn, user=ctx.user, said_at=ctx.clock.now())


def is_forgotten(source: Source | None, ctx: Context) -> bool:
    """Return whether a turn of a context's session was forgotten since its run began, as while a model was asked.

    What comes from no message, as from a step called alone, is of the run's own turn.
    """
    turn = ctx.turn if source is None else source.turn
    return (source is None or source.session == ctx.session) and ctx.run.recording.is_erased(turn)


def check_kept(source: Source | None, ctx: Context) -> None:
    """Raise RefusedError where `is_forgotten`: in the transaction that would keep something of the turn."""
    if is_forgotten(source, ctx):
        raise RefusedError("the turn that it is from was forgotten meanwhile", do="Keep nothing of it.")


class Outcome(BaseModel):
    """What became of one thing that was offered to the memory. Nothing is dropped without one.

    ``status``: ``stored`` new; ``merged`` into what was known (repeated or refined); ``superseded`` an older one, named
    by ``replaced``; ``skipped`` and ``failed`` for ``reason``; ``deferred`` until a model or a budget is free.
    ``redacted`` says which kinds of secrets were taken out, and where in what was offered: "github_token at 12-52".
    """

    model_config = ConfigDict(frozen=True)

    status: Status
    tier: TierName = ""
    id: str = ""
    content: str = ""
    replaced: str = ""
    reason: str = ""
    redacted: tuple[str, ...] = ()


def content_terms(row: Row) -> list[str]:
    """Return what a stored memory is found by: the terms of its content."""
    return terms(str(row["content"]))


def unite(one: list[Source], other: list[Source]) -> list[Source]:
    """Return both lists as one, each turn once, in order; what came from no turn is told by its session."""
    seen = {source.turn_id or source.session for source in one}
    return [*one, *(source for source in other if (source.turn_id or source.session) not in seen)]
