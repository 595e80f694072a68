"""Traces as a capability: ``ctx.cap.traces`` adds, corrects, finds and settles what an agent remembers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from fabric.embedding.choose import EmbedderChoice, embedder_of
from fabric.errors import EmbedderError
from fabric.flow.capability import Capability, define_capability
from fabric.flow.context import Context
from fabric.flow.resource import Resource, Transaction
from fabric.record.meanwhile import drawn
from fabric.store.base import RowVectors

from ..arguments import Texts, checks_arguments
from ..equal import one_for
from ..meaning import Meaning
from ..tag_lists import checked_tags
from .archive import ARCHIVE
from .consolidation.run import Consolidation, Derive, Reflection
from .consolidation.steps import Prune
from .feedback import feedback_by_overlap
from .reader import TraceReader
from .record import (
    DEFAULT_TRACES_CONFIG,
    ConsolidationRun,
    Feedback,
    FeedbackNote,
    Trace,
    TracesConfig,
    TraceScope,
    TraceType,
)
from .search.find import Found, find_traces
from .search.query import natural
from .search.reading import parse
from .table import TraceTable, checked_content, joined, used_at
from .tables import RESOURCES, Place, place_of, places, views

MAX_RESULTS = 100
DEFAULT_RESULTS = 10
Encode = Callable[[Context, TraceTable, Place, Trace], tuple[Trace, bool]]
"""Stores a new trace, and returns it and whether it is new, or what says the same."""
Judge = Callable[[TraceTable, str, Feedback], None]
"""Changes a trace, by its id, as feedback on it tells."""


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What a memory does in its own way with its traces; None for the plain way."""

    encode: Encode | None = None
    judge: Judge | None = None
    prune: Prune | None = None


PLAIN = Rules()
Limit = Annotated[int, Field(ge=1, le=MAX_RESULTS)]


class Addition(NamedTuple):
    """What an addition came to: the trace, whether it is new, and the tags that a known one got beside its own."""

    trace: Trace
    is_new: bool
    new_tags: tuple[str, ...] = ()


class Merged(BaseModel):
    """A merge: the id of the new trace, and how many traces it took the place of."""

    model_config = ConfigDict(frozen=True)

    merged_trace_id: str
    sources_deleted: int


class Recalled(BaseModel):
    """A trace that was recalled, as it is now, and its score: its strength times its BM25."""

    model_config = ConfigDict(frozen=True)

    trace: Trace
    score: float


