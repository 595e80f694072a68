"""Linked records: everything that has to go together, found by following the links of rows in both directions."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from capabilities.claims import compare, read_as
from fabric.jobs.reach import Reach
from fabric.scope import Scope

from .erased_texts import Texts
from .links import LINKS, Node, nodes_of

MANY = 300
"""From so many ids on all rows are read, instead of looking for each."""
Key = tuple[str, Scope, str]


@dataclass(slots=True)
class Said:
    """Turns: by their ids, and by the sessions of which all go, each with its user."""

    ids: set[str] = field(default_factory=set[str])
    sessions: set[tuple[str | None, str]] = field(default_factory=set[tuple[str | None, str]])
    users: set[str] = field(default_factory=set[str])

    def has(self, source: Mapping[str, Any]) -> bool:
        """Return whether a source names one of the turns."""
        user, session = source.get("user"), source.get("session")
        if source.get("turn_id") in self.ids or user in self.users:
            return True
        return any(session == name and user in (None, whose) for whose, name in self.sessions)

    def is_all_of(self, node: Node) -> bool:
        """Return whether a record rests on these turns and on nothing else."""
        return bool(node.sources) and all(map(self.has, node.sources))

    def is_part_of(self, node: Node) -> bool:
        """Return whether a record rests on one of these turns."""
        return any(map(self.has, node.sources))


@dataclass(slots=True)
class Circle:
    """What has to go, of all within ``reach``; ``about`` tells whether a record is what is to be forgotten."""

    reach: Reach
    others: AbstractSet[Scope] = frozenset()
    """Scopes of other users among them: what they hold goes only by the ids of turns."""
    about: Callable[[Node], bool] = lambda _: True
    follows_versions: bool = True
    """Whether other versions of what goes go too, whatever they rest on."""
    taken: dict[Key, Node] = field(default_factory=dict[Key, Node])
    turned: Said = field(default_factory=Said)
    """The turns that were asked for themselves: what rests on them alone goes."""

    def grow(self, ids: Iterable[str]) -> None:
        """Take the records with these ids, and follow their links until nothing new is found."""
        waiting, seen = {*ids} - {""}, set[str]()
        while waiting:
            seen |= waiting
            new: set[str] = set()
            for node in self._naming(waiting):
                if self._goes(node, waiting):
                    new |= self.add(node)
            waiting = new - seen

    def add(self, node: Node) -> set[str]:
        """Add a record to those that are to be deleted; return its id and the ids of its other forms and versions."""
        if node.key in self.taken:
            return set()
        self.taken[node.key] = node
        if node.kind == "turn":
            self.turned.ids.add(node.id)
        versions = node.links.versions if self.follows_versions else ()
        return {node.id} | node.named(node.links.same) | node.named(versions)

    def rests(self) -> None:
        """Take what rests on the turns that were asked for and on nothing else, and what is tied to that."""
        by_id = Said(ids=self.turned.ids)
        is_named = not self.turned.sessions and not self.turned.users
        nodes = [*self._naming(self.turned.ids)] if is_named else self._all()
        asked = [(node, by_id if node.kept.owner in self.others else self.turned) for node in nodes]
        for node in [node for node, turned in asked if turned.is_all_of(node)]:
            self.grow(self.add(node))

    def siblings(self, evidence: Said) -> list[Node]:
        """Return the records that rest on turns which go as the evidence of others, without being taken."""
        found = self._naming(evidence.ids) if len(evidence.ids) < MANY else self._all()
        left = (node for node in found if node.kind in LINKS and node.key not in self.taken)
        return [node for node in left if evidence.is_part_of(node)]

    def evidence(self) -> Said:
        """Return the turns that the taken records rest on."""
        ids = {str(source.get("turn_id")) for source in self.sources()} - {""}
        return Said(ids | self.turned.ids, self.turned.sessions, self.turned.users)

    def sources(self) -> Iterator[Mapping[str, Any]]:
        """Yield the turns that go with what was taken: all that it rests on, or where turns were asked for only those.

        What was drawn from a forgotten turn or record leaves the other turns that it rests on.
        """
        for node in self._undrawn():
            yield from (source for source in node.sources if self.follows_versions or self.turned.has(source))

    def noted(self, memories: Collection[str]) -> list[Mapping[str, Any]]:
        """Return the turns in which the taken records were noted that are no memories, and not drawn from others."""
        return [source for node in self._undrawn() if node.kind not in memories for source in node.sources]

    @property
    def ids(self) -> set[str]:
        """The ids of the records that are to be deleted."""
        return {node.id for node in self.taken.values()}

    @property
    def texts(self) -> set[str]:
        """The texts of the records that are to be deleted."""
        return {text for node in self.taken.values() for text in node.texts}

    def says_so(self, node: Node, texts: Texts) -> bool:
        """Return whether a record says what a taken one says, by its words or by what it claims."""
        if texts.contained_in(list(node.texts)):
            return True
        claims = [read_as(text) for text in self.texts if len(text) < 500]
        told = [read_as(text) for text in node.texts if len(text) < 500]
        return any(compare(claim, other) in ("same", "refines") for claim in claims for other in told)

    def _undrawn(self) -> list[Node]:
        """Return the taken records that were not drawn from others of them."""
        ids = self.ids
        return [node for node in self.taken.values() if ids.isdisjoint(node.named(node.links.drawn))]

    def _goes(self, node: Node, ids: AbstractSet[str]) -> bool:
        if node.kind not in LINKS:
            return False
        links = node.links
        if not ids.isdisjoint(node.named(links.drawn)):
            return True
        if self.follows_versions and not ids.isdisjoint(node.named(links.versions) | self._after(node)):
            return True
        if node.id in ids or not ids.isdisjoint(node.named(links.same)):
            return self.about(node)
        return not self.turned.ids.isdisjoint(ids) and self.turned.is_all_of(node) and self.about(node)

    def _after(self, node: Node) -> set[str]:
        """Return the node's own id where a taken record names it as one of its versions."""
        named = any(node.id in taken.named(taken.links.versions) for taken in self.taken.values())
        return {node.id} if named else set()

    def _naming(self, ids: AbstractSet[str]) -> Iterator[Node]:
        if len(ids) >= MANY:
            yield from self._all()
            return
        for kept in list(self.reach.containing(sorted(ids))):
            yield from nodes_of(kept)

    def _all(self) -> list[Node]:
        return [node for kept in self.reach for node in nodes_of(kept) if node.kind in LINKS]
