"""The memories that a graph is read from: live traces that the session sees, and the facts held of its user."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.flow.resource import Collection, Transaction
from fabric.search.views import texts_of

from ..claims import OTHER, claim_of, read_as
from ..cognitive.content.entities import entities
from ..semantic import Fact, create_semantic_memory_resource
from ..semantic.table import CURRENT
from ..traces.record import Trace, content_hash
from ..traces.seen import visible
from ..traces.tables import Owner, View
from .extracting import Material
from .record import SourceGraph
from .tables import SHELVES

if TYPE_CHECKING:
    from fabric.search.base import SearchView

FACTS: Collection[Fact] = create_semantic_memory_resource("user")
"""The facts of the default memory system, where the file holds one; that a block declares it is not needed."""


@dataclass(frozen=True, slots=True)
class Held:
    """A live memory: its persona, and a hash of its content, by which a change is seen."""

    persona: str
    digest: str
    is_fact: bool = False


def live_memories(tx: Transaction, view: View) -> dict[str, Held]:
    """Return by id the memories of one owner that the session sees, oldest first."""
    found: dict[str, Held] = {}
    index = tx.index(view.tables.traces)
    if index is not None and len(index):
        personas, digests = _cells(index, "persona"), _cells(index, "content_hash")
        found = {
            index.ids[position]: Held(personas[position], digests[position])
            for position in visible(index, view.personas).nonzero()[0].tolist()
        }
    return found | {fact.id: Held("", content_hash(fact.content), is_fact=True) for fact in _facts(tx, view)}


def read_before(tx: Transaction, owner: Owner) -> dict[str, tuple[str, str, str, int]]:
    """Return by id the persona, digest, reader and failures of each memory whose graph is kept."""
    index = tx.index(SHELVES[owner].graph)
    if index is None or not len(index):
        return {}
    personas, digests, by = _cells(index, "persona"), _cells(index, "digest"), _cells(index, "by")
    tries = index.columns["tries"].values
    return {
        index.ids[position]: (personas[position], digests[position], by[position], int(tries[position]))
        for position in index.alive.nonzero()[0].tolist()
    }


class Freshness:
    """Tells which memories still say what their graph was read from; it looks at those that it is asked for."""

    def __init__(self, tx: Transaction, view: View) -> None:
        self._tx, self._view = tx, view
        self._graph = tx.index(SHELVES[view.tables.owner].graph)
        self._traces = tx.index(view.tables.traces)
        self._facts: dict[str, str] | None = None

    def says_so(self, memory_id: str) -> bool:
        """Return whether a memory is there, is seen by the session, and says what was read."""
        position = -1 if self._graph is None else self._graph.position_of(memory_id)
        if self._graph is None or position < 0:
            return False
        return self._digest(memory_id) == _text(self._graph, "digest", position)

    def _digest(self, memory_id: str) -> str | None:
        position = -1 if self._traces is None else self._traces.position_of(memory_id)
        if self._traces is not None and position >= 0:
            is_seen = _text(self._traces, "persona", position) in self._view.personas
            is_live = bool(self._traces.alive[position]) and not self._traces.columns["deleted"].values[position]
            return _text(self._traces, "content_hash", position) if is_seen and is_live else None
        if self._facts is None:
            self._facts = {fact.id: content_hash(fact.content) for fact in _facts(self._tx, self._view)}
        return self._facts.get(memory_id)


def _text(index: "SearchView", name: str, position: int) -> str:
    number = int(index.columns[name].values[position])
    return texts_of(index, name)[number] if number >= 0 else ""


def materials(tx: Transaction, view: View, held: dict[str, Held]) -> list[Material]:
    """Return memories as the input of entity extraction."""
    owner = view.tables.owner
    traces = tx.get_many(view.tables.traces, [source for source, how in held.items() if not how.is_fact])
    found = [_of_trace(trace, owner) for trace in traces if not trace.deleted]
    facts = tx.get_many(FACTS, [source for source, how in held.items() if how.is_fact]) if _has_facts(tx, view) else []
    return found + [_of_fact(fact, owner) for fact in facts]


def graphs(tx: Transaction, owner: Owner, ids: list[str]) -> list[SourceGraph]:
    """Return the graphs of some memories."""
    return tx.get_many(SHELVES[owner].graph, ids)


def _has_facts(tx: Transaction, view: View) -> bool:
    return view.tables.owner == "user" and FACTS.key in tx.rows.tables()


def _facts(tx: Transaction, view: View) -> Iterator[Fact]:
    if _has_facts(tx, view):
        yield from tx.find(FACTS, CURRENT)


def _of_trace(trace: Trace, owner: Owner) -> Material:
    # A trace keeps of what it claims the attribute, not about whom: its text tells that.
    claim = read_as(trace.content) if trace.attribute not in {"", OTHER} else None
    said_by = trace.speaker if trace.role in {"", "user"} else ""
    return Material(
        trace.id, owner, trace.persona, trace.content, trace.content_hash, trace.entities, claim, said_by or ""
    )


def _of_fact(fact: Fact, owner: Owner) -> Material:
    named, digest = entities(fact.content), content_hash(fact.content)
    return Material(fact.id, owner, "", fact.content, digest, named, claim_of(fact))


def _cells(index: "SearchView", name: str) -> list[str]:
    """Return a column of texts by position, "" for none."""
    names = [*texts_of(index, name), ""]
    return [names[number] for number in index.columns[name].values.astype(int).tolist()]
