"""Context for a cue: the best evidence that fits into a number of tokens, as text for a prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from fabric.errors import ConfigurationError
from fabric.flow.context import Context
from fabric.lazy import lazy
from fabric.text.prompt import data_block
from fabric.text.terms import plain_terms, read_cue
from fabric.text.words import estimate_tokens
from fabric.validation import shown

from ..hypothesis import NONE, Hypothesis
from ..vocabulary import about
from .layout import MemoryLayout
from .recall.ranked import RankedMemory
from .recall.recall import RecallRequest, recall_request
from .recall.request import MOST_RESULTS

if TYPE_CHECKING:
    from ..retrieval import packing
    from ..retrieval.packing import Passage
else:
    packing = lazy("..retrieval.packing", __package__)

TOKENS = 2_000
"""How many tokens of evidence a context has at most unless it is said."""
SPARE = 20
CHARS_A_RESULT = 100
"""How many results are looked at first: one for so many characters of the budget, and some to spare."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The text for a prompt, and how relevant to the cue the best of what was found is, 0 to 1."""

    text: str
    relevance: float


async def evidence(
    ctx: Context, layout: MemoryLayout, cue: str | None, tokens: int = TOKENS, hypothesis: Hypothesis = NONE
) -> Evidence:
    """Return the best evidence for ``cue`` as an escaped block of background data, "" when nothing is stored.

    The block takes at most ``tokens`` tokens, its tags and notice included, estimated at 4 characters each; "" also
    where that is too little for any. Each thing once, in order of time, a session's under its date; a long turn is cut
    to the part that the cue asks for. The same memory and cue give the same bytes. ``hypothesis`` is an answer as it
    might be, whose meaning is looked for, too. ConfigurationError for fewer than 1 token and for a cue that is no text.
    """
    if not isinstance(cue, str):
        raise ConfigurationError(f"context: cue is {shown(cue)}; expected a text, such as the user's message")
    if not isinstance(tokens, int) or tokens < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(f"context: tokens is {shown(tokens)}; expected a number, at least 1")
    asked = frozenset(term for word in read_cue(cue).words for term in word.terms)
    now = ctx.clock.now()
    room = max(0, tokens - estimate_tokens(data_block(layout.title, ".")))
    most = min(MOST_RESULTS, SPARE + tokens * 4 // CHARS_A_RESULT)
    while True:
        found = await recall_request(ctx, layout, RecallRequest(cue=cue, limit=most, hypothesis=hypothesis))
        chosen = packing.choose(_passages(found, now), room, lambda text: frozenset(plain_terms(text)), asked)
        if chosen.is_full or len(found) < most or most == MOST_RESULTS:
            relevance = max((result.relevance for result in found), default=0.0)
            return Evidence(_fitting(chosen.lines, tokens, layout.title), relevance)
        most = min(MOST_RESULTS, 2 * most)


def _fitting(lines: "Sequence[tuple[Passage, str]]", tokens: int, title: str) -> str:
    """Return the finished block of as many lines as it has room for; what stands for a bracket takes more than it."""
    for count in range(len(lines), 0, -1):
        block = data_block(title, packing.written(lines[:count]))
        if estimate_tokens(block) <= tokens:
            return block
    return ""


def _passages(found: Sequence[RankedMemory], now: datetime) -> "list[Passage]":

    return [
        packing.Passage(
            text=turn.content if turn.source == "turn" else about(turn.subject, turn.content),
            session=turn.session or (turn.sources[-1].session if turn.sources else ""),
            said_at=turn.said_at or (turn.sources[-1].said_at if turn.sources else now),
            order=turn.turn or place,
            speaker=turn.said_by,
            note=turn.note,
            nearest=turn.nearest,
        )
        for place, turn in enumerate(found)
    ]