class TraceMemory(TraceReader):
    """The traces that one context may use. Their scopes come from the session, never from an argument.

    RefusedError, which says what to do, where something cannot be done or an argument is of a wrong type.
    """

    def __init__(self, ctx: Context, config: TracesConfig, meaning: Meaning, rules: Rules = PLAIN) -> None:
        super().__init__(ctx, config)
        self._meaning = meaning
        self._rules = rules

    @checks_arguments
    async def add(
        self,
        content: str,
        *,
        type: TraceType = "episodic",
        scope: TraceScope = "user",
        tags: Texts = (),
    ) -> Addition:
        """Add a trace of full strength, or these tags to the one that says the same in this scope, as this type.

        What is added again has been used now. In a cognitive memory a trace is encoded, and has the strength that this
        gives.
        """
        place = place_of(scope, self._ctx.ids)
        text = checked_content(self._ctx.redact(content))
        safe = checked_tags(self._ctx.redact(tag) for tag in tags)
        space, vectors = await self._embedded([text])

        def work(tx: Transaction) -> Addition:
            tx.embedded, table = vectors, self._table(tx, space)
            if self._rules.encode is not None:
                return Addition(*self._rules.encode(self._ctx, table, place, table.new(place, text, type, safe)))
            trace, is_new = table.add(place, text, type, safe)
            if is_new:
                return Addition(trace, is_new)
            tagged = table.added_again(place.tables, trace, safe)
            return Addition(tagged, is_new, tagged.tags[len(trace.tags) :])

        return await self._ctx.transact(work)

    @checks_arguments
    async def update(self, trace_id: str, *, content: str | None = None, tags: Texts | None = None) -> bool:
        """Replace content, tags or both; False when neither is given or there is no such trace."""
        text = None if content is None else checked_content(self._ctx.redact(content))
        safe = None if tags is None else checked_tags(self._ctx.redact(tag) for tag in tags)
        space, vectors = await self._embedded([] if text is None else [text])

        def work(tx: Transaction) -> bool:
            tx.embedded = vectors
            return self._table(tx, space).update(trace_id, text, safe)

        return await self._ctx.transact(work)

    @checks_arguments
    async def delete(self, trace_id: str) -> bool:
        """Delete a trace softly: it stays in the file and is found no more. False when there is no such trace."""
        return await self._ctx.transact(lambda tx: self._table(tx).delete(trace_id))

    @checks_arguments
    async def erase(self, trace_id: str) -> bool:
        """Take a trace, deleted or not, out of the file for good; False when there is none."""
        return await self._ctx.transact(lambda tx: self._table(tx).erase(trace_id))

    @checks_arguments
    async def merge(self, trace_ids: Texts, *, content: str | None = None) -> Merged:
        """Put a new trace in the place of two or more of one scope; without ``content`` theirs, line by line.

        RefusedError, and nothing is merged, when one of the ids is unknown.
        """
        given, ids = None if content is None else checked_content(self._ctx.redact(content)), tuple(trace_ids)
        text = given if given is not None else await self._ctx.transact(lambda tx: self._joined(tx, ids))
        space, vectors = await self._embedded([text] if text else [])

        def work(tx: Transaction) -> Merged:
            tx.embedded = vectors
            trace, count = self._table(tx, space).merge(ids, given)
            return Merged(merged_trace_id=trace.id, sources_deleted=count)

        return await self._ctx.transact(work)

    @checks_arguments
    async def search(
        self,
        query: str,
        *,
        type: TraceType | None = None,
        scope: TraceScope | None = None,
        limit: Limit = DEFAULT_RESULTS,
    ) -> list[Trace]:
        """Return the traces that a query finds, by BM25, best first; nothing is changed by it.

        Words, "phrases", AND, OR, NOT, prefix* and plain language; see `capabilities.traces.search.reading.parse`.
        Without a scope those of every scope that the context can use. At most ``limit``, 1 to 100.
        """
        where, asked = self._searched(scope), parse(query)
        found = await self._ctx.transact(lambda tx: find_traces(tx, where, asked, limit, only=type))
        return drawn([result.trace for result in found])

    @checks_arguments
    async def recall(
        self, query: str, *, scope: TraceScope | None = None, limit: Limit = DEFAULT_RESULTS
    ) -> list[Recalled]:
        """Return the traces that share words with a question in plain language, by strength times BM25, best first.

        Each of them becomes stronger by it: recalling is a use, searching is not.
        """
        where, asked = self._searched(scope), natural(query)

        def work(tx: Transaction) -> list[Recalled]:
            found = find_traces(tx, where, asked, limit, by_strength=True)
            now = self._table(tx).accessed((result.tables, result.trace) for result in found)
            return [_recalled(result, trace) for result, trace in zip(found, now, strict=True)]

        recalled = await self._ctx.transact(work)
        drawn([result.trace for result in recalled])
        return recalled

    @checks_arguments
    async def feedback(self, trace_id: str, signal: Feedback, query: str = "") -> bool:
        """Note that a trace was used in the answer to a query, or ignored; False when there is no such trace.

        One that was used fades from now on, not from when it was made; in a cognitive memory feedback is a use, or
        what `ignore` does.
        """
        return bool(await self._note({trace_id: signal}, query))

    @checks_arguments
    async def feedback_from_response(self, trace_ids: Texts, query: str, response: str) -> dict[str, Feedback]:
        """Note of each trace whether an answer used it, by the words they share, and return that."""

        def read(tx: Transaction) -> dict[str, Feedback]:
            found = (self._table(tx).live(trace_id) for trace_id in dict.fromkeys(trace_ids))
            traces = [held.trace for held in found if held is not None]
            return {trace.id: feedback_by_overlap(trace.content, response) for trace in traces}

        signals = await self._ctx.transact(read)
        return await self._note(signals, query)

    async def reflect(self, derive: Derive | None = None) -> Reflection:
        """Run the six steps of consolidation once; see `capabilities.traces.consolidation`."""
        space = await self._space()

        def table(tx: Transaction) -> TraceTable:
            return self._table(tx, space)

        return await Consolidation(self._ctx, table, self._meaning, derive, self._rules.prune).run()

    async def log(self) -> list[ConsolidationRun]:
        """Return what consolidations did to the traces that the context can use, oldest first."""

        def read(tx: Transaction) -> list[ConsolidationRun]:
            return [run for view in views(tx.ids) for run in tx.find(view.tables.log)]

        return sorted(await self._ctx.transact(read), key=lambda run: run.at)

    async def _note(self, signals: Mapping[str, Feedback], query: str) -> dict[str, Feedback]:
        asked, clock, judge = self._ctx.redact(query), self._ctx.clock, self._rules.judge or _counts_as_use

        def write(tx: Transaction) -> dict[str, Feedback]:
            noted: dict[str, Feedback] = {}
            for trace_id, signal in signals.items():
                held = self._table(tx).live(trace_id)
                if held is not None:
                    note_id, now = clock.new_id("feedback"), clock.now()
                    note = FeedbackNote(id=note_id, trace_id=trace_id, signal=signal, query=asked, at=now)
                    tx.put(held.view.tables.feedback, [note])
                    judge(self._table(tx), trace_id, signal)
                    noted[trace_id] = signal
            return noted

        return await self._ctx.transact(write)

    def _joined(self, tx: Transaction, trace_ids: Sequence[str]) -> str:
        return joined(
            [
                held.trace
                for trace_id in dict.fromkeys(trace_ids)
                if (held := self._table(tx).live(trace_id)) is not None
            ]
        )

    def _searched(self, scope: TraceScope | None) -> list[Place]:
        return places(self._ctx.ids) if scope is None else [place_of(scope, self._ctx.ids)]

    async def _space(self) -> str:
        """Return the name of the space of the vectors, "" without one or while the embedder fails."""
        try:
            return await self._meaning.space()
        except EmbedderError as error:
            self._ctx.log.warning("by words only", error=str(error))
            return ""

    async def _embedded(self, texts: Sequence[str]) -> tuple[str, RowVectors | None]:
        """Return the space of the vectors, and those of the texts."""
        embedded = await self._meaning.embed(texts)
        return embedded.space or await self._space(), embedded.by_text(texts)


