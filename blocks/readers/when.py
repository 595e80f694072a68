"""Fixing the day that "tomorrow" or "on Friday" means, while it is still known when it was said."""

import re
from datetime import datetime, timedelta

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_AWAY = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_RELATIVE = re.compile(rf"\b(?:{'|'.join(_AWAY)})\b|\b(?:on|by|this|until|is) ({'|'.join(_DAYS)})\b", re.IGNORECASE)
_DATED = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def dated(content: str, now: datetime) -> str:
    """Return ``content`` with the calendar day it names by distance or weekday added, in the time zone of ``now``.

    A weekday means the next one. The words themselves stay as written.

    >>> dated("Has a dentist appointment tomorrow at 9", datetime(2026, 11, 28))
    'Has a dentist appointment tomorrow at 9 (2026-11-29)'
    >>> dated("Their flight is on Monday", datetime(2026, 11, 28))
    'Their flight is on Monday (2026-11-30)'
    """
    found = _RELATIVE.search(content)
    if found is None or _DATED.search(content):
        return content
    away = (_DAYS.index(found[1].lower()) - now.weekday() - 1) % 7 + 1 if found[1] else _AWAY[found[0].lower()]
    return f"{content} ({(now + timedelta(days=away)).date().isoformat()})"
