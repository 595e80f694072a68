"""Remembering what was witnessed: the trace of one witness, with the event as it was in the archive."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from capabilities.sources import is_forgotten, source_of
from capabilities.tag_lists import checked_tags
from capabilities.traces.archive import archive
from capabilities.traces.record import Trace, content_hash
from capabilities.traces.table import TraceTable, checked_content
from capabilities.traces.tables import place_of
from fabric.flow.resource import Transaction

from ..encoder import Part, type_of
from ..mechanisms.metadata import MechanismMetadata, noting
from ..storing import store_encoded
from .record import Event, Witnessed, snapshot

PERSPECTIVE = "perspective"
"""The name in a trace's data of what its witness was like; also its tag."""


@dataclass(frozen=True, slots=True)
class Telling:
    """An event and how a witness tells it: in its own words, or "" for as it was, for a reason."""

    event: Event
    told: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Witnessing(Part):
    """Encodes what one witness saw into the memory of its session."""

    async def remember(self, tellings: Sequence[Telling]) -> list[Witnessed]:
        """Encode all tellings in one transaction; each event is archived as it was where it is told otherwise.

        Where the run's turn was forgotten meanwhile nothing is kept, and each says so.
        """
        tellings = [Telling(telling.event, self.ctx.redact(telling.told), telling.reason) for telling in tellings]
        texts = [self._text(telling) for telling in tellings]
        embedded = await self.meaning.embed_stored(texts)

        def work(tx: Transaction) -> list[Witnessed]:
            if is_forgotten(source_of(self.ctx), self.ctx):
                reason = "its session was forgotten meanwhile: nothing is kept of it"
                return [
                    Witnessed(event=telling.event.id, trace_id="", is_perspective=False, reason=reason)
                    for telling in tellings
                ]
            tx.embedded = embedded.by_text(texts)
            table = self.table(tx, embedded.space)
            return [self._remember(table, telling, text) for telling, text in zip(tellings, texts, strict=True)]

        return await self.ctx.transact(work)

    def _text(self, telling: Telling) -> str:
        return checked_content(telling.told or self.ctx.redact(telling.event.content))

    def _remember(self, table: TraceTable, telling: Telling, text: str) -> Witnessed:
        event, now = telling.event, self.ctx.clock.now()
        ids = table.tx.ids
        where = place_of("persona" if ids.has("user") and ids.has("agent") else None, ids)
        fields = self.encoder.fields(text, now, source_type="observation")
        fields |= {"session": self.ctx.session, "said_at": event.at or now}
        if event.entities is not None:
            fields["entities"] = tuple(map(self.ctx.redact, event.entities))
        new = table.new(where, text, type_of(text), checked_tags(map(self.ctx.redact, event.tags)), **fields)
        if telling.told:
            new = self._from_its_side(new, event)
        done = store_encoded(table, where, new, self.config)
        if telling.told:
            objective = done.trace.model_copy(update={"content": self.ctx.redact(event.content)})
            archive(table.tx, where.tables.owner, [objective], "perspective_source", now)
        return Witnessed(
            event=event.id, trace_id=done.trace.id, is_perspective=bool(telling.told), reason=telling.reason
        )

    def _from_its_side(self, new: Trace, event: Event) -> Trace:
        felt = self.encoder.present_mood()
        told = snapshot(
            event,
            content_hash(self.ctx.redact(event.content)),
            (felt.valence, felt.arousal, felt.dominance),
            asdict(self.config.traits),
        )
        noted = noting(new, MechanismMetadata(is_perspective=True))
        return new.model_copy(update={"data": {**noted, PERSPECTIVE: told}})
