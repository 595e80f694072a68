"""Recall with a cue: turns, facts, episodes and entries through one ranker, each thing once.

It takes steps, so that those who write need not wait while rows are ranked: a short transaction takes what the indexes
hold, the rows are ranked on a thread of the caller's, a second transaction reads the best of them as far as they still
say what they said, and that thread judges what was read. Where there are few rows, one transaction does it all.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from capabilities.hypothesis import embed_question
from capabilities.meaning import Embedded
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.lazy import lazy
from fabric.threads.portal import elsewhere

from ..contested import with_contested
from ..layout import MemoryLayout
from ..refiled import refile_own_rows
from .ranked import RankedMemory
from .request import RecallRequest
from .snapshot import Snapshot, speakers_of, take_snapshot

if TYPE_CHECKING:
    from capabilities.retrieval import question as questions
    from capabilities.retrieval.question import Question

    from .. import missing_vectors, outdated_turns, unclaimed
    from . import judging, row_reading
else:
    judging = lazy(".judging", __package__)
    missing_vectors = lazy("..missing_vectors", __package__)
    outdated_turns = lazy("..outdated_turns", __package__)
    questions = lazy("capabilities.retrieval.question")
    row_reading = lazy(".row_reading", __package__)
    unclaimed = lazy("..unclaimed", __package__)

T = TypeVar("T")
FEW_ROWS = 2_000
"""Up to so many rows are ranked inside the first transaction: handing them to another thread would take as long."""
APART = 3
"""How often it is tried to rank apart from the store; an index that is made anew between two steps spoils it."""


class _Transact(Protocol):
    def __call__(self, work: Callable[[Transaction], T], /) -> T: ...


async def search(ctx: Context, layout: MemoryLayout, request: RecallRequest) -> list[RankedMemory]:
    """Return what fits the request's cue best, best first."""
    cue, scope = request.cue or "", ctx.ids.scope(layout.turns.scope)
    speakers = layout.meaning.speakers
    late: list[missing_vectors.RowsWithoutVectors] = []
    tries = 0
    while True:
        first, tries = not late, tries + 1
        question = questions.read_question(cue, speakers.get(scope, ()))
        embedded = await embed_question(layout.meaning, question.meaning, request.hypothesis)
        asked = questions.with_vectors(question, embedded, layout.meaning)

        def look_once(
            tx: Transaction,
            asked: "Question" = asked,
            embedded: Embedded = embedded,
            first: bool = first,
            most: float = FEW_ROWS if tries <= APART else float("inf"),
        ) -> Snapshot | list[RankedMemory] | None:
            speakers[scope] = speakers_of(tx, layout)
            if first:
                unclaimed.claim_old_rows(tx, layout)
                refile_own_rows(tx, layout)
                late.extend(missing_vectors.rows_without_vectors(tx, layout, embedded.space))
            if (first and late) or questions.named_speakers(cue, speakers[scope]) != asked.speakers:
                return None
            snapshot = take_snapshot(tx, ctx, layout, request, asked, embedded)
            if snapshot.candidates.rows > most:
                return snapshot
            return _found(lambda work: work(tx), ctx, layout, request, snapshot) if snapshot.candidates.rows else []

        taken = await ctx.transact(look_once)
        found = await _apart(ctx, layout, request, taken) if isinstance(taken, Snapshot) else taken
        if found is not None:
            return found
        if first and late:
            await missing_vectors.embed_missing(ctx, layout, late)


async def _apart(
    ctx: Context, layout: MemoryLayout, request: RecallRequest, snapshot: Snapshot
) -> list[RankedMemory] | None:
    return await elsewhere(lambda: _found(ctx.transact_sync, ctx, layout, request, snapshot))


def _found(
    transact: _Transact, ctx: Context, layout: MemoryLayout, request: RecallRequest, snapshot: Snapshot
) -> list[RankedMemory] | None:
    """Return what is shown of a snapshot; None where an index was made anew since, so that its numbers mean nothing."""
    ranking = snapshot.ranked(ctx.clock.now())
    read = transact(lambda tx: row_reading.read_rows(tx, ctx, layout, request, snapshot, ranking))
    if read is None:
        return None
    shown = judging.judged(request, snapshot, ranking, read)

    def noted(tx: Transaction) -> list[RankedMemory]:
        found = outdated_turns.marked(tx, layout, ctx.clock, shown)
        return found if request.is_past else with_contested(tx, layout, found)

    return transact(noted) if read.are_facts else shown
