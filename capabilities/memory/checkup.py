"""What facts and episodes point to, as a check sees it: the version that replaced one, and the turns it rests on."""

from collections.abc import Iterator

from fabric.checkup import records
from fabric.finding import Finding, several
from fabric.log import ERASED, ITEMS
from fabric.store.held import Held

from ..episodic import Episode
from ..semantic import Fact
from .layout import MemoryLayout

NOTHING_SUFFERS = "recall does as before; only why has less to show. Forget it by its id, or have it said again"


def reference_findings(held: Held, layout: MemoryLayout) -> Iterator[Finding]:
    """Say which facts and episodes name a version or turns that the file has not.

    A turn may have been forgotten for what else was said in it, which the session tells; a memory that names only
    turns of which nothing tells that has lost them.
    """
    forgotten = {row["id"] for _, row in held.rows(ITEMS.name) if row.get("text") == ERASED}
    turns = {row["id"] for _, row in held.rows(layout.turns.key)}
    looked, cut = 0, 0
    bare: list[str] = []
    for one in _memories(held, layout):
        gone = [] if _came_closed(one) else [source.turn_id for source in one.sources if source.turn_id not in turns]
        looked += 1
        cut += len(gone)
        if gone and len(gone) == len(one.sources) and forgotten.isdisjoint(gone):
            bare.append(one.id)
    lost = list(_without_successor(held, layout))
    if bare:
        found = f"{several(len(bare), 'memory', 'memories')} of which no turn is kept, such as {bare[0]}"
        yield Finding("sources", "warning", found, NOTHING_SUFFERS)
    if lost:
        found = f"{several(len(lost), 'fact')} replaced by a version that is not there, such as {lost[0]}"
        yield Finding("history", "warning", found, NOTHING_SUFFERS)
    if looked and not bare and not lost:
        without = f"; {several(cut, 'turn')} that they name were forgotten" if cut else ""
        yield Finding(
            "sources", "ok", f"{several(looked, 'memory', 'memories')} with their turns and versions{without}"
        )


def _came_closed(one: Fact | Episode) -> bool:
    """Return whether it is an imported fact that is no longer so: its words are not kept to be found."""
    return isinstance(one, Fact) and one.status == "invalidated" and one.made_by.startswith("import from ")


def _memories(held: Held, layout: MemoryLayout) -> Iterator[Fact | Episode]:
    if layout.semantic is not None:
        yield from (fact for _, fact in records(held, layout.semantic))
    if layout.episodic is not None:
        yield from (episode for _, episode in records(held, layout.episodic))


def _without_successor(held: Held, layout: MemoryLayout) -> Iterator[str]:
    facts = list(records(held, layout.semantic)) if layout.semantic is not None else []
    ids = {(owner, fact.id) for owner, fact in facts}
    for owner, fact in facts:
        if fact.superseded_by and (owner, fact.superseded_by) not in ids:
            yield fact.id
