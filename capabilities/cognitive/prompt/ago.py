"""How long ago something was, in words."""

from datetime import UTC, datetime

MINUTE, HOUR, DAY = 60, 3_600, 86_400
"""Seconds."""
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_BY_DAYS = (
    (14, "last week", 0),
    (28, "{} weeks ago", 7),
    (60, "last month", 0),
    (365, "{} months ago", 30),
    (730, "last year", 0),
)
"""Up to how many days an age is called what, and by what its days are divided for that."""


def ago(then: datetime, now: datetime) -> str:
    """Return how long before ``now`` something was: "just now", "3 minutes ago", "yesterday", "last Monday".

    Days are those of the calendar in the time zone of ``now``; what is older than yesterday and less than a week ago is
    called by its weekday. ValueError for a time without a zone.

    >>> now = datetime(2026, 1, 14, 0, 30, tzinfo=UTC)
    >>> ago(datetime(2026, 1, 12, 23, 45, tzinfo=UTC), now), ago(datetime(2025, 12, 20, tzinfo=UTC), now)
    ('last Monday', '3 weeks ago')
    """
    if then.tzinfo is None or now.tzinfo is None:
        raise ValueError("a time has no zone: give times like datetime.now(UTC)")
    elapsed = (now.astimezone(UTC) - then.astimezone(UTC)).total_seconds()
    if elapsed < 0:
        return "in the future"
    if elapsed < HOUR:
        return "just now" if elapsed < MINUTE else _counted(int(elapsed // MINUTE), "minute")
    there = then.astimezone(now.tzinfo)
    between = (now.date() - there.date()).days
    if between == 0:
        return "1 hour ago" if elapsed < 2 * HOUR else "earlier today"
    return "yesterday" if between == 1 else _days_ago(int(elapsed // DAY), WEEKDAYS[there.weekday()])


def _days_ago(days: int, weekday: str) -> str:
    if days < 7:
        return f"last {weekday}"
    for limit, said, unit in _BY_DAYS:
        if days < limit:
            return said.format(days // unit) if unit else said
    return f"{days // 365} years ago"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit} ago" if number == 1 else f"{number} {unit}s ago"
