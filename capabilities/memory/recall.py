"""Recall: with a cue by the one ranker over everything that is stored, without one by each tier's own formula."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError

from fabric.context import Context
from fabric.errors import ConfigurationError
from fabric.resource import Transaction
from fabric.terms import read_cue

from .layout import MemoryLayout
from .ranked import TIERS, RankedMemory, Tier, explain
from .request import LIMIT, RecallRequest
from .search import search
from .standing import distinct, standing_memories

__all__ = ["LIMIT", "RankedMemory", "RecallRequest", "Tier", "asks", "explain", "recall", "recall_request"]


async def recall(
    ctx: Context,
    layout: MemoryLayout,
    cue: str | None = None,
    *,
    limit: int | None = None,
    tiers: Sequence[Tier] = TIERS,
    subject: str | None = None,
    category: str | None = None,
    session: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> list[RankedMemory]:
    """Return what is remembered, most relevant first, each thing once; see `RecallRequest` for the options.

    With a cue, at most ``limit`` results (10); without one, or with one that holds no word at all, everything in the
    facts, working memory and episodes. ConfigurationError for an option that cannot work.
    """
    try:
        request = RecallRequest(
            cue=cue,
            limit=limit,
            tiers=tuple(tiers),
            subject=subject,
            category=category,
            session=session,
            since=since,
            until=until,
            as_of=as_of,
            known_at=known_at,
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigurationError(f"recall: {place} is {first['input']!r}: {first['msg']}") from error
    return await recall_request(ctx, layout, request)


async def recall_request(ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[RankedMemory]:
    """Return what the request asks for."""
    if request.cue is not None and asks(request.cue):
        return await search(ctx, layout, request)

    def work(tx: Transaction) -> list[RankedMemory]:
        return standing_memories(tx, ctx, layout, request.as_of, request.known_at)

    ranked = distinct(one for one in await ctx.transact(work) if _is_wanted(one, request))
    ranked.sort(key=lambda one: -one.relevance)
    return ranked[: request.limit]


def asks(cue: str) -> bool:
    """Return whether the cue holds anything to look for: a word, a number, a picture.

    >>> asks("?!"), asks("🍕"), asks("where")
    (False, True, True)
    """
    return bool(read_cue(cue).words)


def _is_wanted(one: RankedMemory, request: RecallRequest) -> bool:
    said = [source for source in one.sources if request.session in (None, source.session)]
    timed = request.since is not None or request.until is not None
    return (
        one.source in request.tiers
        and request.subject in (None, one.subject)
        and request.category in (None, one.category)
        and (request.session is None or bool(said))
        and (not timed or any(request.said_in_time(source.said_at) for source in said))
    )
