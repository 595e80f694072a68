"""What an intention is made of: the fields that a time, events or a cue give it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from fabric.errors import RefusedError
from fabric.text.words import is_blank

from .record import MAX_CONTENT_CHARS, MAX_EVENT_CHARS, MAX_EVENTS, ProspectiveConfig
from .time.recurrence import counted_out, next_after, rule_of, walls
from .time.when import At, When, when
from .time.zones import wall_clock

Every = str | timedelta
_AT_TIME = re.compile(r"\s+(?=(?:at|um|à|a las|a la|alle|às|om)(?:\s*\d|\s+\w))", re.IGNORECASE)
"""What stands before the time in what is said of a recurrence and its time in one: "every Monday at 9"."""
ONE = "Give one of at=, on= and about=: a time, the names of events, or what is talked about."


@dataclass(frozen=True, slots=True)
class Asked:
    """The trigger that a caller asks for: a time, events, or a context, and how often it recurs."""

    at: At | None = None
    on: Sequence[str] = ()
    about: str = ""
    every: Every | None = None
    recurring: bool = False
    threshold: float | None = None


def armed(asked: Asked, now: datetime, zone: ZoneInfo, config: ProspectiveConfig) -> Mapping[str, Any]:
    """Return the fields of an intention that say what brings it back; RefusedError for what cannot work."""
    events = tuple(dict.fromkeys(name.strip() for name in asked.on if not is_blank(name)))
    given = [asked.at not in (None, ""), bool(events), not is_blank(asked.about)]
    if sum(given) > 1:
        raise RefusedError("more than one of at, on and about is given", do=ONE)
    if not any(given) and asked.every is None:
        raise RefusedError("nothing says when it is to come back", do=ONE)
    if events or given[2]:
        return _by_event_or_context(asked, events, config)
    if asked.recurring and asked.every is None:
        raise RefusedError("it recurs, and nothing says how often", do="Give every='day', every='2 hours' or the like.")
    return _by_time(asked, now, zone, config)


def _by_event_or_context(asked: Asked, events: tuple[str, ...], config: ProspectiveConfig) -> Mapping[str, Any]:
    if len(events) > MAX_EVENTS:
        raise RefusedError(f"{len(events)} events are too many", do=f"Name at most {MAX_EVENTS}.")
    long = max(map(len, events), default=0)
    if long > MAX_EVENT_CHARS:
        raise RefusedError(f"the name of an event has {long} characters", do=f"Give at most {MAX_EVENT_CHARS}.")
    if len(asked.about) > MAX_CONTENT_CHARS:
        do = f"Say in a few words what must be talked about, in at most {MAX_CONTENT_CHARS} characters."
        raise RefusedError(f"about has {len(asked.about)} characters", do=do)
    recurs = asked.recurring or asked.every is not None
    fields: dict[str, Any] = {"recurring": recurs, "cooldown": _cooldown(asked.every, config) if recurs else 0.0}
    if events:
        return fields | {"trigger": "event_based", "events": events}
    threshold = config.threshold if asked.threshold is None else asked.threshold
    return fields | {"trigger": "context_based", "cue": " ".join(asked.about.split()), "threshold": threshold}


def _cooldown(every: Every | None, config: ProspectiveConfig) -> float:
    """Return for how many seconds one that recurs stays quiet: as long as it is from one time of a rule to the next."""
    if every is None:
        return config.cooldown
    begin = datetime(2026, 1, 1)  # noqa: DTZ001  a time on the wall, only to count from
    rule, utc = rule_of(every), ZoneInfo("UTC")
    first = next_after(rule, begin, utc, begin.replace(tzinfo=utc))
    again = first and next_after(rule, first[1], utc, first[0])
    return (again[0] - first[0]).total_seconds() if first and again else config.cooldown


def _by_time(asked: Asked, now: datetime, zone: ZoneInfo, config: ProspectiveConfig) -> Mapping[str, Any]:
    named = None if asked.at == "" else asked.at
    every, at = (None, named) if asked.every is None else every_and_at(asked.every, named)
    fields: dict[str, Any] = {"trigger": "time_based", "zone": zone.key}
    found = None if at is None else when(at, now, zone, config.day_begins)
    if every is None:
        assert found is not None  # noqa: S101  a time or a recurrence is given
        return fields | {"due_at": found.at, "wall": found.wall.isoformat()}
    first, rule = _first(rule_of(every), found, now, zone, is_named=named is not None)
    return fields | {"recurring": True, "rule": rule, "due_at": first.at, "wall": first.wall.isoformat()}


def _first(rule: str, found: When | None, now: datetime, zone: ZoneInfo, *, is_named: bool) -> tuple[When, str]:
    """Return the first occurrence, and the rule from there on. A time that is named for itself is the first."""
    there = walls(rule, zone)
    begin = wall_clock(found.at, there) if found is not None and there.key != zone.key else found and found.wall
    begin = begin or wall_clock(now, there).replace(second=0, microsecond=0)
    rule = counted_out(rule, begin)
    if found is not None and is_named:
        again = next_after(rule, begin, zone, found.at)
        first: tuple[datetime, datetime] | None = (found.at, begin)
    else:
        again = first = next_after(rule, begin, zone, now)
    if again is None or first is None:
        raise RefusedError(f"{rule!r:.80} never comes", do="Say how often in another way, or leave every= out.")
    return When(*first), rule


def every_and_at(every: str | timedelta, at: At | None) -> tuple[str | timedelta, At | None]:
    """Return how often, and the time of the day that was said with it; RefusedError for two times.

    >>> every_and_at("Monday at 9", None), every_and_at("2 hours", "tomorrow at 9")
    (('Monday', 'at 9'), ('2 hours', 'tomorrow at 9'))
    """
    often, *said = _AT_TIME.split(every, maxsplit=1) if isinstance(every, str) else [every]
    if said and at is not None:
        raise RefusedError(f"{every!r:.80} names a time, and at= another", do="Name it once.")
    return (often, said[0]) if said else (every, at)
