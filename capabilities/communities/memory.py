"""``ctx.cap.communities``: read memories into a graph, group it, and search around entities and over summaries."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, NamedTuple

from pydantic import Field

from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.record.meanwhile import drawn
from fabric.threads.portal import elsewhere

from ..arguments import checks_arguments
from ..meaning import Meaning
from ..traces.tables import Owner, View, views
from . import searching
from .extracting import Material, read_by_rules
from .grouping import EntityGraph, communities_of
from .record import MOST_TRIES, Community, SourceGraph
from .results import GlobalSearch, LocalSearch
from .sources import Held, graphs, live_memories, materials, read_before
from .tables import SHELVES

AT_ONCE = 500
"""How many memories are read in one step."""
Limit = Annotated[int, Field(ge=1, le=50)]


class CommunityMemory:
    """The graph and the communities of one context, in the scopes that its session can use."""

    def __init__(self, ctx: Context, meaning: Meaning) -> None:
        self._ctx = ctx
        self._meaning = meaning

    async def read(self) -> int:
        """Extract a graph by rules from new and changed memories, and drop deleted ones; return how many were read."""
        count = 0
        for view in views(self._ctx.ids):
            while some := await self._ctx.transact(partial(_unread, view=view)):
                made = await elsewhere(partial(_read, some))
                await self.store_read(some, made)
                count += len(some)
        return count

    async def untold(self, limit: int) -> list[Material]:
        """Return memories that only rules have read so far, oldest first, for a model to read."""

        def work(tx: Transaction) -> list[Material]:
            found: list[Material] = []
            for view in views(self._ctx.ids):
                live, known = live_memories(tx, view), read_before(tx, view.tables.owner)
                wanted = {source: live[source] for source, how in known.items() if source in live and _is_untold(how)}
                some = dict(list(wanted.items())[: limit - len(found)])
                found += [replace(material, tries=known[material.id][3]) for material in materials(tx, view, some)]
            return found

        return await self._ctx.transact(work)

    async def count_untold(self) -> int:
        """Return how many memories and summaries a model is still to be asked about."""

        def work(tx: Transaction) -> int:
            seen = [(view, read_before(tx, view.tables.owner).values()) for view in views(self._ctx.ids)]
            memories = sum(_is_untold(how) for view, known in seen for how in known if how[0] in view.personas)
            return memories + len(_unsummarised(tx, views(self._ctx.ids)))

        return await self._ctx.transact(work)

    async def store_read(self, asked: Sequence[Material], read: Sequence[SourceGraph]) -> int:
        """Keep what memories name and relate, of those that still say what was read; return how many that were."""
        owners = {material.id: material.owner for material in asked}

        def work(tx: Transaction) -> int:
            count = 0
            for view in views(self._ctx.ids):
                mine = [graph for graph in read if owners[graph.id] == view.tables.owner]
                live = live_memories(tx, view) if mine else {}
                kept = [graph for graph in mine if graph.id in live and live[graph.id].digest == graph.digest]
                tx.put(SHELVES[view.tables.owner].graph, kept)
                count += len(kept)
            return count

        return await self._ctx.transact(work)

    async def group(self) -> int:
        """Detect communities anew (Louvain) where the graph has changed; return how many were written.

        Summaries that still fit stay, those of a model too.
        """
        count = 0
        for view in views(self._ctx.ids):
            changed = await self._ctx.transact(partial(_changed, view=view))
            for persona, (digest, rows) in changed.items():
                count += await self._group(view, persona, digest, rows)
        return count

    async def note_built(self) -> None:
        """Write the time of this build, from which the next one is scheduled."""

        def work(tx: Transaction) -> None:
            for shelf in (SHELVES[view.tables.owner] for view in views(self._ctx.ids)):
                tx.write(shelf.state, tx.read(shelf.state).model_copy(update={"built_at": self._ctx.clock.now()}))

        await self._ctx.transact(work)

    async def _group(self, view: View, persona: str, digest: str, rows: Sequence[SourceGraph]) -> int:
        owner = self._ctx.ids.scope(view.tables.owner)
        whose, now = str(owner), self._ctx.clock.now()
        made = await elsewhere(lambda: communities_of(EntityGraph.of(rows), whose, persona, now, self._ctx.path))
        embedded = await self._meaning.embed([community.summary for community in made])
        shelf = SHELVES[view.tables.owner]

        def work(tx: Transaction) -> int:
            live = live_memories(tx, view)
            earlier = [community for community in tx.find(shelf.communities) if community.persona == persona]
            fitting = {community.digest: community for community in earlier if community.by == "model"}
            kept = [_with_summary(community, fitting) for community in made if live.keys() >= set(community.drawn_from)]
            tx.delete(shelf.communities, [community.id for community in earlier])
            tx.embedded = embedded.by_text([community.summary for community in made])
            tx.put(shelf.communities, kept)
            state = tx.read(shelf.state)
            told = {name: known_digest for name, known_digest in state.digests.items() if name != persona}
            tx.write(shelf.state, state.model_copy(update={"digests": {**told, persona: digest} if made else told}))
            return len(kept)

        return await self._ctx.transact(work)

    async def unsummarised(self, limit: int) -> list[Community]:
        """Return communities whose summary is by rules, the largest first, for a model to summarise.

        Of those that are the same on several levels one is given; `summarise` serves all of them.
        """
        found = await self._ctx.transact(lambda tx: _unsummarised(tx, views(self._ctx.ids)))
        return found[:limit]

    async def summarise(self, community: Community, summary: str) -> bool:
        """Replace a community's summary by a model's; False, and nothing is written, where it has changed."""
        return await self._replace(community, {"summary": self._ctx.redact(summary), "by": "model"})

    async def failed(self, asked: Sequence[Material], community: Community | None = None) -> None:
        """Count a failed call of the model for these memories, or for a community's summary."""
        if community is not None:
            await self._replace(community, {"tries": community.tries + 1})

        def work(tx: Transaction) -> None:
            for view in views(self._ctx.ids):
                mine = [material.id for material in asked if material.owner == view.tables.owner]
                held = graphs(tx, view.tables.owner, mine)
                tx.put(
                    SHELVES[view.tables.owner].graph,
                    [graph.model_copy(update={"tries": graph.tries + 1}) for graph in held],
                )

        if asked:
            await self._ctx.transact(work)

    async def _replace(self, community: Community, update: Mapping[str, object]) -> bool:
        embedded = await self._meaning.embed([str(update["summary"])] if "summary" in update else [])

        def work(tx: Transaction) -> bool:
            tx.embedded = embedded.by_text([str(update.get("summary", ""))])
            count = 0
            for view in views(self._ctx.ids):
                shelf = SHELVES[view.tables.owner].communities
                same = [other for other in searching.seen_in(tx, view) if _is_same(other, community)]
                tx.put(shelf, [other.model_copy(update=dict(update)) for other in same])
                count += len(same)
            return count > 0

        return await self._ctx.transact(work)

    async def all(self) -> list[Community]:
        """Return the communities that the session sees, the finest level first, of each the largest first."""

        def work(tx: Transaction) -> list[Community]:
            return [
                current
                for view in views(self._ctx.ids)
                for current in searching.current(searching.seen_in(tx, view), tx, view)
            ]

        found = await self._ctx.transact(work)
        _note_drawn(source for community in found for source in community.drawn_from)
        return sorted(found, key=lambda community: (community.level, -len(community.entities), community.id))

    @checks_arguments
    async def local_search(self, cue: str, *, limit: Limit = searching.RELATIONS) -> LocalSearch:
        """Return what is known around what a cue names: its entities, those one hop away, and their relations.

        At most ``limit`` relations (20), the strongest, with the context of the communities that the entities are of.
        A cue that names nothing and says "I" or "my" is about the user.
        """
        found = await self._ctx.transact(lambda tx: searching.local_search(tx, views(self._ctx.ids), cue, limit))
        _note_drawn([*found.sources, *(source for community in found.communities for source in community.sources)])
        return found

    @checks_arguments
    async def global_search(self, cue: str, *, limit: Limit = searching.SUMMARIES) -> GlobalSearch:
        """Return the summaries that fit a cue best, at most ``limit`` (10), for a question about all there is."""
        asked = await searching.question_of(cue, self._meaning)
        now = self._ctx.clock.now()

        def work(tx: Transaction) -> GlobalSearch:
            return searching.global_search(tx, views(self._ctx.ids), asked, limit, now, self._meaning)

        found = await self._ctx.transact(work)
        _note_drawn(found.sources)
        return found


