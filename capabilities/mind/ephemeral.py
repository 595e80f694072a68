"""Minds in memory, gone with the process: for tests, and to show what a provider must do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from fabric.flow.context import Context
from fabric.flow.resource import Resource
from fabric.scope import Scope, ScopeKind
from fabric.store.base import RowVectors

from ..meaning import Embedded
from .provider import Compared, Likenesses, MindTable, Wanted
from .record import MindBelief, MindEntry, MindGoal, MindReflection
from .similarity import cosine, meets, word_similarity
from .writing.draft import DraftOperation

T = TypeVar("T")
E = TypeVar("E", bound=MindGoal | MindBelief | MindReflection)


@dataclass(slots=True)
class _Held:
    entries: dict[str, MindEntry] = field(default_factory=dict[str, MindEntry])
    vectors: dict[str, tuple[str, Any]] = field(default_factory=dict[str, tuple[str, Any]])
    drafts: dict[str, DraftOperation] = field(default_factory=dict[str, DraftOperation])

    def copy(self) -> "_Held":
        return _Held(dict(self.entries), dict(self.vectors), dict(self.drafts))


class _Table:
    """`MindTable` over dictionaries."""

    def __init__(self, held: _Held, embedded: RowVectors | None) -> None:
        self._held = held
        self._embedded = embedded

    def get(self, kind: type[E], ids: Sequence[str]) -> list[E]:
        found: list[Any] = [self._held.entries.get(record_id) for record_id in ids]
        return [entry for entry in found if isinstance(entry, kind)]

    def find(self, kind: type[E], wanted: Wanted) -> list[E]:
        held: list[Any] = list(self._held.entries.values())
        found = [record for record in held if isinstance(record, kind) and meets(record, wanted)]
        found.sort(key=lambda entry: entry.created_at)
        return (found[::-1] if wanted.newest_first else found)[: wanted.limit]

    def count(self, kind: type[E], wanted: Wanted) -> int:
        return len(self.find(kind, wanted))

    def compare(self, kind: type[Compared], text: str, wanted: Wanted) -> Likenesses:
        found: list[Any] = self.find(kind, replace(wanted, limit=None))
        return Likenesses.of((entry, self._similarity(entry, text)) for entry in found)

    def _similarity(self, entry: MindEntry, text: str) -> float:
        asked = None if self._embedded is None else self._embedded.by_id.get(text)
        space, vector = self._held.vectors.get(entry.id, ("", None))
        if asked is None or self._embedded is None or space != self._embedded.space:
            return word_similarity(entry.text, text)
        return cosine(asked, vector)

    def put(self, entries: Sequence[MindEntry]) -> None:
        for entry in entries:
            before = self._held.entries.get(entry.id)
            if before is not None and before.text != entry.text:
                self._held.vectors.pop(entry.id, None)
            self._held.entries[entry.id] = entry
            if self._embedded is not None and entry.text in self._embedded.by_id:
                self._held.vectors[entry.id] = (self._embedded.space, self._embedded.by_id[entry.text])

    def delete(self, kind: type[E], ids: Sequence[str]) -> int:
        known = [entry.id for entry in self.get(kind, list(dict.fromkeys(ids)))]
        for entry_id in known:
            del self._held.entries[entry_id]
            self._held.vectors.pop(entry_id, None)
        return len(known)

    def drafts(self) -> list[DraftOperation]:
        return list(self._held.drafts.values())

    def put_drafts(self, operations: Sequence[DraftOperation]) -> None:
        self._held.drafts.update({operation.id: operation for operation in operations})

    def drop_drafts(self, ids: Sequence[str]) -> None:
        for record_id in ids:
            self._held.drafts.pop(record_id, None)


class InMemoryProvider:
    """A provider that keeps every mind of the process in memory, apart by owner and namespace."""

    def __init__(self, scope: ScopeKind = "user") -> None:
        self._scope: ScopeKind = scope
        self._minds: dict[tuple[Scope, str], _Held] = {}

    @property
    def resources(self) -> Sequence[Resource]:
        """None: nothing of it is in the file."""
        return ()

    async def namespaces(self, ctx: Context) -> list[str]:
        """Return the names of the minds that the owner has, in order."""
        owner = ctx.ids.scope(self._scope)
        return sorted(name for scope, name in self._minds if scope == owner)

    async def transact(
        self,
        ctx: Context,
        namespace: str,
        work: Callable[[MindTable], T],
        embedded: Embedded,
        texts: Sequence[str] = (),
    ) -> T:
        """Run ``work`` on a copy, which takes the place of what was held when it succeeds."""
        key = (ctx.ids.scope(self._scope), namespace)
        held = self._minds.get(key, _Held()).copy()
        result = work(_Table(held, embedded.by_text(texts)))
        self._minds[key] = held
        return result
