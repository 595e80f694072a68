"""The mind of an agent while it runs: what it reads, what it writes ahead, and the flush at its end."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from fabric.errors import RefusedError
from fabric.flow.context import Context
from fabric.record.items import Draft
from fabric.record.meanwhile import drawn

from ..arguments import Texts, checks_arguments
from ..claims import USER, fields, read_as
from ..meaning import Embedded, Meaning
from ..sources import source_of
from ..tag_lists import checked_tags, unite_tags
from ..vocabulary import Unit
from .config import MindConfig
from .header import assemble
from .provider import MindProvider, MindTable, Wanted
from .recall import DEFAULT_LIMIT, Recalling, SearchedType, recall
from .record import (
    KINDS,
    Believed,
    ConfidenceLevel,
    Done,
    GoalPriority,
    GoalSet,
    GoalStatus,
    MindBelief,
    MindEntry,
    MindFailure,
    MindGoal,
    MindRecallResult,
    MindReflection,
    MindStatus,
    Reflected,
)
from .writing import drafting
from .writing.draft import DraftOperation, GoalChange
from .writing.drafting import RunDraft
from .writing.flush import Flushed, flush, left_behind, recover, vectors_of
from .writing.validation import MAX_TAGS, checked, due, expiry

T = TypeVar("T")
_ALIVE: set[str] = set()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mind is kept, and how."""

    provider: MindProvider
    namespace: str
    config: MindConfig
    meaning: Meaning


