"""Durations as they are written in options and by models: ``30d``, ``12h``, ``45m``, ``30s``."""

import re
from datetime import date, datetime, timedelta

FORM = 'a number and one of d, h, m, s, such as "30d" or "12h"'
_WRITTEN = re.compile(r"([0-9]{1,9})([dhms])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ].*)?")
_SHOWN = 40


def parse_duration(text: str) -> timedelta:
    """Return the time that ``text`` spells; ValueError, saying the form, for anything else and for no time at all.

    >>> parse_duration("36h")
    datetime.timedelta(days=1, seconds=43200)
    """
    written = _WRITTEN.fullmatch(text.strip())
    if written is None or int(written[1]) == 0:
        raise ValueError(f"{text[:_SHOWN]!r} is no duration: expected {FORM}")
    try:
        return timedelta(**{_UNITS[written[2]]: int(written[1])})
    except OverflowError as error:
        raise ValueError(f"{text[:_SHOWN]!r} is too long a duration") from error


def moment_after(now: datetime, text: str) -> datetime:
    """Return the time that is a duration after ``now``; ValueError for no duration, or one that ends after all time."""
    try:
        return now + parse_duration(text)
    except OverflowError as error:
        raise ValueError(f"{text[:_SHOWN]!r} is too long a duration") from error


def due_date(text: str, now: datetime) -> str:
    """Return the ISO date that ``text`` spells, or the one a duration after ``now``; ValueError for anything else.

    >>> due_date("2026-06-01T09:00", datetime(2026, 1, 1)), due_date("30d", datetime(2026, 1, 1))
    ('2026-06-01', '2026-01-31')
    """
    written = _DATE.fullmatch(text.strip())
    if written is None:
        return moment_after(now, text).date().isoformat()
    return date.fromisoformat(written[1]).isoformat()
