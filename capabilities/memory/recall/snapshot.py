"""What a search looks at as it was at one moment, so that it is ranked while others write."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from capabilities.meaning import Embedded
from capabilities.working import WorkingEntry
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.lazy import lazy

from ..layout import MemoryLayout
from .request import RecallRequest

if TYPE_CHECKING:
    from datetime import datetime

    from capabilities.retrieval import rank as ranking
    from capabilities.retrieval.candidates import Candidates
    from capabilities.retrieval.question import Question
    from capabilities.retrieval.rank import Ranking

    from ..people import cue_people, oneself
    from . import eligible
else:
    cue_people = lazy("..people.cue_people", __package__)
    eligible = lazy(".eligible", __package__)
    oneself = lazy("..people.oneself", __package__)
    ranking = lazy("capabilities.retrieval.rank")

MORE = 20
"""How many rows of a tier are looked at beyond the limit, since some say the same."""


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """The rows that may be found, and the question, which knows whom it asks about among them."""

    question: "Question"
    embedded: Embedded
    candidates: "Candidates"
    entries: Mapping[str, WorkingEntry]
    """The entries of working memory, by their ids."""
    limit: int
    """How many rows of each tier are looked at."""

    def ranked(self, now: "datetime") -> "Ranking":
        """Return the rows ranked, best first, at most ``limit`` of each tier; needs no transaction."""
        return ranking.rank(self.question, self.candidates, now, most=self.limit)


def take_snapshot(
    tx: Transaction,
    ctx: Context,
    layout: MemoryLayout,
    request: RecallRequest,
    question: "Question",
    embedded: Embedded,
) -> Snapshot:
    """Return the candidate rows of a request, the working entries, and the question with the people it asks about.

    Rows are views of the index's arrays and not copied.
    """
    wants_entries = "working" in request.tiers and not request.is_past
    noted = oneself.noted_by(ctx, layout, tx.read(layout.working).entries)
    entries = {entry.id: entry for entry in noted} if wants_entries else {}
    candidates = eligible.candidates_of(tx, ctx, layout, request, question, embedded.space, list(entries.values()))
    if candidates.rows:
        question = replace(question, people=cue_people.asked_about(tx, ctx, layout, question, candidates, noted))
    limit = request.most + (MORE if len(candidates.groups) > 1 else 0)
    return Snapshot(question, embedded, candidates, entries, limit)


def speakers_of(tx: Transaction, layout: MemoryLayout) -> frozenset[str]:
    """Return the names of those whose turns are stored."""
    index = tx.index(layout.turns)
    return frozenset() if index is None else frozenset(index.columns["speaker"].names.keys() - {""})
