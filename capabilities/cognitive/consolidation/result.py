"""What a consolidation did, and why: the result of a cycle, and the line of the log that it leaves per owner."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from capabilities.traces.tables import Owner, View, by_owner
from capabilities.vocabulary import Moment
from fabric.flow.resource import Collection, Resource, Transaction

Step = Literal["prune", "replay", "schema", "conflict", "reinforce", "gist", "doubt", "regulate", "archive"]
MOST_TOLD = 50
"""How many changes of each step the log names."""


class Change(BaseModel):
    """One thing that a consolidation did to a trace, and why."""

    model_config = ConfigDict(frozen=True)

    step: Step
    trace_id: str
    reason: str


class Counts(BaseModel):
    """What the steps did, in numbers; the first five and ``total_processed`` are those of the specification."""

    model_config = ConfigDict(frozen=True)

    pruned_count: int = 0
    """Traces that had faded."""
    edges_created: int = 0
    """New ties; one that is there already is none."""
    schemas_created: int = 0
    conflicts_resolved: int = 0
    reinforced_count: int = 0
    """Traces that were due and were repeated."""
    gisted_count: int = 0
    """Traces of which only the gist is left; their words are in the archive."""
    doubted_count: int = 0
    """Traces that lost stability for where they are from."""
    regulated_count: int = 0
    """Traces whose emotion was calmed."""
    archive_swept_count: int = 0
    """Archived texts that nobody had asked for in a year."""
    total_processed: int = 0
    """Live traces that there were."""


class Consolidated(Counts):
    """What a cycle did, over all owners together; all zeros when another one was under way.

    ``failed`` says what no schema or gist came of, and why: it is tried again in the next cycle.
    """

    duration_ms: int = 0
    failed: tuple[str, ...] = ()


class CognitiveRun(Counts):
    """One entry of the consolidation log: what a cycle did to the traces of one owner, and why."""

    id: str
    run: str
    """The cycle that this line is part of."""
    at: Moment
    changes: tuple[Change, ...] = ()
    failed: tuple[str, ...] = ()
    drawn_from: tuple[str, ...] = ()
    """The ids of the traces that failures are about: an error may tell of them."""
    duration_ms: int = 0


def _log(owner: Owner, name: str) -> Collection[CognitiveRun]:
    return Collection(f"cognitive_log_{name}", CognitiveRun, owner, {"at": "time"}, required=False)


LOGS = by_owner(_log)
LOG_RESOURCES: tuple[Resource, ...] = tuple(LOGS.values())
KEPT_LINES = 200
"""How many lines of the log are kept per owner: the latest."""


def last_lines(tx: Transaction, seen: Iterable[View]) -> list[CognitiveRun]:
    """Return the latest entry of each owner's consolidation log, none for an owner that has none."""
    logs = [LOGS[view.tables.owner] for view in seen]
    return [line for log in logs for line in tx.find(log, order="-at", limit=1)]


def summed(lines: Iterable[CognitiveRun], duration_ms: int) -> Consolidated:
    """Return the counts and failures of several log entries added up."""
    some = list(lines)
    counts = {name: sum(getattr(line, name) for line in some) for name in Counts.model_fields}
    failed = tuple(reason for line in some for reason in line.failed)
    return Consolidated(**counts, failed=failed, duration_ms=duration_ms)
