"""``ctx.cap.cognitive``: encode, retrieve, use, hold in mind, sweep and restore."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.record.meanwhile import drawn

from ..arguments import Texts, checks_arguments
from ..formulas import slots as slot_rules
from ..formulas.encoding import Features
from ..formulas.slots import Slot, Slots
from ..hypothesis import NONE, GivenHypothesis
from ..meaning import Meaning
from ..prospective.memory import ProspectiveMemory
from ..sources import Source, check_kept
from ..tag_lists import checked_tags
from ..traces.consolidation.run import Derive
from ..traces.graph import clusters as connected
from ..traces.notes import read_notes, write_notes
from ..traces.reader import TraceReader
from ..traces.record import DEFAULT_TRACES_CONFIG, Edge, EdgeType, SourceType, Trace, TraceScope, TraceType
from ..traces.table import checked_content
from ..traces.tables import place_of, views
from . import retrieval
from .config import CognitiveConfig
from .consolidation.cycle import Cycle, Gist
from .consolidation.reclassifying import Reclassification, by_words
from .consolidation.result import CognitiveRun, Consolidated, last_lines
from .content.features import detect
from .content.sentiment import sentiment
from .encoder import Encoder, mood_of, type_of
from .given import GivenData, GivenMood, GivenWeights
from .graph import WEIGHTS as EDGE_WEIGHTS
from .graph import edges_in, graph_of, tie_traces, ties_of
from .mechanisms.on_use import rivals_of
from .observing.observer import Observer
from .outlook import Outlook, outlooks
from .prompt.assembling import Asked
from .prompt.collecting import most_shown, prompt_of
from .prompt.prompt import Assembled, Style, style_of
from .results import Encoding, Retrieval, Swept, Tie
from .slots import IN_MIND, InMind, brought_to
from .storing import ignore_traces, restore_traces, store_encoded, sweep_view, use_traces
from .witnesses.remembering import Witnessing

if TYPE_CHECKING:
    import networkx as nx

Limit = Annotated[int, Field(ge=1, le=100)]


class CognitiveMemory(TraceReader):
    """The cognitive memory of one context: traces of the scopes that its session can use, and what is in mind.

    RefusedError, which says what to do, where something cannot be done or an argument is of a wrong type.
    """

    def __init__(
        self,
        ctx: Context,
        config: CognitiveConfig,
        encoder: Encoder,
        meaning: Meaning,
        prospective: ProspectiveMemory,
    ) -> None:
        super().__init__(ctx, DEFAULT_TRACES_CONFIG)
        self._prospective = prospective
        self._config = config
        self._encoder = encoder
        self.meaning = meaning
        self._shared = (ctx, config, encoder, meaning, self._table)

    @property
    def observer(self) -> Observer:
        """The buffer of messages that wait to be observed by a model, and the notes made of them."""
        return Observer(*self._shared)

    @property
    def witnessing(self) -> Witnessing:
        """Encodes events as memory traces of the agent of this context, told from its point of view."""
        return Witnessing(*self._shared)

    @checks_arguments
    async def encode(
        self,
        content: str,
        *,
        type: TraceType | None = None,
        scope: TraceScope | None = None,
        tags: Texts = (),
        entities: Texts | None = None,
        source_type: SourceType = "user_statement",
        confidence: Annotated[float, Field(ge=0, le=1)] = 0.8,
        mood: GivenMood = None,
        mood_name: str = "",
        features: Features | None = None,
        valence: Annotated[float, Field(ge=-1, le=1)] | None = None,
        data: GivenData = None,
        speaker: str = "",
        role: str = "",
        said_at: datetime | None = None,
        source: Source | None = None,
        reclassify: bool = False,
    ) -> Encoding:
        """Encode a text as a trace, or strengthen the one that says the same.

        ``type`` and ``scope`` are chosen where they are None: what it says decides the type, the user's own traces are
        of user scope, those of a session without a user of thread scope. ``mood`` is the present one unless it is
        given; ``features`` and ``valence`` (-1 to 1) are read from the content. ``data`` is kept as it is. ``source``
        is the turn in which it was said, that of the run unless it is given; of one turn the same text counts once.
        With ``reclassify`` it waits for a model to tell its features, unless they are given: see `reclassification`.
        """
        text, now = checked_content(self._ctx.redact(content)), self._ctx.clock.now()
        where = place_of(scope, self._ctx.ids)
        felt = self._encoder.present_mood() if mood is None else mood_of(mood)
        holds = detect(text) if features is None else features
        fields = self._encoder.fields(text, now, source_type=source_type, mood=felt, features=holds, valence=valence)
        if entities is not None:
            fields["entities"] = tuple(self._ctx.redact(name) for name in entities)
        fields |= {
            "confidence": confidence,
            "mood": mood_name,
            "data": self._ctx.clean(dict(data or {})),
            "session": self._ctx.session,
            "said_at": said_at or now,
            "speaker": speaker,
            "role": role,
            "sources": (source or self._source,),
        }
        if reclassify and features is None:
            fields |= by_words(felt, sentiment(text) if valence is None else valence)
        safe = checked_tags(self._ctx.redact(tag) for tag in tags)
        embedded = await self.meaning.embed_stored([text])
        kind = type or type_of(text, holds)  # reads the text, which others must not wait for

        def work(tx: Transaction) -> Encoding:
            check_kept(source or self._source, self._ctx)
            tx.embedded, table = embedded.by_text([text]), self._table(tx, embedded.space)
            return store_encoded(table, where, table.new(where, text, kind, safe, **fields), self._config)

        return await self._ctx.transact(work)

    @checks_arguments
    async def retrieve(
        self,
        cue: str,
        *,
        limit: Limit = 20,
        types: Sequence[TraceType] = (),
        scopes: Sequence[TraceScope] = (),
        mood: GivenMood = None,
        neutral_mood: bool = False,
        weights: GivenWeights = None,
        least_strength: Annotated[float, Field(ge=0, le=1)] = 0.0,
        since: datetime | None = None,
        until: datetime | None = None,
        hypothesis: GivenHypothesis = NONE,
    ) -> Retrieval:
        """Return what a cue brings to mind, best first, with the six signals of each; nothing is changed by it.

        ``neutral_mood`` leaves moods out, for looking things up; ``weights`` of signals that are not named stay.
        ``least_strength`` is what must be left of a trace; ``since`` and ``until`` bound when it was made. What was
        of use is told by `use`. ``hypothesis`` is an answer as it might be, whose meaning is looked for, too.
        """
        for scope in scopes:
            place_of(scope, self._ctx.ids)
        felt = None if neutral_mood else self._encoder.present_mood() if mood is None else mood_of(mood)
        config = self._config if weights is None else _weighed(self._config, weights)
        sought = retrieval.Sought(cue, limit, frozenset(types), frozenset(scopes), since, until, least_strength, felt)
        sought = replace(sought, hypothesis=hypothesis)
        found = await retrieval.retrieve(self._ctx, config, self.meaning, sought)
        drawn([result.trace for result in found.results])
        return found

    @checks_arguments
    async def assemble(
        self,
        cue: str,
        tokens: Annotated[int, Field(ge=1)] = 1_000,
        *,
        style: Style | None = None,
        events: Texts = (),
        found: Retrieval | None = None,
    ) -> Assembled:
        """Return what a prompt gets for a cue, within so many tokens.

        What of it is relevant to the cue counts as used once the turn is over; what only had room keeps fading.
        ``style`` is that of the personality unless it is given: how memories are written. Reminders that are due are
        told, those of ``events`` too, and count as brought back once the run is stored. ``found`` is what was retrieved
        for the cue in another way than by itself.
        """
        found = await self.retrieve(cue, limit=most_shown(tokens)) if found is None else found
        sought = await self._prospective.sought(cue, events)
        chosen = style or style_of(self._config.traits)
        asked = Asked(found, sought, tokens, chosen, self._ctx.clock.now(), self._source.turn_id)
        return await self._ctx.transact(lambda tx: prompt_of(self._table(tx), self._config, self._prospective, asked))

    @checks_arguments
    async def use(self, trace_ids: Texts, *, among: Retrieval | None = None) -> list[Trace]:
        """Note that traces were of use: they become stronger, come to mind, and the first are tied to one another.

        ``among`` is the retrieval that they are from: with the mechanisms at work its others fade faster for it.
        """
        ids = tuple(trace_ids)
        rivals = () if among is None else rivals_of(among, ids, self._config)

        def work(tx: Transaction) -> list[Trace]:
            used = use_traces(self._table(tx), ids, self._config, self._encoder.present_mood(), rivals)
            if used:
                mind = tx.read(IN_MIND)
                slots, gone = brought_to(mind.slots(self._config), used)
                tx.write(IN_MIND, mind.with_slots(slots))
                self._settle_evicted(tx, gone)
            return used

        return await self._ctx.transact(work)

    @checks_arguments
    async def ignore(self, trace_ids: Texts) -> list[Trace]:
        """Mark traces as shown and not used: a tenth weaker, and fading twice as fast. Returns those found."""
        ids = tuple(trace_ids)
        return await self._ctx.transact(lambda tx: ignore_traces(self._table(tx), ids, self._config))

    @property
    def reclassification(self) -> Reclassification:
        """The traces whose emotional features were read by word lists and wait to be read by a model."""
        return Reclassification(*self._shared)

    async def outlook(self) -> list[Outlook]:
        """Return how every trace stands that the context sees: what is left of it, until when, and what keeps it."""
        found = await self._ctx.transact(lambda tx: outlooks(tx, self._config, self._ctx.clock.now()))
        drawn([result.trace for result in found])
        return found

    @checks_arguments
    async def ties(self, trace_id: str) -> list[Tie]:
        """Return the edges of a trace, the heaviest first; none for a trace that is not there."""
        return await self._ctx.transact(lambda tx: ties_of(self._table(tx), trace_id))

    @checks_arguments
    async def tie(
        self,
        trace_id: str,
        other_id: str,
        type: EdgeType,
        *,
        weight: Annotated[float, Field(ge=0, le=1)] | None = None,
    ) -> bool:
        """Tie two traces of one scope, or make their edge of this type as heavy; False where one is not there.

        ``weight`` is by default what edges of the type weigh. RefusedError for traces of different scopes.
        """
        chosen = EDGE_WEIGHTS.get(type, 0.5) if weight is None else weight
        return await self._ctx.transact(lambda tx: tie_traces(self._table(tx), trace_id, other_id, type, chosen))

    @checks_arguments
    async def clusters(
        self, least: Annotated[int, Field(ge=2)] = 5, *, scope: TraceScope | None = None
    ) -> list[list[str]]:
        """Return the groups of traces that ties connect, at least so many in each, the largest first."""
        return connected(await self._edges(scope), least)

    async def graph(self, scope: TraceScope | None = None) -> "nx.MultiGraph[str]":
        """Return the graph of one scope, by default the one that `encode` writes to; its nodes are ids of traces."""
        return graph_of(await self._edges(scope))

    async def in_mind(self) -> Slots:
        """Return the slots of this session's working memory: which traces they hold, and how active each is."""
        return (await self._ctx.transact(lambda tx: tx.read(IN_MIND))).slots(self._config)

    @checks_arguments
    async def focus(self, trace_id: str) -> Slot | None:
        """Hold a trace in a slot, or activate the slot that holds it more; None where there is no such trace."""

        def work(tx: Transaction) -> Slot | None:
            if self._table(tx).live(trace_id) is None:
                return None
            mind = tx.read(IN_MIND)
            slots, slot, gone = slot_rules.focus(mind.slots(self._config), trace_id)
            tx.write(IN_MIND, mind.with_slots(slots))
            self._settle_evicted(tx, [gone] if gone else [])
            return slot

        return await self._ctx.transact(work)

    @checks_arguments
    async def rehearse(self, slot_id: str) -> bool:
        """Rehearse a slot, which raises its activation by 0.15; False where no slot has that id."""

        def work(tx: Transaction) -> bool:
            mind = tx.read(IN_MIND)
            slots = slot_rules.rehearse(mind.slots(self._config), slot_id)
            tx.write(IN_MIND, mind.with_slots(slots))
            return any(slot.id == slot_id for slot in slots.held)

        return await self._ctx.transact(work)

    async def end_turn(self) -> list[str]:
        """Let a turn pass: what prompts showed counts as used, the rest of what is in mind fades a little.

        Returns the ids of the traces that left the mind. What had been rehearsed there is strengthened as a trace.
        """
        return await self._ctx.transact(self.turn_ended)

    def turn_ended(self, tx: Transaction) -> list[str]:
        """Do the same inside a transaction."""
        mind = tx.read(IN_MIND)
        slots, gone = slot_rules.fade(mind.slots(self._config))
        mood = self._encoder.present_mood()
        used = use_traces(self._table(tx), mind.prompted, self._config, mood, mind.rivals)
        slots, pushed = brought_to(slots, used)
        tx.write(IN_MIND, InMind().with_slots(slots))
        self._settle_evicted(tx, [*gone, *pushed])
        return [slot.trace for slot in (*gone, *pushed)]

    def _settle_evicted(self, tx: Transaction, gone: Sequence[Slot]) -> None:
        """Strengthen what left the mind and had been rehearsed: it goes back to long-term memory."""
        use_traces(self._table(tx), [slot.trace for slot in gone if slot.rehearsals], self._config)

    async def sweep(self) -> Swept:
        """Remove what has faded, restorably, and erase what was removed long ago; an emotion protects a trace."""

        def work(tx: Transaction) -> list[Swept]:
            return [sweep_view(self._table(tx), view, self._config) for view in views(tx.ids)]

        done = await self._ctx.transact(work)
        return Swept(
            looked_at=sum(sweep.looked_at for sweep in done),
            faded=tuple(trace_id for sweep in done for trace_id in sweep.faded),
            erased=sum(sweep.erased for sweep in done),
        )

    async def consolidate(self, *, derive: Derive | None = None, gist: Gist | None = None) -> Consolidated:
        """Run one cycle of consolidation over all that the context sees: the five steps, then the mechanisms.

        ``derive`` draws a schema from traces and ``gist`` makes a gist of one, both by a model: without them no schema
        is drawn, and a gist is the first words. All zeros while another consolidation is at work on the same traces.
        """
        return await Cycle(*self._shared, derive, gist).run()

    async def last_consolidation(self) -> list[CognitiveRun]:
        """Return what the last cycle did to the traces of each owner, and why; nothing where there was none."""
        return await self._ctx.transact(lambda tx: last_lines(tx, views(tx.ids)))

    @checks_arguments
    async def restore(self, trace_ids: Texts) -> list[Trace]:
        """Bring back traces that a sweep removed; returns those that could be."""
        ids = tuple(trace_ids)
        return await self._ctx.transact(lambda tx: restore_traces(self._table(tx), ids, self._config))

    async def notes(self) -> str:
        """Return what the agent has written down about its user, as Markdown."""
        return await self._ctx.transact(read_notes)

    @checks_arguments
    async def write_notes(self, text: str) -> None:
        """Replace those notes."""
        safe = self._ctx.redact(text)
        await self._ctx.transact(lambda tx: write_notes(tx, safe))

    async def _edges(self, scope: TraceScope | None) -> list[Edge]:
        where = place_of(scope, self._ctx.ids)
        return await self._ctx.transact(lambda tx: edges_in(tx, where))


def _weighed(config: CognitiveConfig, weights: Mapping[str, float]) -> CognitiveConfig:
    return config.model_copy(update={"weights": replace(config.weights, **weights)})
