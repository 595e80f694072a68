"""What traces and beliefs say of the user and is no longer so by what the facts say."""

from collections.abc import Sequence

from capabilities.claims import USER
from fabric.flow.context import Context
from fabric.flow.resource import Transaction

from ..layout import MemoryLayout
from ..no_longer_so import Told, no_longer_so
from ..people.oneself import subjects_of
from ..recall.ranked import Outdated, RankedMemory

OWN = frozenset({"traces_user", "traces_thread", "mind_beliefs"})
"""The collections in which nobody but the user speaks of themselves."""


def outdated_beside(
    tx: Transaction, ctx: Context, layout: MemoryLayout, key: str, found: Sequence[RankedMemory]
) -> list[RankedMemory]:
    """Return the rows of a collection, marked where a fact about the user that was stated later makes them untrue."""
    if key not in OWN or not found:
        return list(found)
    mine = subjects_of(ctx.user, layout)
    subject = USER if USER in mine else min(mine)
    now = ctx.clock.now()
    told = [Told(note.id, note.content, subject, note.sources, note.said_at or now) for note in found]
    gone = no_longer_so(tx, layout, told)
    return [note if note.id not in gone or note.outdated else _marked(note) for note in found]


def _marked(memory: RankedMemory) -> RankedMemory:
    return memory.model_copy(update={"outdated": [Outdated(was=memory.content)]})