def _counts_as_use(table: TraceTable, trace_id: str, signal: Feedback) -> None:
    held = table.live(trace_id)
    if held is not None and signal == "used":
        table.keep_vectors(held.view.tables, [used_at(held.trace, table.clock.now())])


def _recalled(found: Found, trace: Trace) -> Recalled:
    unweighted = found.score / found.trace.strength if found.trace.strength else 0.0
    return Recalled(trace=trace, score=unweighted * trace.strength)


def create_traces_capability(
    config: TracesConfig | Mapping[str, Any] = DEFAULT_TRACES_CONFIG,
    embedder: EmbedderChoice = "default",
    *,
    rules: Rules = PLAIN,
    resources: Sequence[Resource] = (),
) -> Capability[TraceMemory]:
    """Return traces as a capability; the same configuration and embedder always give the same one.

    ``config`` may be a mapping of its fields, ``embedder`` is that of `memory_system`; ConfigurationError for what
    cannot work. ``rules`` may do some things in another way, and need ``resources`` for that.
    """
    settings = TracesConfig.of(config) or DEFAULT_TRACES_CONFIG

    def make() -> Capability[TraceMemory]:
        meaning = Meaning(embedder_of(embedder))
        return define_capability(
            "traces",
            resources=(*RESOURCES, *ARCHIVE, *resources),
            helpers=lambda ctx: TraceMemory(ctx, settings, meaning, rules),
        )

    return one_for(make, "traces", settings.model_dump_json(), embedder, rules)
