"""Zones: the time zone that a name means, and the moment that a clock on the wall shows there."""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fabric.errors import ConfigurationError

_FIRST = datetime.min.replace(tzinfo=UTC) + timedelta(days=2)
_LAST = datetime.max.replace(tzinfo=UTC) - timedelta(days=2)
NAMES = "an IANA name, such as 'Europe/Berlin' or 'America/New_York'"


def zone_of(zone: str | tzinfo | None) -> ZoneInfo:
    """Return the zone that is meant, UTC for None; ConfigurationError for one that there is not.

    >>> zone_of("America/New_York").key, zone_of(UTC).key
    ('America/New_York', 'UTC')
    """
    if zone is None or zone is UTC:
        return ZoneInfo("UTC")
    if isinstance(zone, ZoneInfo) and zone.key:
        return zone
    try:
        return ZoneInfo(str(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # a folder of zones, or a name that is a path
        raise ConfigurationError(f"there is no time zone {zone!r:.80}: give {NAMES}") from error


def moment(wall: datetime, zone: tzinfo) -> datetime:
    """Return the moment, in UTC, at which a clock in a zone shows a naive time.

    Where clocks are set forward, a time that is left out is that much later (as in RFC 5545); where they are set back,
    a time that comes twice is the first of the two, unless its ``fold`` says otherwise. OverflowError near year 1 or
    9999.

    >>> moment(datetime(2026, 3, 8, 2, 30), ZoneInfo("America/New_York")).isoformat()  # 3:30 there
    '2026-03-08T07:30:00+00:00'
    """
    return wall.replace(tzinfo=zone).astimezone(UTC)


def wall_clock(at: datetime, zone: tzinfo) -> datetime:
    """Return what a clock in a zone shows at a moment, without the zone; ``fold`` tells the second of two."""
    return at.astimezone(zone).replace(tzinfo=None)


def is_near_end(at: datetime) -> bool:
    """Return whether a time is so near the first or last year that a zone could not shift it."""
    return not _FIRST < at.replace(tzinfo=UTC) < _LAST
