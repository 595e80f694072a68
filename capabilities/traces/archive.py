"""The archive: texts word for word, kept before anything makes less of them, and given back when somebody asks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from pydantic import BaseModel, ConfigDict

from fabric.clock import Clock
from fabric.flow.resource import Collection, Resource, Transaction
from fabric.store.base import Where

from ..sources import Source
from ..vocabulary import Moment
from .record import Trace, content_hash
from .tables import Owner, View, by_owner, views

ArchiveReason = Literal["temporal_gist", "perspective_source"]
"""Why a text is kept: a gist takes its place, or witnesses tell it their own way."""


class ArchivedTrace(BaseModel):
    """What a trace said, word for word. ``id`` is that of the trace; ``content_hash`` tells whether it still is so."""

    model_config = ConfigDict(frozen=True)

    id: str
    content: str
    content_hash: str
    reason: ArchiveReason
    archived_at: Moment
    read_at: Moment
    """When it was asked for last, or archived."""
    persona: str = ""
    sources: tuple[Source, ...] = ()
    """The turns that it was said in."""


class ArchiveAccess(BaseModel):
    """One line of the log of who asked for what: the trace, and the block that asked."""

    model_config = ConfigDict(frozen=True)

    id: str
    trace_id: str
    at: Moment
    by: str = ""
    is_whole: bool = True
    """Whether the text was what had been archived."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The archive of one kind of owner, and its log."""

    texts: Collection[ArchivedTrace]
    log: Collection[ArchiveAccess]


def _shelf(owner: Owner, name: str) -> Shelf:
    return Shelf(
        texts=Collection(f"trace_archive_{name}", ArchivedTrace, owner, {"read_at": "time"}, required=False),
        log=Collection(f"archive_log_{name}", ArchiveAccess, owner, {"trace_id": "text"}, required=False),
    )


SHELVES = by_owner(_shelf)
ARCHIVE: tuple[Resource, ...] = tuple(resource for shelf in SHELVES.values() for resource in (shelf.texts, shelf.log))


def archive(tx: Transaction, owner: Owner, traces: Iterable[Trace], reason: ArchiveReason, now: datetime) -> None:
    """Keep what traces say, word for word; what is kept of one already stays: the first is the whole one."""
    shelf = SHELVES[owner].texts
    wanted = {trace.id: trace for trace in traces}
    kept = {text.id for text in tx.get_many(shelf, list(wanted))}
    tx.put(
        shelf,
        [
            ArchivedTrace(
                id=trace.id,
                content=trace.content,
                content_hash=content_hash(trace.content),
                reason=reason,
                archived_at=now,
                read_at=now,
                persona=trace.persona,
                sources=trace.sources,
            )
            for trace in wanted.values()
            if trace.id not in kept
        ],
    )


def rehydrate(tx: Transaction, trace_id: str, clock: Clock, by: str = "") -> str | None:
    """Return what a trace said before less was made of it; None where nothing is archived, or it is not what it was.

    The access is noted. The trace itself stays as it is.
    """
    for view in views(tx.ids):
        shelf = SHELVES[view.tables.owner]
        kept = tx.get(shelf.texts, trace_id)
        if kept is None or kept.persona not in view.personas:
            continue
        is_whole, now = content_hash(kept.content) == kept.content_hash, clock.now()
        noted = ArchiveAccess(id=clock.new_id("archive"), trace_id=trace_id, at=now, by=by, is_whole=is_whole)
        tx.put(shelf.log, [noted])
        if is_whole:
            tx.put(shelf.texts, [kept.model_copy(update={"read_at": max(kept.read_at, now)})])
            return kept.content
    return None


def sweep_archive(tx: Transaction, view: View, now: datetime, days: float) -> int:
    """Drop what nobody asked for in so many days, with its log; return how many texts that were.

    The text of a trace that is there still, or that faded and can be restored, stays: nothing else tells what it was a
    gist of.
    """
    shelf = SHELVES[view.tables.owner]
    old = tx.find(shelf.texts, Where("read_at", "<", now - timedelta(days=days)))
    held = tx.get_many(view.tables.traces, [text.id for text in old])
    wanted = {trace.id for trace in held if not trace.deleted or trace.faded_on is not None}
    return drop_archived(tx, view, [text.id for text in old if text.id not in wanted and text.persona in view.personas])


def drop_archived(tx: Transaction, view: View, trace_ids: Sequence[str]) -> int:
    """Drop what is archived of traces, with the log of who asked for it."""
    if not trace_ids:
        return 0
    shelf = SHELVES[view.tables.owner]
    log = tx.find(shelf.log, Where("trace_id", "in", list(trace_ids)))
    tx.delete(shelf.log, [line.id for line in log])
    return tx.delete(shelf.texts, list(trace_ids))