def _read(some: Sequence[Material]) -> list[SourceGraph]:
    return [read_by_rules(material) for material in some]


class _Row(NamedTuple):
    id: str


def _note_drawn(sources: Iterable[str]) -> None:
    """Take note of the memories that what is handed out is drawn from."""
    drawn([_Row(source) for source in dict.fromkeys(sources)])


def _unread(tx: Transaction, view: View) -> list[Material]:
    """Return some memories that are not read as they are now; drop the graphs of those that are gone."""
    owner = view.tables.owner
    live, known = live_memories(tx, view), read_before(tx, owner)
    gone = [source for source, how in known.items() if how[0] in view.personas and source not in live]
    tx.delete(SHELVES[owner].graph, gone)
    wanted: list[tuple[str, Held]] = [
        (source, how) for source, how in live.items() if source not in known or known[source][1] != how.digest
    ]
    return materials(tx, view, dict(wanted[:AT_ONCE]))


def _is_untold(how: tuple[str, str, str, int]) -> bool:
    _, _, by, tries = how
    return by == "rules" and tries < MOST_TRIES


def _changed(tx: Transaction, view: View) -> dict[str, tuple[str, list[SourceGraph]]]:
    """Return by persona the digest and the rows of each graph that has changed since it was grouped."""
    owner = view.tables.owner
    ids: dict[str, list[str]] = defaultdict(list)
    told: dict[str, list[str]] = defaultdict(list)
    for source, (persona, digest, by, _) in sorted(read_before(tx, owner).items()):
        if persona in view.personas:
            ids[persona].append(source)
            told[persona].append(f"{source} {digest} {by}")
    before = {name: digest for name, digest in tx.read(SHELVES[owner].state).digests.items() if name in view.personas}
    found: dict[str, tuple[str, list[SourceGraph]]] = {}
    for persona in sorted({*told, *before}):
        digest = hashlib.sha256("\n".join(told[persona]).encode()).hexdigest()
        if before.get(persona) != digest:
            found[persona] = digest, graphs(tx, owner, ids[persona])
    return found


def _is_same(community: Community, other: Community) -> bool:
    return (community.persona, community.digest) == (other.persona, other.digest)


def _with_summary(community: Community, fitting: Mapping[str, Community]) -> Community:
    known = fitting.get(community.digest)
    return community if known is None else community.model_copy(update={"summary": known.summary, "by": known.by})


def _unsummarised(tx: Transaction, seen: Iterable[View]) -> list[Community]:
    found: dict[tuple[Owner, str, str], Community] = {}
    for view in seen:
        for community in searching.seen_in(tx, view):
            if community.by == "rules" and community.tries < MOST_TRIES:
                found.setdefault((view.tables.owner, community.persona, community.digest), community)
    return sorted(found.values(), key=lambda community: (-len(community.entities), community.id))
