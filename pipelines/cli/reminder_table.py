"""Reminders as a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from .output import table
from .tiers import shortened

if TYPE_CHECKING:
    from capabilities.prospective import Intention


def show_reminders(found: "Sequence[Intention]", zone: ZoneInfo) -> None:
    """Write reminders, each with what brings it back and its id; times are those of the zone."""
    rows = [
        (
            _when(one, zone),
            one.rule or ("again and again" if one.recurring else ""),
            f"{one.importance:.2f}",
            one.status,
            f"{shortened(one.content)} | {one.id}",
        )
        for one in found
    ]
    columns = [f"due ({zone.key})", "recurs", "importance", "status", "what, and its id"]
    table(f"Reminders: {len(rows)}", columns, rows)


def _when(one: "Intention", zone: ZoneInfo) -> str:
    if one.next_at is not None:
        return f"{one.next_at.astimezone(zone):%a %Y-%m-%d %H:%M}"
    if one.trigger == "event_based":
        return f"on {', '.join(one.events)}"
    return f"about {shortened(one.cue)}" if one.cue else ""
