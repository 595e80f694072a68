"""The draft: what a run wrote ahead, one operation per entry that it touched, and what becomes of the store by it."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, PlainSerializer

from capabilities.vocabulary import Moment
from fabric.errors import RefusedError

from ..durations import moment_after
from ..record import LEVELS, GoalPriority, MindBelief, MindEntry, MindEntryType, MindGoal, MindReflection, Revision
from .belief_claims import claims_another

LOOK_UP = "Look the id up with mind_recall."


def _numbers(kept: object) -> object:
    return np.frombuffer(b64decode(kept), np.float16).astype(np.float32) if isinstance(kept, str) else kept


def _written(vector: NDArray[np.float32]) -> str:
    return b64encode(vector.astype(np.float16).tobytes()).decode()


Vector = Annotated[InstanceOf[NDArray[np.float32]], BeforeValidator(_numbers), PlainSerializer(_written, str)]
"""A vector, written as text in the precision in which rows keep theirs."""


class GoalChange(BaseModel):
    """What an update changes of a goal; ``progress`` are the notes it adds, oldest first."""

    model_config = ConfigDict(frozen=True)

    description: str | None = None
    priority: GoalPriority | None = None
    progress: tuple[str, ...] = ()

    def on(self, goal: MindGoal, now: datetime) -> MindGoal:
        """Return the goal with the change."""
        return goal.model_copy(
            update={
                "description": self.description or goal.description,
                "priority": self.priority or goal.priority,
                "progress": (*goal.progress, *self.progress),
                "updated_at": now,
            }
        )

    def then(self, later: "GoalChange") -> "GoalChange":
        """Return both changes as one."""
        return GoalChange(
            description=later.description or self.description,
            priority=later.priority or self.priority,
            progress=(*self.progress, *later.progress),
        )


class DraftOperation(BaseModel):
    """One acknowledged write of a run, kept until the run's flush.

    ``create``, and ``update`` of a belief, carry the entry as it is wanted; ``update`` of a goal carries ``change``;
    ``unpin`` needs nothing more. ``ended`` says that the run ended well, so that only its flush is missing; ``failed``
    is why an operation could not be applied.
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    id: str
    namespace: str
    run: str
    target: str
    type: MindEntryType
    action: Literal["create", "update", "unpin"]
    made_at: Moment
    entry: MindGoal | MindBelief | MindReflection | None = Field(default=None, discriminator="type")
    change: GoalChange | None = None
    allow_downgrade: bool = False
    vector: Vector | None = None
    """That of the entry's text, in ``space``; None where nothing was embedded."""
    space: str = ""
    ended: bool = False
    failed: str = ""


def merged(old: MindBelief, new: MindBelief, *, allow_downgrade: bool) -> MindBelief:
    """Return the older belief as the newer one updates it: its id and age stay, what it said is kept.

    Said again, its confidence falls only with ``allow_downgrade``; another claim has its own confidence. Tags stay
    where the newer one has none; the expiry is the newer's. What a failed run merely repeats is not marked as written
    in one.
    """
    may_fall = allow_downgrade or claims_another(old.content, new.content)
    level = new.confidence if may_fall else max(old.confidence, new.confidence, key=LEVELS.index)
    before = Revision(content=old.content, confidence=old.confidence, until=new.updated_at, source=old.source)
    changed = old.content != new.content or old.confidence != level or bool(new.earlier)
    return old.model_copy(
        update={
            "content": new.content,
            **new.claim_fields(),
            "confidence": level,
            "tags": new.tags or old.tags,
            "expires_at": new.expires_at,
            "updated_at": new.updated_at,
            "source": new.source or old.source,
            "made_by": new.made_by or old.made_by,
            "earlier": (*old.earlier, *([before] if changed else []), *new.earlier),
            "error": new.error and (old.error or old.content != new.content),
        }
    )


def survives(operation: DraftOperation) -> bool:
    """Return whether an operation is applied although its run failed: beliefs are, and new reflections."""
    return operation.type == "belief" or (operation.type == "reflection" and operation.action == "create")


def apply(operation: DraftOperation, existing: MindEntry | None, now: datetime, *, failed: bool) -> MindEntry:
    """Return the entry that the operation makes of the ``existing`` one, if there is one.

    ``failed``: the run failed, and what it writes is marked so. RefusedError when the entry is gone.
    """
    entry = operation.entry
    if isinstance(entry, MindBelief):
        written = entry.model_copy(update={"error": failed})
        if isinstance(existing, MindBelief):
            return merged(existing, written, allow_downgrade=operation.allow_downgrade)
        return written
    if operation.action == "create" and isinstance(entry, MindReflection):
        return entry.model_copy(update={"error": failed})
    if operation.action == "create" and entry is not None:
        return entry
    if operation.change is not None and isinstance(existing, MindGoal) and existing.status == "active":
        return operation.change.on(existing, now)
    if operation.action == "unpin" and isinstance(existing, MindReflection):
        return unpinned(existing, now)
    what = "reflection" if operation.action == "unpin" else "active goal"
    raise RefusedError(f"there is no {what} {operation.target!r} any more", do=LOOK_UP)


def unpinned(reflection: MindReflection, now: datetime) -> MindReflection:
    """Return a standing rule as an ordinary reflection, whose time begins now."""
    try:
        ends = None if reflection.lasts is None else moment_after(now, reflection.lasts)
    except ValueError:  # after all time, counted from now
        ends = None
    return reflection.model_copy(update={"pinned": False, "updated_at": now, "expires_at": ends})


def drafted(operations: Sequence[DraftOperation], kind: type[MindEntry]) -> list[MindEntry]:
    """Return the new entries of a type among operations that did not fail."""
    return [
        operation.entry
        for operation in operations
        if operation.action == "create" and not operation.failed and isinstance(operation.entry, kind)
    ]