class Mind:
    """``ctx.cap.mind``: the agent's mind during one run. Every method is one transaction.

    Writes are buffered: each is written ahead as it is acknowledged, and goes into the store when the run ends. What
    cannot be done, and arguments of a wrong type, raise RefusedError, which says what to do instead.
    """

    def __init__(self, ctx: Context, place: Place) -> None:
        self._ctx = ctx
        self._place = place
        self._run = ctx.clock.new_id("mrun")
        self._has_written = False
        self._has_recovered = False
        self._degraded = ""
        _ALIVE.add(self._run)

    @property
    def namespace(self) -> str:
        """The mind's name."""
        return self._place.namespace

    async def header(self) -> str:
        """Return what stands before the agent's own instructions; "" when there is nothing to show."""
        config, now = self._place.config, self._ctx.clock.now()
        return await self._transact(
            lambda table: assemble(
                table,
                now,
                token_budget=config.token_budget,
                recency_window_days=config.recency_window_days,
                confidence=config.header_confidence,
            )
        )

    @checks_arguments
    async def recall(
        self,
        query: str,
        *,
        type: SearchedType = "all",
        status: GoalStatus = "active",
        tags: Texts = (),
        pinned: bool = False,
        include_expired: bool = False,
        threshold: Unit | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> list[MindRecallResult]:
        """Return the committed entries that answer; see `capabilities.mind.recall.recall`.

        ``threshold`` None is the one that the mind was made with. What this run writes is found from the next one on.
        """
        least = self._place.config.retrieval_threshold if threshold is None else threshold
        wanted = frozenset(unite_tags(tags))
        asked = Recalling(query, least, type, status, wanted, pinned, include_expired, limit)
        embedded, now = await self._embed(query), self._ctx.clock.now()
        return drawn(await self._transact(lambda table: recall(table, asked, now), embedded, query))

    async def entries(self) -> list[MindEntry]:
        """Return everything that is committed, goals, beliefs, reflections, each by creation; expired ones too."""
        return drawn(
            await self._transact(
                lambda table: [entry for kind in KINDS.values() for entry in table.find(kind, Wanted())]
            )
        )

    async def namespaces(self) -> list[str]:
        """Return the names of the minds that the owner of this one has."""
        return await self._place.provider.namespaces(self._ctx)

    @checks_arguments
    async def believe(
        self,
        content: str,
        *,
        confidence: ConfidenceLevel = "medium",
        tags: Texts = (),
        expires_in: str | None = None,
        allow_downgrade: bool = False,
    ) -> Believed:
        """Record a belief, or update the similar one that is held: its id and age stay, its expiry begins anew.

        Said again, it becomes less sure only with ``allow_downgrade``; one that claims something else, as a denial or
        another number does, is as sure as it is said to be, and what was held is kept in ``earlier``. ``expires_in``,
        such as "7d", overrides the default.
        """
        text = checked(self._ctx, "belief", content)
        expires_at = expiry(self._ctx, expires_in, self._place.config.ttl_defaults.belief)
        claim = fields(read_as(text), USER)
        shared = self._shared("mb", tags)
        new = MindBelief(content=text, confidence=confidence, expires_at=expires_at, **claim, **shared)
        embedded = await self._embed(text)
        return await self._write(
            lambda draft: drafting.believe(draft, new, embedded, allow_downgrade=allow_downgrade), embedded, text
        )

    @checks_arguments
    async def reflect(
        self,
        content: str,
        *,
        pin: bool = False,
        tags: Texts = (),
        related_to: str | None = None,
        expires_in: str | None = None,
    ) -> Reflected:
        """Log an observation about the agent's own work; with ``pin`` as a standing rule of every prompt.

        A standing rule does not expire: its time, ``expires_in`` or the default, begins when it is unpinned.
        ``related_to`` is for information.
        """
        text = checked(self._ctx, "reflection", content)
        lasts = expires_in or self._place.config.ttl_defaults.reflection
        expires_at = expiry(self._ctx, lasts, None)
        about = None if not related_to else checked(self._ctx, "related_to", related_to)
        new = MindReflection(
            content=text,
            pinned=pin,
            related_to=about,
            expires_at=None if pin else expires_at,
            lasts=lasts,
            **self._shared("mr", tags),
        )
        embedded = await self._embed(text)
        return await self._write(lambda draft: drafting.reflect(draft, new, embedded), embedded, text)

    @checks_arguments
    async def unpin_reflection(self, id: str) -> Done:
        """Make a standing rule an ordinary reflection again."""
        return await self._write(lambda draft: drafting.unpin(draft, id))

    @checks_arguments
    async def set_goal(
        self,
        description: str,
        *,
        priority: GoalPriority = "normal",
        tags: Texts = (),
        due_by: str | None = None,
    ) -> GoalSet:
        """Set a goal. ``due_by``: an ISO date, or a duration such as "30d"; nothing happens when it passes."""
        text = checked(self._ctx, "goal", description)
        day = None if due_by is None else due(self._ctx, due_by)
        new = MindGoal(description=text, priority=priority, due_by=day, **self._shared("mg", tags))
        return await self._write(lambda draft: drafting.set_goal(draft, new))

    @checks_arguments
    async def update_goal(
        self,
        id: str,
        *,
        description: str | None = None,
        priority: GoalPriority | None = None,
        progress: str | None = None,
    ) -> Done:
        """Change an active goal; ``progress`` is a note that is added to those that are there."""
        change = GoalChange(
            description=None if description is None else checked(self._ctx, "description", description),
            priority=priority,
            progress=() if progress is None else (checked(self._ctx, "progress note", progress),),
        )
        if change == GoalChange():
            raise RefusedError("nothing to change was given", do="Give a description, a priority or a progress note.")
        return await self._write(lambda draft: drafting.update_goal(draft, id, change))

    @checks_arguments
    async def complete_goal(self, id: str, *, outcome: str | None = None) -> Done:
        """Complete a goal, in the store and at once: it stays completed even if this run fails."""
        text = None if not outcome else checked(self._ctx, "outcome", outcome)
        return await self._write(lambda draft: drafting.complete_goal(draft, id, text))

    @checks_arguments
    async def erase(self, id: str) -> bool:
        """Take an entry out of the store for good, with what runs wrote ahead of it; False when there is none.

        What it was drawn from stays: that goes too where a memory of the file forgets the id.
        """
        return await self._transact(lambda table: _erased(table, id))

    async def status(self) -> MindStatus:
        """Return how the mind stands: counts, room, how entries are compared, and what could not be written."""
        return await self._transact(lambda table: _counted(table, self._place, self._degraded))

    async def end(self, *, failed: bool) -> None:
        """Flush what this run wrote ahead, as that of a run that ended well or that ``failed``, and report it."""
        try:
            done = await self._flush(failed=failed) if self._has_written else Flushed()
        finally:
            _ALIVE.discard(self._run)
        self._report(done)

    async def _flush(self, *, failed: bool) -> Flushed:
        config, now = self._place.config, self._ctx.clock.now()

        def close(table: MindTable) -> list[DraftOperation]:
            """Note that the run ended well, so that a crash before the flush is no failure of the run."""
            operations = self._draft(table).operations()
            if not failed:
                table.put_drafts([operation.model_copy(update={"ended": True}) for operation in operations])
            return operations

        embedded, texts = vectors_of(await self._transact(close))
        return await self._place.provider.transact(
            self._ctx,
            self._place.namespace,
            lambda table: flush(table, self._draft(table).operations(), config, now, failed=failed),
            embedded,
            texts,
        )

    def _report(self, done: Flushed) -> None:
        if not done.is_empty:
            self._ctx.record(Draft("system", "outcome", "done", name="mind", data=done.model_dump(mode="json")))
        if done.failed:
            self._ctx.log.warning("mind: some writes failed", failed=[failure.model_dump() for failure in done.failed])

    async def _write(self, work: Callable[[RunDraft], T], embedded: Embedded | None = None, text: str = "") -> T:
        self._has_written = True
        return await self._transact(lambda table: work(self._draft(table)), embedded, text)

    def _draft(self, table: MindTable) -> RunDraft:
        return RunDraft(table, self._run, self._place.namespace, self._place.config, self._ctx.clock.now())

    async def _transact(self, work: Callable[[MindTable], T], embedded: Embedded | None = None, text: str = "") -> T:
        left: list[DraftOperation] = []

        def whole(table: MindTable) -> T | None:
            left.extend([] if self._has_recovered else left_behind(table, _ALIVE))
            return None if left else work(table)

        given, texts = embedded or Embedded(), [text] if text else []
        result = await self._place.provider.transact(self._ctx, self._place.namespace, whole, given, texts)
        self._has_recovered = True
        if not left:
            return cast("T", result)
        await self._recover(left)
        return await self._place.provider.transact(self._ctx, self._place.namespace, work, given, texts)

    async def _recover(self, left: Sequence[DraftOperation]) -> None:
        """Flush what dead runs left; in a transaction of its own, because it needs the vectors of what they left."""
        config, now = self._place.config, self._ctx.clock.now()
        embedded, texts = vectors_of(left)
        done = await self._place.provider.transact(
            self._ctx, self._place.namespace, lambda table: recover(table, _ALIVE, config, now), embedded, texts
        )
        self._report(done)

    async def _embed(self, text: str) -> Embedded:
        embedded = await self._place.meaning.embed([text]) if text.strip() else Embedded()
        self._degraded = embedded.degraded
        return embedded

    def _shared(self, prefix: str, tags: Iterable[str]) -> dict[str, Any]:
        """Return the fields that every new entry has."""
        ctx, now = self._ctx, self._ctx.clock.now()
        return {
            "id": ctx.clock.new_id(prefix),
            "namespace": self._place.namespace,
            "tags": checked_tags(map(ctx.redact, tags), MAX_TAGS),
            "created_at": now,
            "updated_at": now,
            "source": source_of(ctx),
            "made_by": ctx.path,
        }


def _erased(table: MindTable, target: str) -> bool:
    drafts = [draft.id for draft in table.drafts() if draft.target == target]
    table.drop_drafts(drafts)
    gone = sum(table.delete(kind, [target]) for kind in KINDS.values())
    return gone > 0 or bool(drafts)


def _counted(table: MindTable, place: Place, degraded: str) -> MindStatus:
    config, embedder, drafts = place.config, place.meaning.embedder, table.drafts()
    return MindStatus(
        namespace=place.namespace,
        active_goals=table.count(MindGoal, Wanted(status="active")),
        max_goals=config.max_goals,
        completed_goals=table.count(MindGoal, Wanted(status="completed")),
        beliefs=table.count(MindBelief, Wanted()),
        reflections=table.count(MindReflection, Wanted()),
        pinned_reflections=table.count(MindReflection, Wanted(pinned=True)),
        max_pinned_reflections=config.max_pinned_reflections,
        drafts=sum(not draft.failed for draft in drafts),
        compared="by words" if embedder is None else embedder.name,
        degraded=degraded,
        failed=tuple(
            MindFailure(id=draft.id, target=draft.target, action=draft.action, reason=draft.failed)
            for draft in drafts
            if draft.failed
        ),
    )
