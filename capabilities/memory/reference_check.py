"""What facts and episodes point to, as a check sees it: the version that replaced one, and the turns it rests on."""

from collections.abc import Iterator
from typing import Any

from fabric.flow.resource import Collection
from fabric.record.forgotten import ERASED
from fabric.record.log import ITEMS
from fabric.sessions.record_check import records
from fabric.store.finding import Finding, Scan, several

from ..episodic import Episode
from ..keys import MEMORY, key_of, system_of, tier_of
from ..semantic import Fact
from .layout import MemoryLayout
from .systems import collections_of_others

NOTHING_SUFFERS = "recall does as before; only why has less to show. Forget it by its id, or have it said again"


def reference_findings(scan: Scan, layout: MemoryLayout) -> Iterator[Finding]:
    """Say which facts and episodes name a version or turns that the file has not; ``layout`` is the default system's.

    A turn may have been forgotten for what else was said in it, which the session tells; a memory that names only
    turns of which nothing tells that has lost them.
    """
    forgotten = {row["id"] for _, row in scan.rows(ITEMS.name) if row.get("text") == ERASED}
    turns = {key: {row["id"] for _, row in scan.rows(key)} for key in scan.tables if tier_of(key) == layout.turns.key}
    looked, cut = 0, 0
    bare: list[str] = []
    for key, memory in _memories(scan, layout):
        kept = turns.get(key_of(layout.turns.key, system_of(key) or MEMORY), set())
        gone = (
            [] if _came_closed(memory) else [source.turn_id for source in memory.sources if source.turn_id not in kept]
        )
        looked += 1
        cut += len(gone)
        if gone and len(gone) == len(memory.sources) and forgotten.isdisjoint(gone):
            bare.append(memory.id)
    lost = list(_without_successor(scan, layout))
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


def _came_closed(memory: Fact | Episode) -> bool:
    """Return whether it is an imported fact that is no longer so: its words are not kept to be found."""
    return isinstance(memory, Fact) and memory.status == "invalidated" and memory.made_by.startswith("import from ")


def _tiers(scan: Scan, *own: Collection[Any] | None) -> list[Collection[Any]]:
    """Return the collections of a system, and those of the same tiers of the named systems that the file holds."""
    tiers = [tier for tier in own if tier is not None]
    keys = {tier.key for tier in tiers}
    return [
        *tiers,
        *(collection for _, collection in collections_of_others(scan.tables) if tier_of(collection.key) in keys),
    ]


def _memories(scan: Scan, layout: MemoryLayout) -> Iterator[tuple[str, Fact | Episode]]:
    """Yield every fact and episode, with the key under which it is kept."""
    for tier in _tiers(scan, layout.semantic, layout.episodic):
        yield from ((tier.key, record) for _, record in records(scan, tier))


def _without_successor(scan: Scan, layout: MemoryLayout) -> Iterator[str]:
    for tier in _tiers(scan, layout.semantic):
        facts: list[tuple[int, Fact]] = list(records(scan, tier))
        ids = {(owner, fact.id) for owner, fact in facts}
        for owner, fact in facts:
            if fact.superseded_by and (owner, fact.superseded_by) not in ids:
                yield fact.id
