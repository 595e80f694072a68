"""The tools by which a model makes, lists, puts off and completes reminders: in the session's scope, and no other."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import Field

from fabric.flow.context import Context
from fabric.flow.tool import Tool, tool
from fabric.text.prompt import data_block, one_line

from .record import MAX_CONTENT_CHARS, Intention
from .time.zones import wall_clock

if TYPE_CHECKING:
    from .memory import ProspectiveMemory

CATEGORY = "reminders"
MOST_LISTED = 50
LISTED_CHARS = 150
"""How much of a text a list shows."""
Id = Annotated[str, Field(description="The id of the reminder, as list_reminders gives it.")]


async def create_reminder(
    content: Annotated[
        str, Field(description="What is to be done.", json_schema_extra={"maxLength": MAX_CONTENT_CHARS})
    ],
    at: Annotated[
        str, Field(description="When: 'tomorrow at 9:00', 'in 2 hours', '2027-03-05T09:00', in the user's time zone.")
    ] = "",
    about: Annotated[str, Field(description="Instead of a time: what must be talked about, in a few words.")] = "",
    on: Annotated[list[str] | None, Field(description="Instead of a time: names of events of this program.")] = None,
    every: Annotated[str, Field(description="How often it comes back: 'day', '2 hours', 'Monday at 9:00'.")] = "",
    importance: Annotated[float, Field(ge=0, le=1, description="What is more important is told first.")] = 0.5,
    *,
    ctx: Context,
) -> dict[str, Any]:
    """Remember to remind the user of something: at a time, or when something is talked about again."""
    memory = _memory(ctx)
    made = await memory.remind(
        content, at=at or None, about=about, on=on or (), every=every or None, importance=float(importance)
    )
    return _told(made, memory.zone)


async def list_reminders(*, ctx: Context) -> dict[str, Any]:
    """List the reminders that wait, with their ids, and what the time is for the user."""
    memory = _memory(ctx)
    waiting, now = await memory.pending(), ctx.clock.now()
    return {
        "now": _shown(now, memory.zone),
        "more": max(0, len(waiting) - MOST_LISTED),
        "reminders": [_shortened(_told(intention, memory.zone)) for intention in waiting[:MOST_LISTED]],
    }


async def snooze_reminder(
    id: Id,
    until: Annotated[str, Field(description="Until when: 'in 10 minutes', 'tomorrow at 9:00'.")],
    *,
    ctx: Context,
) -> dict[str, Any]:
    """Put a reminder off until a later time."""
    memory = _memory(ctx)
    return _told(await memory.snooze(id, until), memory.zone)


async def complete_reminder(id: Id, *, ctx: Context) -> dict[str, Any]:
    """Note that what a reminder is about was done; of one that recurs only this time."""
    memory = _memory(ctx)
    return _told(await memory.done(id), memory.zone)


async def cancel_reminder(id: Id, *, ctx: Context) -> dict[str, Any]:
    """End a reminder for good, one that recurs too: because the user says so."""
    memory = _memory(ctx)
    return _told(await memory.cancel(id), memory.zone)


def _memory(ctx: Context) -> "ProspectiveMemory":
    memory: ProspectiveMemory = ctx.cap.prospective
    return memory


def _told(intention: Intention, zone: ZoneInfo) -> dict[str, Any]:
    more = {
        "due": _shown(intention.next_at, zone) if intention.next_at is not None else "",
        "every": intention.rule,
        "about": intention.cue,
        "on": list(intention.events),
    }
    return {"id": intention.id, "content": intention.content, "status": intention.status} | {
        key: got for key, got in more.items() if got
    }


def _shortened(told: dict[str, Any]) -> dict[str, Any]:
    """Return a reminder with the beginnings of its texts, so that a list of them has room in a result."""
    return {
        key: one_line(str(got), LISTED_CHARS) if key in ("content", "about", "on") else got for key, got in told.items()
    }


def _shown(at: datetime, zone: ZoneInfo) -> str:
    return f"{wall_clock(at, zone):%A %Y-%m-%d %H:%M} {zone.key}"


def _as_data(result: Any) -> str:
    return data_block(CATEGORY, str(result))


TOOLS: tuple[Tool, ...] = tuple(
    replace(tool(function), shown=_as_data, category=CATEGORY, has_side_effects=function is not list_reminders)
    for function in (create_reminder, list_reminders, snooze_reminder, complete_reminder, cancel_reminder)
)
