"""Minds in the file: four collections of the scope that owns the mind, each row marked with the mind's name."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fabric.flow.context import Context
from fabric.flow.resource import Collection, Resource, Transaction
from fabric.scope import ScopeKind
from fabric.store.base import Row, Where
from fabric.text.words import content_words

from ..meaning import Embedded
from .columns import cosines, meeting, scored_by, shared_words
from .provider import Compared, Likenesses, MindTable, Wanted
from .record import KINDS, MindBelief, MindEntry, MindGoal, MindReflection
from .similarity import at_least, meets, word_similarity
from .writing.draft import DraftOperation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.search.base import SearchView

T = TypeVar("T")
E = TypeVar("E", bound=MindGoal | MindBelief | MindReflection)


@dataclass(frozen=True, eq=False, slots=True)
class Collections:
    """The collections that hold the minds of one kind of scope."""

    goals: Collection[MindGoal]
    beliefs: Collection[MindBelief]
    reflections: Collection[MindReflection]
    drafts: Collection[DraftOperation]

    def of(self, kind: type[E]) -> Collection[Any]:
        """Return the collection of a type of entry."""
        held: dict[Any, Collection[Any]] = {
            MindGoal: self.goals,
            MindBelief: self.beliefs,
            MindReflection: self.reflections,
        }
        return held[kind]

    @property
    def all(self) -> Sequence[Resource]:
        """All four."""
        return self.goals, self.beliefs, self.reflections, self.drafts


@cache
def mind_collections(scope: ScopeKind) -> Collections:
    """Return the collections for minds that a scope of this kind owns."""
    suffix = "" if scope == "user" else f"_{scope}"
    passing = {"expires_at": "time", "error": "boolean"}
    shared = {"namespace": "text", "created_at": "time"}

    def collection(name: str, schema: type[Any], columns: dict[str, Any], text: str = "") -> Collection[Any]:
        # What is kept with the index is answered from memory, so that a header needs no query of the database.
        kept = tuple(columns) if text else ()
        key = f"mind_{name}{suffix}"
        terms = _words if text else None
        return Collection(key, schema, scope, columns=columns, text=text, terms=terms, kept=kept, required=False)

    return Collections(
        collection("goals", MindGoal, {**shared, "status": "text"}, "description"),
        collection("beliefs", MindBelief, {**shared, **passing, "confidence": "text"}, "content"),
        collection("reflections", MindReflection, {**shared, **passing, "pinned": "boolean"}, "content"),
        collection("drafts", DraftOperation, {"namespace": "text"}),
    )


def _words(row: Row) -> list[str]:
    """Return the words by which entries are compared where there are no vectors."""
    return sorted(content_words(str(row["content"] if "content" in row else row["description"])))


class _Table:
    """`MindTable` over a transaction."""

    def __init__(self, tx: Transaction, held: Collections, namespace: str) -> None:
        self._tx = tx
        self._held = held
        self._mine = Where("namespace", "=", namespace)
        self._namespace = namespace

    def get(self, kind: type[E], ids: Sequence[str]) -> list[E]:
        found: list[E] = self._tx.get_many(self._held.of(kind), ids)
        return [entry for entry in found if entry.namespace == self._namespace]

    def find(self, kind: type[E], wanted: Wanted) -> list[E]:
        order = "-created_at" if wanted.newest_first else "created_at"
        found: list[E] = []
        for page in self._pages(kind, wanted, order):
            found += [entry for entry in page if meets(entry, wanted)]
            if wanted.limit is not None and len(found) >= wanted.limit:
                return found[: wanted.limit]
        return found

    def _pages(self, kind: type[E], wanted: Wanted, order: str) -> Iterator[list[E]]:
        """Yield rows until there are no more: what is expired or lacks a tag is sorted out afterwards."""
        where, collection, offset = self._where(kind, wanted), self._held.of(kind), 0
        while True:
            page: list[E] = self._tx.find(collection, *where, order=order, limit=wanted.limit, offset=offset)
            yield page
            offset += len(page)
            if wanted.limit is None or len(page) < wanted.limit:
                return

    def _where(self, kind: type[E], wanted: Wanted) -> list[Where]:
        conditions: list[Where] = [
            Where("status", "=", wanted.status),
            Where("pinned", "=", wanted.pinned),
            Where("confidence", "in", None if wanted.at_least is None else list(at_least(wanted))),
            Where("created_at", ">=", wanted.made_since),
            Where("error", "=", False if wanted.without_errors else None),
        ]
        known: Mapping[str, Any] = self._held.of(kind).columns
        return [
            self._mine,
            *(condition for condition in conditions if condition.value is not None and condition.field in known),
        ]

    def count(self, kind: type[E], wanted: Wanted) -> int:
        if wanted.alive_at is None and not wanted.tags:
            return self._tx.count(self._held.of(kind), *self._where(kind, wanted))
        return len(self.find(kind, wanted))

    def compare(self, kind: type[Compared], text: str, wanted: Wanted) -> Likenesses:
        given, collection = self._tx.embedded, self._held.of(kind)
        asked = None if given is None else given.by_id.get(text)
        index = self._tx.index(collection, "" if given is None or asked is None else given.space)
        if index is None:
            return Likenesses((), (), (), ())
        positions = meeting(index, self._namespace, wanted)
        ids = [index.ids[position] for position in positions.tolist()]
        return Likenesses(ids, self._similarity(kind, index, positions, text, asked), *scored_by(index, positions))

    def _similarity(
        self, kind: type[Compared], index: "SearchView", positions: "NDArray[np.int64]", text: str, asked: Any
    ) -> "NDArray[np.float64]":
        if asked is None or index.vectors is None:
            without, found = np.ones(len(positions), np.bool_), np.zeros(len(positions))
        else:
            without = ~index.vectors.present[positions]
            found = cosines(index.vectors, asked, positions)
        if without.any():
            words = sorted(content_words(text))
            found[without] = (
                shared_words(index, positions[without], words)
                if words
                else self._same(kind, index, positions[without], text)
            )
        return found

    def _same(
        self, kind: type[Compared], index: "SearchView", positions: "NDArray[np.int64]", text: str
    ) -> list[float]:
        """Compare with a text that has no words of its own, such as one emoji, which only itself is like."""
        said = {
            entry.id: entry.text for entry in self.get(kind, [index.ids[position] for position in positions.tolist()])
        }
        return [word_similarity(said[index.ids[position]], text) for position in positions.tolist()]

    def put(self, entries: Sequence[MindEntry]) -> None:
        for kind in KINDS.values():
            self._tx.put(self._held.of(kind), [entry for entry in entries if isinstance(entry, kind)])

    def delete(self, kind: type[E], ids: Sequence[str]) -> int:
        return self._tx.delete(self._held.of(kind), [entry.id for entry in self.get(kind, ids)])

    def drafts(self) -> list[DraftOperation]:
        return self._tx.find(self._held.drafts, self._mine)

    def put_drafts(self, operations: Sequence[DraftOperation]) -> None:
        self._tx.put(self._held.drafts, operations)

    def drop_drafts(self, ids: Sequence[str]) -> None:
        self._tx.delete(self._held.drafts, ids)


class StoreProvider:
    """Keeps minds in the file, as rows of the user, agent, project or organisation that ``scope`` names."""

    def __init__(self, scope: ScopeKind = "user") -> None:
        self._held = mind_collections(scope)

    @property
    def resources(self) -> Sequence[Resource]:
        """What a capability must declare for it."""
        return self._held.all

    async def transact(
        self,
        ctx: Context,
        namespace: str,
        work: Callable[[MindTable], T],
        embedded: Embedded,
        texts: Sequence[str] = (),
    ) -> T:
        """Run ``work`` in one transaction of the store, which runs one at a time."""

        def whole(tx: Transaction) -> T:
            tx.embedded = embedded.by_text(texts)
            return work(_Table(tx, self._held, namespace))

        return await ctx.transact(whole)

    async def namespaces(self, ctx: Context) -> list[str]:
        """Return the names of the minds that the owner has, in order."""

        def names(tx: Transaction) -> list[str]:
            rows: list[MindEntry] = [row for kind in KINDS.values() for row in tx.find(self._held.of(kind))]
            return sorted({row.namespace for row in rows})

        return await ctx.transact(names)
