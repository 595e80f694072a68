"""The flush: what a run wrote ahead goes into the store, each operation for itself, in one transaction."""

from collections.abc import Collection, Sequence
from datetime import datetime

import numpy as np
from pydantic import BaseModel, ConfigDict

from capabilities.meaning import Embedded
from fabric.errors import RefusedError

from ..config import MindConfig
from ..provider import MindTable, Wanted
from ..record import KINDS, MindEntry, MindFailure, MindGoal, MindReflection
from .draft import DraftOperation, apply, drafted, survives, unpinned
from .limits import check_room


class Flushed(BaseModel):
    """What became of the operations of a run: the ids of entries written, those that failed, those dropped."""

    model_config = ConfigDict(frozen=True)

    applied: tuple[str, ...] = ()
    failed: tuple[MindFailure, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to do."""
        return not (self.applied or self.failed or self.dropped)


def flush(
    table: MindTable, operations: Sequence[DraftOperation], config: MindConfig, now: datetime, *, failed: bool
) -> Flushed:
    """Apply the operations of one run, unpins first; with ``failed`` as those of a run that failed.

    A failed run's unpins are dropped, so a rule of it that counted on their places becomes an ordinary reflection.

    One that cannot be applied stays in the draft with its reason; the others are not held up by it.
    """
    applied: list[str] = []
    refused: list[MindFailure] = []
    dropped: list[str] = []
    for operation in sorted(operations, key=lambda operation: operation.action != "unpin"):
        if failed and not survives(operation):
            dropped.append(operation.target)
            continue
        try:
            existing = next(iter(table.get(KINDS[operation.type], [operation.target])), None)
            entry = apply(operation, existing, now, failed=failed)
            if failed and isinstance(entry, MindReflection) and not _has_room(table, entry, operation.run, config):
                entry = unpinned(entry, now)
            _check_cap(table, entry, config)
        except RefusedError as error:
            refused.append(
                MindFailure(id=operation.id, target=operation.target, action=operation.action, reason=error.reason)
            )
            continue
        table.put([entry])
        applied.append(operation.target)
    reasons = {failure.id: failure.reason for failure in refused}
    table.put_drafts(
        [
            operation.model_copy(update={"failed": reasons[operation.id]})
            for operation in operations
            if operation.id in reasons
        ]
    )
    table.drop_drafts([operation.id for operation in operations if operation.id not in reasons])
    return Flushed(applied=tuple(applied), failed=tuple(refused), dropped=tuple(dropped))


def recover(table: MindTable, alive: Collection[str], config: MindConfig, now: datetime) -> Flushed:
    """Flush what runs left that are not alive any more: those that ended well as such, the others as failed."""
    left: dict[tuple[str, bool], list[DraftOperation]] = {}
    for operation in left_behind(table, alive):
        left.setdefault((operation.run, operation.ended), []).append(operation)
    done = [flush(table, operations, config, now, failed=not ended) for (_, ended), operations in left.items()]
    return Flushed(
        applied=tuple(target for flushed in done for target in flushed.applied),
        failed=tuple(failure for flushed in done for failure in flushed.failed),
        dropped=tuple(target for flushed in done for target in flushed.dropped),
    )


def left_behind(table: MindTable, alive: Collection[str]) -> list[DraftOperation]:
    """Return what runs that are not alive any more did not flush."""
    return [draft for draft in table.drafts() if draft.run not in alive and not draft.failed]


def _has_room(table: MindTable, entry: MindReflection, run: str, config: MindConfig) -> bool:
    """Return whether a failed run's rule may be pinned without taking a place that another run was promised."""
    promised = drafted([draft for draft in table.drafts() if draft.run != run], MindReflection)
    taken = table.count(MindReflection, Wanted(pinned=True))
    taken += sum(isinstance(entry, MindReflection) and entry.pinned for entry in promised)
    return not entry.pinned or taken < config.max_pinned_reflections


def _check_cap(table: MindTable, entry: MindEntry, config: MindConfig) -> None:
    if isinstance(entry, MindGoal) and entry.status == "active":
        held = [goal.id for goal in table.find(MindGoal, Wanted(status="active"))]
        check_room(MindGoal, [record for record in held if record != entry.id], config.max_goals)
    elif isinstance(entry, MindReflection) and entry.pinned:
        held = [reflection.id for reflection in table.find(MindReflection, Wanted(pinned=True))]
        check_room(MindReflection, [record for record in held if record != entry.id], config.max_pinned_reflections)


def vectors_of(operations: Sequence[DraftOperation]) -> tuple[Embedded, list[str]]:
    """Return the vectors that the operations carry with the texts they are of, as a transaction takes them."""
    known = {
        operation.entry.text: (operation.space, operation.vector)
        for operation in operations
        if operation.entry and operation.vector is not None
    }
    if not known:
        return Embedded(), []
    (*_, (space, _)) = known.values()
    vectors = {text: vector for text, (of, vector) in known.items() if of == space}
    return Embedded(space, np.array(list(vectors.values()), np.float32)), list(vectors)
