"""Context for a cue: the best evidence that fits into a number of tokens, as text for a prompt."""

from fabric.context import Context
from fabric.errors import ConfigurationError
from fabric.terms import plain_terms, read_cue

from .layout import MemoryLayout
from .ranked import RankedMemory
from .recall import RecallRequest, recall_request

TOKENS = 2_000
"""How many tokens of evidence a context has at most unless it is said."""
MOST_RESULTS = 400
CHARS_A_RESULT = 40
"""How many results are looked at: one for so many characters of the budget, at most `MOST_RESULTS`."""


async def evidence(ctx: Context, layout: MemoryLayout, cue: str, tokens: int = TOKENS) -> str:
    """Return the best evidence for ``cue`` in at most ``tokens`` tokens, estimated at 4 characters each.

    Each thing once, in order of time, a session's under its date; a long turn is cut to the part that the cue asks for.
    "" when nothing is stored. The same memory and cue give the same bytes. ConfigurationError for fewer than 1 token.
    """
    from ..retrieval.packing import Passage, pack  # noqa: PLC0415

    if tokens < 1:
        raise ConfigurationError(f"context: tokens is {tokens}; expected at least 1")
    limit = min(MOST_RESULTS, 10 + tokens * 4 // CHARS_A_RESULT)
    found = await recall_request(ctx, layout, RecallRequest(cue=cue, limit=limit))
    now = ctx.clock.now()
    passages = [
        Passage(
            text=one.content,
            session=_session(one),
            said_at=one.said_at or (one.sources[-1].said_at if one.sources else now),
            order=one.turn or place,
            speaker=one.speaker or one.role,
        )
        for place, one in enumerate(found)
    ]
    asked = frozenset(term for word in read_cue(cue).words for term in word.terms)
    return pack(passages, tokens, lambda text: frozenset(plain_terms(text)), asked)


def _session(one: RankedMemory) -> str:
    return one.session or (one.sources[-1].session if one.sources else "")
