"""``ctx.cap.cognitive.observer``: what was said waits until it is observed, and notes until they are reflected on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any, Literal

from capabilities.sources import Source, session_source
from capabilities.tag_lists import cut_tags, unite_tags
from capabilities.traces.record import Trace
from capabilities.traces.table import TraceTable, checked_content
from capabilities.traces.tables import place_of
from capabilities.turns import Turn
from fabric.flow.resource import Transaction
from fabric.text.words import is_blank

from ..encoder import Part
from ..storing import store_encoded
from .conflicts import settle_conflicts
from .record import HeardMessage, Observation, ObserverState, desk_of, total_tokens
from .told import NoteTold, TraceTold, drawn_from

MOST_WAIT = timedelta(hours=1)
"""After how long a model that failed is asked again at the latest; after the first failure it is a minute."""
NEW_TAG = "reflected"


@dataclass(frozen=True, slots=True)
class Observer(Part):
    """The buffer and the notes of one context. What a model makes of them is stored with them, or not at all."""

    def buffer_turns(self, tx: Transaction, turns: Iterable[Turn]) -> int:
        """Put turns into the buffer; one that was heard already is heard once. Returns how many are new."""
        mood = self.encoder.present_mood().valence
        found = [
            HeardMessage(
                id=turn.id,
                role=turn.role,
                text=turn.text,
                speaker=turn.speaker,
                said_at=turn.said_at,
                source=turn.source(),
                valence=mood,
            )
            for turn in turns
            if not is_blank(turn.text)
        ]
        return self._add(tx, found)

    async def buffer_message(self, role: Literal["user", "assistant"], text: str) -> None:
        """Put a message into the buffer that belongs to no turn of a pipeline."""
        now, ctx = self.ctx.clock.now(), self.ctx
        heard = HeardMessage(
            id=ctx.clock.new_id("heard"),
            role=role,
            text=ctx.redact(checked_content(text)),
            said_at=now,
            source=session_source(ctx),
            valence=self.encoder.present_mood().valence,
        )
        await ctx.transact(lambda tx: self._add(tx, [heard]))

    def _add(self, tx: Transaction, found: Sequence[HeardMessage]) -> int:
        place = desk_of(tx.ids).heard
        known = {message.id for message in tx.get_many(place, [message.id for message in found])}
        new = [message for message in found if message.id not in known]
        tx.put(place, new)
        return len(new)

    async def buffered(self) -> list[HeardMessage]:
        """Return what waits to be observed, oldest first."""
        return await self.ctx.transact(lambda tx: tx.find(desk_of(tx.ids).heard))

    async def notes(self) -> list[Observation]:
        """Return the notes that wait to be reflected on, oldest first."""
        return await self.ctx.transact(lambda tx: tx.find(desk_of(tx.ids).notes))

    async def due(self, *, force: bool = False) -> list[HeardMessage]:
        """Return the messages to observe now, as many as one prompt takes; none while there are too few of them.

        ``force`` takes what there is. While a model that failed is left alone there are none.
        """
        heard, limits = await self.buffered(), self.config.observer
        enough = total_tokens(heard) >= limits.tokens
        enough = enough or (limits.messages is not None and len(heard) >= limits.messages)
        if not heard or not (force or enough) or not await self._may_ask():
            return []
        sums = accumulate(message.tokens for message in heard)
        return heard[: max(1, sum(total <= limits.tokens for total in sums))]

    async def to_compress(self) -> list[Observation]:
        """Return the notes to compress now; none while there are few of them."""
        notes = await self.notes()
        is_time = len(notes) >= self.config.observer.compress_at and await self._may_ask()
        return notes if is_time else []

    async def to_reflect(self, *, force: bool = False) -> list[Observation]:
        """Return the notes to reflect on now; none while there are too few of them."""
        notes, limits = await self.notes(), self.config.reflector
        enough = total_tokens(notes) >= limits.tokens or (limits.notes is not None and len(notes) >= limits.notes)
        return notes if notes and (force or enough) and await self._may_ask() else []

    async def left_alone_until(self) -> datetime | None:
        """Return until when a model that failed is not asked; None where it is."""
        again = (await self.ctx.transact(lambda tx: tx.read(desk_of(tx.ids).state))).not_before
        return again if again is not None and self.ctx.clock.now() < again else None

    async def _may_ask(self) -> bool:
        return await self.left_alone_until() is None

    async def failed(self) -> None:
        """Note that a model failed: it is left alone for a minute, twice as long after each failure, up to an hour."""

        def work(tx: Transaction) -> None:
            place = desk_of(tx.ids).state
            failures = tx.read(place).failures + 1
            wait = min(timedelta(minutes=2 ** min(failures - 1, 10)), MOST_WAIT)
            tx.write(place, ObserverState(failures=failures, not_before=self.ctx.clock.now() + wait))

        await self.ctx.transact(work)

    async def note_down(self, heard: Sequence[HeardMessage], told: Sequence[NoteTold]) -> list[Observation] | None:
        """Replace buffered messages by the notes that a model made of them, in one transaction; return the notes.

        Returns None, and changes nothing, where one of the messages is no longer there: forgotten, or observed by
        another run. Each note is marked to be looked through for reminders, until `mark_proposed`.
        """
        made = [
            note.model_copy(update={"proposes": True})
            for note in self._observations(told, [[message.source] for message in heard])
        ]
        done = await self.ctx.transact(lambda tx: self._replace(tx, desk_of(tx.ids).heard, heard, made))
        return made if done else None

    async def proposing(self) -> list[Observation]:
        """Return the notes from which reminders are still to be made, also those that a killed process left."""
        return [note for note in await self.notes() if note.proposes]

    async def mark_proposed(self, notes: Sequence[Observation]) -> None:
        """Mark notes as looked through for reminders, so that `proposing` returns them no more."""

        def work(tx: Transaction) -> None:
            place = desk_of(tx.ids).notes
            held = tx.get_many(place, [note.id for note in notes])
            tx.put(place, [note.model_copy(update={"proposes": False}) for note in held])

        await self.ctx.transact(work)

    async def compress(self, notes: Sequence[Observation], told: Sequence[NoteTold]) -> list[Observation] | None:
        """Replace notes by fewer, in one transaction; None, and nothing changes, if they are no fewer or one went."""
        made = self._observations(told, [note.sources for note in notes])
        if not 0 < len(made) < len(notes):
            return None
        done = await self.ctx.transact(lambda tx: self._replace(tx, desk_of(tx.ids).notes, notes, made))
        return made if done else None

    def _observations(self, told: Sequence[NoteTold], sources: Sequence[Sequence[Source]]) -> list[Observation]:
        now, ctx = self.ctx.clock.now(), self.ctx
        return [
            Observation(
                id=ctx.clock.new_id("note"),
                kind=note.kind,
                content=ctx.redact(note.content.strip()),
                importance=note.importance,
                looks_ahead=note.looks_ahead,
                when=ctx.redact(note.when),
                made_at=now,
                sources=drawn_from(note.numbers, sources),
            )
            for note in told
            if not is_blank(note.content)
        ]

    def _replace(self, tx: Transaction, place: Any, old: Sequence[Any], new: Sequence[Observation]) -> bool:
        ids, desk = [row.id for row in old], desk_of(tx.ids)
        if len(tx.get_many(place, ids)) < len(ids):
            return False
        tx.delete(place, ids)
        tx.put(desk.notes, new)
        tx.write(desk.state, ObserverState())
        return True

    async def learn(
        self, notes: Sequence[Observation], told: Sequence[TraceTold], keep: Sequence[int], known: Sequence[Trace]
    ) -> list[Trace] | None:
        """Encode what was learned from notes and consume these, but for those to ``keep``; ``known`` may be replaced.

        None, and nothing changes, where one of the notes went meanwhile.
        """
        texts = [self.ctx.redact(proposal.content.strip()) for proposal in told]
        learned = [(text, proposal) for text, proposal in zip(texts, told, strict=True) if not is_blank(text)]
        kept = {notes[number - 1].id for number in keep if 1 <= number <= len(notes)}
        embedded = await self.meaning.embed_stored([text for text, _ in learned])

        def work(tx: Transaction) -> list[Trace] | None:
            desk, ids = desk_of(tx.ids), [note.id for note in notes]
            if len(tx.get_many(desk.notes, ids)) < len(ids):
                return None
            tx.embedded = embedded.by_text([text for text, _ in learned])
            table = self.table(tx, embedded.space)
            made = [self._learned(table, text, proposal, notes, known) for text, proposal in learned]
            tx.delete(desk.notes, [note_id for note_id in ids if note_id not in kept])
            tx.write(desk.state, ObserverState())
            return made

        return await self.ctx.transact(work)

    def _learned(
        self, table: TraceTable, text: str, told: TraceTold, notes: Sequence[Observation], known: Sequence[Trace]
    ) -> Trace:
        where = place_of(told.scope if table.tx.ids.has("user") else None, table.tx.ids)
        now = self.ctx.clock.now()
        fields = self.encoder.fields(text, now, source_type="reflection")
        sources = drawn_from(told.numbers, [note.sources for note in notes])
        fields |= {"confidence": told.confidence, "session": self.ctx.session, "said_at": now, "role": "assistant"}
        fields |= {"sources": sources} if sources else {}
        tags = unite_tags([*cut_tags(map(self.ctx.redact, told.tags)), NEW_TAG])
        new = table.new(where, text, told.type, tags, **fields)
        done = store_encoded(table, where, new, self.config)
        if not done.is_new:
            return done.trace
        shown = {trace.id for trace in known}
        over = dict.fromkeys([*done.contradicts, *(trace_id for trace_id in told.replaces if trace_id in shown)])
        return settle_conflicts(table, where.tables, done.trace, list(over), self.config)
