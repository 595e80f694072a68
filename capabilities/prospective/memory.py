"""``ctx.cap.prospective``: remember to do something later, look what is due, and settle it."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import Field

from fabric.errors import RefusedError
from fabric.flow.context import Context
from fabric.flow.resource import Transaction
from fabric.record.meanwhile import drawn
from fabric.text.words import is_blank
from fabric.threads.portal import elsewhere

from ..arguments import Texts, checks_arguments
from ..sources import check_kept, source_here
from ..traces.record import TraceScope
from ..traces.tables import place_of
from . import state
from .arming import Asked, Every, armed
from .commitments import Proposal
from .contexts import Contexts
from .record import MAX_CONTENT_CHARS, Due, Intention, ProspectiveConfig, Status, Trigger
from .tables import Intentions
from .time.when import At, when
from .time.zones import zone_of

Zone = Callable[[Context], ZoneInfo]
Share = Annotated[float, Field(ge=0, le=1)]
LOOK_IT_UP = "Look the ids up in the list of reminders."


@dataclass(frozen=True, slots=True)
class Sought:
    """What is going on now: the names of events, and how similar the present context is to cues that it is near to."""

    events: Collection[str] = ()
    similarities: Mapping[str, float] = field(default_factory=dict[str, float])


class ProspectiveMemory:
    """The intentions of one context. Their scopes come from the session.

    RefusedError, which says what to do, where something cannot be done or an argument is of a wrong type.
    """

    def __init__(self, ctx: Context, config: ProspectiveConfig, zone: Zone, contexts: Contexts) -> None:
        self._ctx = ctx
        self._config = config
        self._zone = zone
        self._contexts = contexts

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the user."""
        return self._zone(self._ctx)

    @checks_arguments
    async def remind(
        self,
        content: str,
        *,
        at: At | None = None,
        on: Texts = (),
        about: str = "",
        every: Every | None = None,
        recurring: bool = False,
        importance: Share = 0.5,
        threshold: Share | None = None,
        scope: TraceScope | None = None,
        derived_from: Texts = (),
    ) -> Intention:
        """Remember to do something: at a time, on events of these names, or when something is talked about.

        ``at`` is a text ("tomorrow at 9", in the user's zone), a datetime (naive: in that zone), a date or a length of
        time from now. ``every`` ("day", "Monday at 9", an RRULE) lets it recur; with ``on`` or ``about`` it comes back
        once in so long at most. ``threshold`` is how similar what is talked about must be. ``scope`` is by default the
        user's, in a session without a user the session's.
        """
        asked = Asked(at, tuple(on), about, every, recurring, threshold)
        more = {"importance": importance, "derived_from": tuple(derived_from)}
        return await self._remind(self._ctx.clock.new_id("pm"), content, asked, scope, more)

    async def _remind(
        self,
        intention_id: str,
        content: str,
        asked: Asked,
        scope: TraceScope | None,
        more: Mapping[str, Any],
        said_at: datetime | None = None,
    ) -> Intention:
        text, redact = self._checked(content), self._ctx.redact
        asked = replace(asked, on=[redact(name) for name in asked.on], about=redact(asked.about))
        where, now = place_of(scope, self._ctx.ids), self._ctx.clock.now()
        # reading a time may take a while
        fields = await elsewhere(lambda: armed(asked, said_at or now, self.zone, self._config))
        if said_at is not None and asked.at and fields["due_at"] <= now:
            raise RefusedError("the time has passed since that was said", do="Name one that is to come.")
        intention = Intention(
            id=intention_id,
            content=text,
            scope=where.scope,
            persona=where.persona,
            created_at=now,
            updated_at=now,
            source=source_here(self._ctx),
            made_by=self._ctx.path,
            **more,
            **fields,
        )
        return await self._added(intention)

    async def _added(self, intention: Intention) -> Intention:
        """Store an intention, once however often a job or a named turn runs, and return the one that is kept."""
        told = json.dumps([intention.content, intention.scope, intention.events, intention.cue, intention.rule])
        key = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        # What happens once is journaled, and forgetting finds no text there: ids alone are.
        kept = await self._ctx.transact(
            lambda tx: self._kept(tx, intention).id,
            once=f"remind {key} {self._counted(key)}",
        )
        found = await self._ctx.transact(lambda tx: self._table(tx).find(kept))
        if found is None:
            raise RefusedError("the reminder was forgotten while it was made", do="Make another one.")
        return found

    def _kept(self, tx: Transaction, intention: Intention) -> Intention:
        check_kept(intention.source, self._ctx)
        return self._table(tx).add(intention, self._config.most_pending)

    async def take_up(
        self,
        proposal: Proposal,
        *,
        scope: TraceScope | None = None,
        note: str = "",
        said_at: datetime | None = None,
    ) -> Intention:
        """Make an intention of what a note proposes: at its time, where that can be read, else when it comes up.

        ``note`` is the note's id: what was made of one is there once, however often it is taken up. ``said_at`` is when
        it was said, from which "tomorrow" is counted; now without one.
        """
        made = f"pm_{note}" if note else self._ctx.clock.new_id("pm")
        more = {"importance": proposal.importance, "derived_from": proposal.derived_from}
        if proposal.when:
            try:
                return await self._remind(made, proposal.content, Asked(at=proposal.when), scope, more, said_at)
            except RefusedError:  # no time, or one that has passed: it may come up all the same
                self._ctx.log.info("a commitment names no time to come")
        return await self._remind(made, proposal.content, Asked(about=proposal.content), scope, more)

    @checks_arguments
    async def check(self, *, cue: str = "", events: Texts = ()) -> list[Due]:
        """Return the intentions that are due, the most important first, and mark them: each due time is given once.

        ``cue`` is what is talked about, ``events`` what has happened. It counts once the run, or background job, is
        stored: where that fails, or its process ends before, all of it is due again. Another try of a block, and a
        named turn or job that runs again, is given the same.
        """
        sought = await self.sought(cue, events)
        run, ids = await self._ctx.transact(
            lambda tx: [self._ctx.run.id, [intention.id for intention in self._fire(tx, self.due_in(tx, sought))]],
            once=f"reminders {self._counted('check')}",
        )
        if run != self._ctx.run.id:  # an earlier run of this turn or job did it, and was not stored
            return drawn(await self._ctx.transact(lambda tx: self.claim(tx, ids)))
        if ids:
            self._ctx.when_stored(self._make_certain)
        return drawn(await self._ctx.transact(lambda tx: self._brought_back(tx, ids)) if ids else [])

    @checks_arguments
    async def due(self, *, cue: str = "", events: Texts = ()) -> list[Due]:
        """Return what `check` would bring back, and change nothing."""
        sought = await self.sought(cue, events)
        now = self._ctx.clock.now()
        found = await self._ctx.transact(lambda tx: self.due_in(tx, sought))
        return drawn([state.due_of(intention, state.fired(intention, now)) for intention in found])

    async def sought(self, cue: str, events: Iterable[str] = ()) -> Sought:
        """Return what is going on, as `due_in` takes it: the cue is compared with the cues of intentions."""
        near: Mapping[str, float] = {}
        if cue.strip():
            waiting = await self._ctx.transact(lambda tx: self._table(tx).waiting(None, ["context_based"]))
            held = {intention.id: intention for intention in waiting if intention.trigger == "context_based"}
            alike = await self._contexts.similarities(cue, {key: intention.cue for key, intention in held.items()})
            near = {key: share for key, share in alike.items() if share > held[key].threshold}
        return Sought(frozenset(self._ctx.redact(name).strip() for name in events), near)

    def due_in(self, tx: Transaction, sought: Sought) -> list[Intention]:
        """Return what is due, the most important first, inside a transaction; it is not brought back by that.

        What another run brought back that is still under way is left to that one.
        """
        now, free = self._ctx.clock.now(), {"", self._ctx.run.id}
        going_on: Mapping[Trigger, object] = {"event_based": sought.events, "context_based": sought.similarities}
        triggers: list[Trigger] = [trigger for trigger, found in going_on.items() if found]
        table = self._table(tx)
        if not getattr(self._ctx.clock, "is_set", False):  # that of a replay is taken at its word
            table.set_right(now)
        waiting = [intention for intention in table.waiting(now, triggers) if intention.claimed in free]
        return state.in_order(
            intention for intention in waiting if state.is_due(intention, now, sought.events, sought.similarities)
        )

    def shown_in(self, tx: Transaction, sought: Sought) -> list[Due]:
        """Return what a prompt of this run is to show: what is due, and what the run has brought back before."""
        now, run = self._ctx.clock.now(), self._ctx.run.id
        before = {intention.id: (state.undone(intention), intention) for intention in self._table(tx).claimed(run)}
        told = before | {
            intention.id: (intention, state.fired(intention, now)) for intention in self.due_in(tx, sought)
        }
        return [
            state.due_of(*told[intention.id])
            for intention in state.in_order(intention for intention, _ in told.values())
        ]

    def claim(self, tx: Transaction, ids: Iterable[str]) -> list[Due]:
        """Bring back pending intentions inside a transaction, for good once the run is stored.

        What a run under way has brought back, this one too, is left out.
        """
        found = [intention for each in ids if (intention := self._table(tx).find(each)) is not None]
        due = self._fire(
            tx, [intention for intention in found if intention.status == "pending" and not intention.claimed]
        )
        if due:
            self._ctx.when_stored(self._make_certain)
        return due

    async def pending(self) -> list[Intention]:
        """Return what waits, as it is due: by the clock first, then what an event or a context brings back."""
        found = await self._ctx.transact(lambda tx: self._table(tx).pending())
        return drawn(sorted(found, key=_by_time))

    async def all(self) -> list[Intention]:
        """Return all intentions that the context sees, in whichever state."""
        return drawn(sorted(await self._ctx.transact(lambda tx: self._table(tx).all()), key=_by_time))

    @checks_arguments
    async def get(self, intention_id: str) -> Intention | None:
        """Return an intention by its id; None where the context sees none with it."""
        return drawn(await self._ctx.transact(lambda tx: self._table(tx).find(intention_id)))

    @checks_arguments
    async def snooze(self, intention_id: str, until: At, *, zone: str | None = None) -> Intention:
        """Put one off until a time, given as to `remind`: it comes back then, brought back before or not.

        ``zone`` is the time zone in which the time is meant, the user's unless it is given.
        """
        now, there = self._ctx.clock.now(), self.zone if zone is None else zone_of(zone)
        later = await elsewhere(lambda: when(until, now, there, self._config.day_begins))
        return await self._changed(intention_id, lambda intention: state.snoozed(intention, later, now))

    @checks_arguments
    async def done(self, intention_id: str) -> Intention:
        """Mark an intention as done; of a recurring one only this time is done, and `cancel` ends it."""
        return await self._changed(intention_id, lambda intention: state.done(intention, self._ctx.clock.now()))

    @checks_arguments
    async def cancel(self, intention_id: str) -> Intention:
        """Cancel an intention: it is not brought back, and does not recur."""
        return await self._changed(
            intention_id, lambda intention: state.ended(intention, "cancelled", self._ctx.clock.now())
        )

    async def _changed(self, intention_id: str, change: Callable[[Intention], Intention]) -> Intention:
        def work(tx: Transaction) -> Intention:
            found = self._table(tx).find(intention_id)
            if found is None:
                raise RefusedError(f"there is no reminder {intention_id!r:.80}", do=LOOK_IT_UP)
            if found.status in _OVER:
                raise RefusedError(f"{intention_id} is {found.status}", do="Make a new reminder.")
            changed = change(found)
            self._table(tx).put([changed])
            return changed

        return drawn(await self._ctx.transact(work))

    def _brought_back(self, tx: Transaction, ids: Sequence[str]) -> list[Due]:
        """Return what is told of some that this run has brought back."""
        held = {intention.id: intention for intention in self._table(tx).claimed(self._ctx.run.id)}
        return [
            state.due_of(state.undone(held[intention_id]), held[intention_id])
            for intention_id in ids
            if intention_id in held
        ]

    def _fire(self, tx: Transaction, found: Sequence[Intention]) -> list[Due]:
        now, run = self._ctx.clock.now(), self._ctx.run.id
        after = [state.fired(intention, now, run) for intention in found]
        self._table(tx).put(after)
        return [state.due_of(*pair) for pair in zip(found, after, strict=True)]

    def _make_certain(self, tx: Transaction) -> None:
        self._table(tx).make_certain(self._ctx.run.id)

    def _counted(self, what: str) -> int:
        """Return the number of this call among those of its kind and block, in the try under way."""
        calls = self._ctx.doing().calls
        calls[f"reminders {what}"] += 1
        return calls[f"reminders {what}"]

    def _checked(self, content: str) -> str:
        text = " ".join(self._ctx.redact(content).split())
        if is_blank(text) or len(text) > MAX_CONTENT_CHARS:
            do = f"Say what is to be done, in at most {MAX_CONTENT_CHARS} characters."
            what = f"has {len(text)} characters" if len(text) > MAX_CONTENT_CHARS else "says nothing"
            raise RefusedError(f"the reminder {what}", do=do)
        return text

    def _table(self, tx: Transaction) -> Intentions:
        return Intentions(tx, self._ctx.is_under_way)


_OVER: frozenset[Status] = frozenset({"done", "cancelled"})


def _by_time(intention: Intention) -> tuple[bool, float, float, str]:
    at = intention.next_at
    return at is None, at.timestamp() if at is not None else 0.0, -intention.importance, intention.id
