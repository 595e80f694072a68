"""Recurrence: how often something comes back, as an RRULE (RFC 5545), and when next, by the library dateutil."""

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from fabric.errors import RefusedError
from fabric.lazy import lazy

from .zones import is_near_end, moment, wall_clock

if TYPE_CHECKING:
    from dateutil import parser, rrule
else:
    parser, rrule = lazy("dateutil.parser"), lazy("dateutil.rrule")

EXAMPLES = "'day', '2 hours', 'Monday', 'weekday', or an RRULE such as 'FREQ=MONTHLY;BYDAY=1MO'"
MAX_CHARS = 500
STEPS: Mapping[str, timedelta] = {
    "MINUTELY": timedelta(minutes=1),
    "HOURLY": timedelta(hours=1),
    "DAILY": timedelta(days=1),
    "WEEKLY": timedelta(weeks=1),
}
"""The frequencies of which one step is always as long."""
BY_CLOCK = frozenset({"MINUTELY", "HOURLY"})
"""What passes whatever is done to clocks; the others are times that a clock on the wall shows."""
HORIZON = timedelta(days=40 * 366)
"""How far ahead an occurrence is looked for: a rule that has none in so many years has none."""
MOST_COUNTED = 1_000
_OF_LONG = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
"""Parts that pick days of a month or a year: in a rule of days or weeks they may pick none, which takes long to see."""
_KNOWN = frozenset({"FREQ", "INTERVAL", "UNTIL", "COUNT", "WKST", "BYDAY", "BYMONTH", "BYHOUR", "BYMINUTE", *_OF_LONG})
_WORDS: dict[str, Any] = json.loads((Path(__file__).parent / "recurrences.json").read_text(encoding="utf-8"))


def rule_of(every: str | timedelta) -> str:
    """Return the RRULE that is meant by words, an RRULE or a length of time; RefusedError for what cannot be one.

    >>> rule_of("every 2 hours"), rule_of("daily"), rule_of("Monday and Friday"), rule_of(timedelta(weeks=2))
    ('FREQ=HOURLY;INTERVAL=2', 'FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,FR', 'FREQ=DAILY;INTERVAL=14')
    """
    if isinstance(every, timedelta):
        return _of_length(every)
    text = " ".join(every.split())
    if len(text) > MAX_CHARS:
        raise RefusedError(f"the recurrence has {len(text)} characters", do=f"Say only how often: {EXAMPLES}.")
    if "=" in text:
        return _checked(text.upper().removeprefix("RRULE:").rstrip(";"), every)
    rule = _of_words(text.casefold())
    if rule is None:
        raise RefusedError(f"{every!r:.80} is not how often something comes back", do=f"Say {EXAMPLES}.")
    return rule


