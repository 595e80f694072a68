"""Re-embed: what is stored gets the vectors of the embedder in use, in place; the status says what is missing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from capabilities.keys import system_of
from capabilities.memory.layout import MemoryLayout
from capabilities.memory.systems import collections_of_others
from fabric.errors import EmbedderError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Collection
from fabric.store.base import Rows, Store, Table
from fabric.store.renewal import Coverage, Embedded, Transact, coverage, renew
from fabric.threads.portal import elsewhere

T = TypeVar("T")
CATCH_UP = 2_000
"""How many rows are embedded behind other work at once: after a switch of the model, the cost of that stays small."""
MEND = "thought-fabric reembed"
Moved = Callable[[int], Any]
"""Is told after each batch how many rows it was."""


class Kind(BaseModel):
    """The rows of one kind: how many there are, have a vector of the embedder in use, of another model, or none.

    ``without_passages`` are long rows of an earlier version: they have one vector of it, none for the passages of
    their texts.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    rows: int
    embedded: int
    other_models: dict[str, int] = {}
    missing: int = 0
    without_passages: int = 0


class EmbeddingStatus(BaseModel):
    """Which embedder is in use, what the rows have, what is degraded and how to mend it ("" when nothing is)."""

    model_config = ConfigDict(frozen=True)

    embedder: str
    """Its name, or "" for none: everything is found by words."""
    space: str = ""
    """The identity of its model, as stored beside the vectors."""
    kinds: list[Kind] = []
    degraded: str = ""
    mend: str = ""

    @property
    def left(self) -> int:
        """How many rows are to be embedded with the embedder in use; 0 without an embedder."""
        return sum(kind.rows - kind.embedded for kind in self.kinds) if self.embedder else 0

    @property
    def without_passages(self) -> int:
        """How many long rows have one vector for all of their text."""
        return sum(kind.without_passages for kind in self.kinds)

    @property
    def other_models(self) -> dict[str, int]:
        """How many rows have a vector of another model, by its identity."""
        found: dict[str, int] = {}
        for kind in self.kinds:
            for space, rows in kind.other_models.items():
                found[space] = found.get(space, 0) + rows
        return found


class Reembedded(BaseModel):
    """How many rows got a vector, and why the rest did not ("" when all did)."""

    model_config = ConfigDict(frozen=True)

    embedded: int = 0
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class _Task:
    """The rows of some scopes, and how to reach them."""

    layout: MemoryLayout
    transact: Transact
    rows: Sequence[tuple[str, Embedded]]
    """What the rows are called, and where they are."""

    async def status(self) -> EmbeddingStatus:
        """Return what the rows have, and whether the embedder works."""
        embedder = self.layout.meaning.embedder
        space, failure = "", ""
        try:
            space = await self.layout.meaning.space()
        except EmbedderError as error:
            failure = str(error)
        seen: dict[str, Coverage] = dict.fromkeys(embedded_collections(self.layout), Coverage())
        for name, rows in self.rows:
            seen[name] += await self._coverage(rows, space)
        return embedding_status(embedder.name if embedder else "", space, seen, failure)

    async def reembed(self, moved: Moved, most: int | None = None) -> Reembedded:
        """Embed what is outside the space of the embedder in use; a failure is told, what was done before is kept."""
        embedder = self.layout.meaning.embedder
        if embedder is None:
            return Reembedded(degraded="there is no embedder: everything is found by its words")
        done = 0

        def count(rows: int) -> None:
            nonlocal done
            done += rows
            moved(rows)

        try:
            space = await self.layout.meaning.space()
            for _, rows in self.rows:
                left = None if most is None else most - done
                await renew(self.transact, rows, embedder, space, most=left, moved=count)
        except EmbedderError as error:
            return Reembedded(embedded=done, degraded=str(error))
        return Reembedded(embedded=done)

    async def _coverage(self, asked: Embedded, space: str) -> Coverage:
        def work(rows: Rows) -> Coverage:
            counts = rows.spaces(asked.table, asked.scope)
            return coverage(counts, space, rows.without_passages(asked.table, asked.scope, space))

        return await self.transact(work)


def reembed_block(layout: MemoryLayout) -> Block[object, Reembedded]:
    """Return the block that re-embeds the memory of whose run it is, whatever its input; recall goes on meanwhile."""

    @handler(name=f"{layout.name}/reembed", uses=layout.resources)
    async def reembed(_: object, ctx: Context) -> Reembedded:
        return await _of_run(layout, ctx).reembed(lambda _: None)

    return reembed


