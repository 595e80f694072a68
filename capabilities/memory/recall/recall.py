"""Recall: with a cue by the one ranker over everything that is stored, without one by each tier's own formula."""

from collections.abc import Sequence
from datetime import datetime

from capabilities.claims import asks_for_profile
from capabilities.formulas.prompt_budget import pack
from capabilities.hypothesis import NONE, Hypothesis
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.record.meanwhile import drawn
from fabric.text.terms import read_cue

from ..layout import MemoryLayout
from ..people.oneself import whom
from ..refiled import refile_own_rows
from .prior import distinct, prior_memories, tagged_turns
from .profile import profile
from .ranked import TIERS, RankedMemory, Tier
from .ranked import explain as explained
from .request import LIMIT, RecallRequest
from .search import search

__all__ = ["LIMIT", "RankedMemory", "RecallRequest", "Tier", "asks", "recall", "recall_request"]


async def recall(
    ctx: Context,
    layout: MemoryLayout,
    cue: str | None = None,
    *,
    limit: int | None = None,
    tokens: int | None = None,
    tiers: Sequence[Tier] = TIERS,
    subject: str | None = None,
    category: str | None = None,
    tags: Sequence[str] = (),
    session: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    valid_during: tuple[datetime, datetime] | None = None,
    explain: bool = False,
    hypothesis: str | Hypothesis = NONE,
) -> list[RankedMemory]:
    """Return what is remembered, most relevant first, each thing once; see `RecallRequest` for the options.

    With a cue, at most ``limit`` results (10) of all that is stored: turns, facts, episodes, entries, traces, and what
    agents keep in mind. Without one, or with one that holds no word at all, everything in the facts, working memory
    and episodes, and of what stands beside them that for which ``tiers`` asks. ``explain=True`` also prints why each
    stands above the next. ConfigurationError for an option that cannot work.
    """
    options = {
        "cue": cue,
        "limit": limit,
        "tokens": tokens,
        "tiers": tiers,
        "subject": subject,
        "category": category,
        "tags": tuple(tags),
        "session": session,
        "since": since,
        "until": until,
        "as_of": as_of,
        "known_at": known_at,
        "valid_during": valid_during,
        "explain": explain,
        "hypothesis": hypothesis,
    }
    return await recall_request(ctx, layout, RecallRequest.of(options))


async def recall_request(ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[RankedMemory]:
    """Return what the request asks for."""
    if request.subject is not None:
        asked = request.subject
        request = request.about(await ctx.transact(lambda tx: whom(tx, ctx, layout, asked)))
    if request.cue is None or not asks(request.cue):
        found = await _without_cue(ctx, layout, request)
    else:
        found = await profile(ctx, layout, request) if asks_for_profile(request.cue) else []
        found = found or await search(ctx, layout, request)
    if request.tokens is not None:
        found = found[: len(pack((f"{memory.content}{memory.note}" for memory in found), request.tokens))]
    if request.explain:
        print(explained(found))  # noqa: T201  this is what was asked for
    return drawn(found)


async def _without_cue(ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[RankedMemory]:
    def work(tx: Transaction) -> list[RankedMemory]:
        refile_own_rows(tx, layout)
        has_tags = tagged_turns(tx, layout, request)
        found = prior_memories(tx, ctx, layout, request)
        return [memory for memory in found if request.fits(memory, has_tags)]

    ranked = distinct(await ctx.transact(work))
    ranked.sort(key=lambda memory: -memory.relevance)
    return ranked[: request.limit]


def asks(cue: str) -> bool:
    """Return whether the cue holds anything to look for: a word, a number, a picture.

    >>> asks("?!"), asks("🍕"), asks("where")
    (False, True, True)
    """
    return bool(read_cue(cue).words)