def next_after(rule: str, wall: datetime, zone: ZoneInfo, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the first occurrence after ``now``: the moment in UTC, and the ``wall`` to go on from; None for no more.

    ``wall`` is the last occurrence as a clock in the zone shows it; in UTC for a rule of hours or minutes (`walls`).
    Occurrences that have passed are left out, however many they are.

    >>> from datetime import UTC
    >>> new_york, fired = ZoneInfo("America/New_York"), datetime(2026, 3, 7, 9)
    >>> next_after("FREQ=DAILY", fired, new_york, datetime(2026, 3, 7, 20, tzinfo=UTC))[0].isoformat()  # clocks went on
    '2026-03-08T13:00:00+00:00'
    """
    parts, there = _parts(rule), walls(rule, zone)
    begin, shown = _near(parts, wall, wall_clock(now, there)), wall_clock(now, there) - timedelta(hours=3)
    if is_near_end(begin) or is_near_end(shown + HORIZON):
        return None
    horizon = max(shown, begin) + HORIZON
    until = min(_until(parts, there) or horizon, horizon)
    found = _rrule(parts, begin).replace(until=until).xafter(max(shown, wall - timedelta(microseconds=1)), inc=False)
    # A time that comes twice was fired at its first coming.
    later = ((moment(local_time, there), local_time) for local_time in found)
    return next(((at, local_time) for at, local_time in later if at > now), None)


def walls(rule: str, zone: ZoneInfo) -> ZoneInfo:
    """Return the zone in which occurrences of a rule are counted: the user's, for hours and minutes UTC."""
    return ZoneInfo("UTC") if _parts(rule)["FREQ"] in BY_CLOCK else zone


def counted_out(rule: str, wall: datetime) -> str:
    """Return the rule with the time of its last occurrence in place of a COUNT, so that it can begin anywhere.

    >>> counted_out("FREQ=DAILY;COUNT=3", datetime(2026, 3, 7, 9))
    'FREQ=DAILY;UNTIL=20260309T090000'
    """
    parts = _parts(rule)
    if "COUNT" not in parts:
        return rule
    last = None
    for last in _rrule(parts, wall):  # noqa: B007  the last is what is looked for
        pass
    left = {name: value for name, value in parts.items() if name != "COUNT"}
    return _written({**left, "UNTIL": (last or wall).strftime("%Y%m%dT%H%M%S")})


def _near(parts: Mapping[str, str], wall: datetime, shown: datetime) -> datetime:
    """Return an occurrence of the rule's rhythm near a time: what lies between needs no counting through."""
    step = STEPS.get(parts["FREQ"])
    if step is None or shown - wall < timedelta(days=2):
        return wall
    step *= int(parts.get("INTERVAL", "1"))
    return wall + max(0, (shown - wall - timedelta(days=1)) // step) * step


def _rrule(parts: Mapping[str, str], begin: datetime) -> Any:
    left = {name: value for name, value in parts.items() if name != "UNTIL"}
    return rrule.rrulestr(_written(left), dtstart=begin)


def _until(parts: Mapping[str, str], zone: ZoneInfo) -> datetime | None:
    if "UNTIL" not in parts:
        return None
    until = parser.isoparse(parts["UNTIL"])
    return until if until.tzinfo is None else wall_clock(until, zone)


def _of_length(every: timedelta) -> str:
    minutes = every / timedelta(minutes=1)
    if minutes < 1 or minutes != int(minutes):
        raise RefusedError(f"{every} is not whole minutes", do="Give a length of at least one minute.")
    days = every / timedelta(days=1)
    return _interval("DAILY", int(days)) if days == int(days) else _interval("MINUTELY", int(minutes))


def _interval(frequency: str, count: int) -> str:
    return f"FREQ={frequency}" if count == 1 else f"FREQ={frequency};INTERVAL={count}"


def _of_words(text: str) -> str | None:
    lead = "|".join(map(re.escape, sorted(_WORDS["lead"], key=len, reverse=True)))
    text = re.sub(rf"^(?:{lead})\s+", "", text)
    days, units = _named()
    names = re.split(rf"\s*,\s*|\s+(?:{'|'.join(_WORDS['joins'])})\s+", text)
    if all(name in days for name in names):
        return f"FREQ=WEEKLY;BYDAY={','.join(dict.fromkeys(days[name] for name in names))}"
    number, _, unit = text.rpartition(" ")
    if unit in days and number in _WORDS["second"]:
        return f"FREQ=WEEKLY;INTERVAL=2;BYDAY={days[unit]}"
    if unit not in units:
        return None
    count = 2 if number in _WORDS["second"] else _WORDS["numbers"].get(number, number or 1)
    return _checked(_interval(units[unit], int(count)), text) if str(count).isascii() and str(count).isdigit() else None


@cache
def _named() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the days and the frequencies by the words for them."""
    days, units = ({word: code for code, words in _WORDS[kind].items() for word in words} for kind in ("days", "units"))
    return days, units


def _checked(rule: str, given: str) -> str:
    try:
        parts = _parts(rule)
        _refuse(parts, given)
        _rrule(parts, datetime(2026, 1, 1))  # noqa: DTZ001  a time on the wall
        _until(parts, ZoneInfo("UTC"))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
        if isinstance(error, RefusedError):
            raise
        raise RefusedError(f"{given!r:.80} is no RRULE: {str(error)[:80]}", do=f"Say {EXAMPLES}.") from error
    return rule


def _refuse(parts: Mapping[str, str], given: str) -> None:
    unknown = sorted(parts.keys() - _KNOWN)
    if unknown or not parts.get("FREQ"):
        raise RefusedError(
            f"{given!r:.80} has {', '.join(unknown) or 'no FREQ'}", do=f"Use FREQ and {', '.join(sorted(_KNOWN))}."
        )
    frequency = parts["FREQ"]
    if frequency == "SECONDLY":
        raise RefusedError(f"{given!r:.80} comes back too often", do="At most once a minute: FREQ=MINUTELY.")
    if frequency not in {*STEPS, "MONTHLY", "YEARLY"}:
        do = f"Use one of {', '.join(STEPS)}, MONTHLY and YEARLY."
        raise RefusedError(f"{given!r:.80} has FREQ={frequency:.40}", do=do)
    if frequency in BY_CLOCK and any(name.startswith("BY") for name in parts):
        do = "Use FREQ=DAILY with BYHOUR and BYMINUTE, or leave the BY parts out."
        raise RefusedError(f"{given!r:.80} picks among hours or minutes", do=do)
    if frequency in STEPS and not _OF_LONG.isdisjoint(parts):
        raise RefusedError(f"{given!r:.80} picks days of a month", do="Use FREQ=MONTHLY or FREQ=YEARLY for that.")
    for name in ("INTERVAL", "COUNT"):
        if not 1 <= int(parts.get(name, 1)) <= MOST_COUNTED:
            raise RefusedError(f"{given!r:.80} has {name}={parts[name]}", do=f"Give {name} from 1 to {MOST_COUNTED}.")


def _parts(rule: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in rule.split(";") if part)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _written(parts: Mapping[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())