def catch_up_block(layout: MemoryLayout) -> Block[object, Reembedded]:
    """Return the block that does the same for the first ``CATCH_UP`` rows at most, to run behind other work."""

    @handler(name=f"{layout.name}/catch-up", uses=layout.resources)
    async def catch_up(_: object, ctx: Context) -> Reembedded:
        done = await _of_run(layout, ctx).reembed(lambda _: None, CATCH_UP)
        if not done.degraded and done.embedded < CATCH_UP:
            layout.meaning.caught_up(ctx.ids.scope(layout.turns.scope))
        return done

    return catch_up


def embedding_status_block(layout: MemoryLayout) -> Block[object, EmbeddingStatus]:
    """Return the block whose output says how the memory of whose run it is stands with its embedder."""

    @handler(name=f"{layout.name}/embedding-status", uses=layout.resources)
    async def status(_: object, ctx: Context) -> EmbeddingStatus:
        return await _of_run(layout, ctx).status()

    return status


async def reembed_file(layout: MemoryLayout, store: Store, moved: Moved = lambda _: None) -> Reembedded:
    """Re-embed the memories of everybody in the file; ``moved`` is told after each batch how many rows it was."""
    return await (await _of_file(layout, store)).reembed(moved)


async def file_status(layout: MemoryLayout, store: Store) -> EmbeddingStatus:
    """Return how the memories of everybody in the file stand with their embedder."""
    return await (await _of_file(layout, store)).status()


def embedding_status(embedder: str, space: str, seen: Mapping[str, Coverage], failure: str = "") -> EmbeddingStatus:
    """Return how rows stand, by what they are called, with the embedder of this name, which may have failed."""
    kinds = [_kind(name, counted) for name, counted in seen.items()]
    found = EmbeddingStatus(embedder=embedder, space=space, kinds=kinds)
    degraded, mend = _diagnosis(found, failure)
    return found.model_copy(update={"degraded": degraded, "mend": mend})


def _of_run(layout: MemoryLayout, ctx: Context) -> _Task:
    async def transact(work: Callable[[Rows], T]) -> T:
        return await ctx.transact(lambda tx: work(tx.rows))

    found = [
        (name, Embedded(collection.table, ctx.ids.scope(collection.scope)))
        for name, collection in embedded_collections(layout).items()
    ]
    return _Task(layout, transact, found)


async def _of_file(layout: MemoryLayout, store: Store) -> _Task:
    found: list[tuple[str, Embedded]] = []
    for name, collection in embedded_collections(layout).items():
        await elsewhere(partial(store.define, collection.table))
        found += [
            (name, Embedded(collection.table, scope))
            for scope in await elsewhere(partial(store.scopes, collection.table))
        ]
    for table in await store.transact(lambda rows: rows.tables()):
        scopes = await elsewhere(partial(store.scopes, Table(table, {}))) if system_of(table) else []
        for name, collection in collections_of_others([table], *(scope.kind for scope in scopes)):
            await elsewhere(partial(store.define, collection.table))
            found += [(name, Embedded(collection.table, scope)) for scope in scopes]
    return _Task(layout, store.transact, found)


def embedded_collections(layout: MemoryLayout) -> dict[str, Collection[Any]]:
    """Return the collections whose rows have vectors, by what their rows are called."""
    named: dict[str, Collection[Any] | None] = {
        "turns": layout.turns,
        "episodes": layout.episodic,
        "facts": layout.semantic,
    }
    return {name: collection for name, collection in named.items() if collection is not None}


def _kind(name: str, counted: Coverage) -> Kind:
    return Kind(
        name=name,
        rows=counted.rows,
        embedded=counted.done,
        other_models=dict(counted.others),
        missing=counted.missing,
        without_passages=counted.without_passages,
    )


def _diagnosis(status: EmbeddingStatus, failure: str) -> tuple[str, str]:
    """Return what is degraded, and how to mend it."""
    if failure:
        return f"the embedder fails, everything is found by its words: {failure}", f"repair that, then run: {MEND}"
    if status.left:
        without = (
            f"{status.left - status.without_passages} rows have no vector of this embedder and are found by their words"
        )
        long = (
            f"; long rows with one for all of their text: {status.without_passages}" if status.without_passages else ""
        )
        return f"{without}{long}", f"run: {MEND}"
    return "", ""
