"""Writing ahead: what each write of a run does to the draft, inside the transaction that answers it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from capabilities.meaning import Embedded
from fabric.errors import RefusedError

from ..config import MindConfig
from ..provider import MindTable, Wanted
from ..record import Believed, Done, GoalSet, MindBelief, MindEntry, MindGoal, MindReflection, Reflected
from ..similarity import cosine, word_similarity
from .belief_claims import best, claims_another
from .draft import LOOK_UP, DraftOperation, GoalChange, drafted, merged, unpinned
from .limits import check_room

NEAR_CAP = 2
"""So many places before the cap, pinning warns."""
_CANDIDATES = 5
"""How many similar beliefs of the store are looked at."""


@dataclass(frozen=True, slots=True)
class RunDraft:
    """The draft of one run, inside a transaction."""

    table: MindTable
    run: str
    namespace: str
    config: MindConfig
    now: datetime

    def operations(self) -> list[DraftOperation]:
        """Return what this run wrote ahead."""
        return [draft for draft in self.table.drafts() if draft.run == self.run and not draft.failed]

    def of(self, target: str) -> DraftOperation | None:
        """Return what this run wrote ahead about one entry."""
        return next((operation for operation in self.operations() if operation.target == target), None)

    def create(self, entry: MindEntry, **more: Any) -> None:
        """Write a new entry ahead."""
        self._put(entry.id, entry.type, action="create", entry=entry, **more)

    def change(self, target: str, kind: str, **more: Any) -> None:
        """Write a change of a committed entry ahead."""
        self._put(target, kind, **more)

    def replace(self, operation: DraftOperation, **more: Any) -> None:
        """Change what was written ahead."""
        self.table.put_drafts([operation.model_copy(update=more)])

    def _put(self, target: str, kind: str, **more: Any) -> None:
        shared = {"namespace": self.namespace, "run": self.run, "target": target, "type": kind, "made_at": self.now}
        self.table.put_drafts([DraftOperation(id=f"{self.run}:{target}", **shared, **more)])


def believe(draft: RunDraft, new: MindBelief, embedded: Embedded, *, allow_downgrade: bool) -> Believed:
    """Write a belief ahead: into a similar one of this run, of another run, or of the store, or as a new one."""
    more = _vector(embedded)
    held = [
        operation
        for operation in draft.table.drafts()
        if isinstance(operation.entry, MindBelief) and not operation.failed
    ]
    own = [operation for operation in held if operation.run == draft.run]
    same = _same(own, new, more, draft.config)
    if same is not None and isinstance(same.entry, MindBelief):
        entry = merged(same.entry, new, allow_downgrade=allow_downgrade)
        fell = allow_downgrade or same.allow_downgrade or claims_another(same.entry.content, new.content)
        draft.replace(same, entry=entry, allow_downgrade=fell, **more)
        return Believed(action="updated_draft", id=same.target)
    other = _same([operation for operation in held if operation.run != draft.run], new, more, draft.config)
    target = other.target if other is not None else _known(draft, new)
    if not target:
        draft.create(new, allow_downgrade=allow_downgrade, **more)
        return Believed(action="created", id=new.id)
    entry = new.model_copy(update={"id": target})
    draft.change(target, "belief", action="update", entry=entry, allow_downgrade=allow_downgrade, **more)
    return Believed(action="updated_store" if other is None else "updated_draft", id=target)


def _vector(embedded: Embedded) -> dict[str, Any]:
    if embedded.vectors is None:
        return {"vector": None, "space": ""}
    return {"vector": embedded.vectors[0], "space": embedded.space}


def _same(
    operations: Sequence[DraftOperation], new: MindBelief, asked: dict[str, Any], config: MindConfig
) -> DraftOperation | None:
    """Return the operation whose belief says what the new one says."""

    def similarity(operation: DraftOperation, text: str) -> float:
        if operation.vector is None or operation.space != asked["space"]:
            return word_similarity(text, new.content)
        return cosine(operation.vector, asked["vector"])

    offered = [
        (operation.id, operation.entry.text, similarity(operation, operation.entry.text))
        for operation in operations
        if operation.entry is not None
    ]
    found = best(offered, new.content, config.deduplication_threshold)
    return next((operation for operation in operations if operation.id == found), None)


def _known(draft: RunDraft, new: MindBelief) -> str | None:
    """Return the id of the belief in the store that says what the new one says."""
    found = draft.table.compare(MindBelief, new.content, Wanted(alive_at=draft.now))
    threshold = draft.config.deduplication_threshold
    similar = {
        entry_id: value
        for entry_id, value in zip(found.ids, map(float, found.similarity), strict=True)
        if value >= threshold
    }
    first = sorted(similar, key=lambda entry_id: -similar[entry_id])[:_CANDIDATES]
    offered = [(belief.id, belief.content, similar[belief.id]) for belief in draft.table.get(MindBelief, first)]
    return best(offered, new.content, threshold)


def reflect(draft: RunDraft, new: MindReflection, embedded: Embedded) -> Reflected:
    """Write a reflection ahead; RefusedError for a pinned one when all places are taken.

    A place that this run freed is free for this run only: to others the unpin is not done before the flush.
    """
    warning = None
    if new.pinned:
        cap = draft.config.max_pinned_reflections
        freed = {operation.target for operation in draft.operations() if operation.action == "unpin"}
        pinned = [
            reflection.id
            for reflection in draft.table.find(MindReflection, Wanted(pinned=True))
            if reflection.id not in freed
        ]
        drafts = drafted(draft.table.drafts(), MindReflection)
        pinned += [draft.id for draft in drafts if isinstance(draft, MindReflection) and draft.pinned]
        check_room(MindReflection, pinned, cap)
        if len(pinned) + 1 >= cap - NEAR_CAP:
            warning = (
                f"{len(pinned) + 1} of {cap} places for pinned reflections are taken: review them with mind_recall "
                "(type reflection, pinned true) and free those that are outdated with mind_unpin_reflection"
            )
    draft.create(new, **_vector(embedded))
    return Reflected(id=new.id, warning=warning)


def unpin(draft: RunDraft, target: str) -> Done:
    """Write ahead that a reflection is no standing rule any more; RefusedError when it is none."""
    own = draft.of(target)
    if own is not None and isinstance(own.entry, MindReflection) and own.entry.pinned:
        draft.replace(own, entry=unpinned(own.entry, draft.now))
        return Done()
    found = draft.table.get(MindReflection, [target])
    if own is not None or not found or not found[0].pinned:
        what = "a reflection that is not pinned" if own is not None or found else "no reflection of this mind"
        raise RefusedError(f"{target!r} is {what}", do="Look the id up with mind_recall: type reflection, pinned true.")
    draft.change(target, "reflection", action="unpin")
    return Done()


def set_goal(draft: RunDraft, new: MindGoal) -> GoalSet:
    """Write a goal ahead; RefusedError when all places are taken."""
    active = [goal.id for goal in draft.table.find(MindGoal, Wanted(status="active"))]
    active += [entry.id for entry in drafted(draft.table.drafts(), MindGoal)]
    check_room(MindGoal, active, draft.config.max_goals)
    draft.create(new)
    return GoalSet(id=new.id)


def update_goal(draft: RunDraft, target: str, change: GoalChange) -> Done:
    """Write a change of an active goal ahead; RefusedError when there is no such goal."""
    own = draft.of(target)
    if own is not None and isinstance(own.entry, MindGoal):
        draft.replace(own, entry=change.on(own.entry, draft.now))
    elif own is not None and own.change is not None:
        draft.replace(own, change=own.change.then(change))
    else:
        _active(draft, target)
        draft.change(target, "goal", action="update", change=change)
    return Done()


def complete_goal(draft: RunDraft, target: str, outcome: str | None) -> Done:
    """Complete a goal in the store at once, with what this run wrote ahead of it; RefusedError for an unknown one."""
    own = draft.of(target)
    goal = own.entry if own is not None and isinstance(own.entry, MindGoal) else _active(draft, target)
    if own is not None and own.change is not None:
        goal = own.change.on(goal, draft.now)
    done = {"status": "completed", "outcome": outcome, "updated_at": draft.now}
    draft.table.put([goal.model_copy(update=done)])
    draft.table.drop_drafts([] if own is None else [own.id])
    return Done()


def _active(draft: RunDraft, target: str) -> MindGoal:
    found = draft.table.get(MindGoal, [target])
    if not found:
        raise RefusedError(f"{target!r} is no goal of this mind", do=LOOK_UP)
    if found[0].status != "active":
        raise RefusedError(f"the goal {target!r} is completed", do="Set a new goal, or leave it.")
    return found[0]
