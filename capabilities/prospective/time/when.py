"""When: the moment that a text means to a user, "tomorrow at 9" and the like, read by the library dateparser.

It is given texts in words that it reads rightly (`wording`), and what it would guess at is refused: dates like 03/04,
and numbers that mean nothing in what it found.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from fabric.errors import RefusedError
from fabric.lazy import lazy

from .wording import LANGUAGES, is_day, readings, wordings
from .zones import is_near_end, moment, wall_clock

if TYPE_CHECKING:
    import dateparser.date as parsing
else:
    parsing = lazy("dateparser.date")

At = str | datetime | date | timedelta
"""A time as it is given: in words or in ISO form, as a moment, a day, or how long from now."""
MAX_CHARS = 200
EXAMPLES = "'tomorrow at 9:00', 'in 2 hours', 'Friday at 17:00', or a date and time in ISO form, '2027-03-05T09:00'"
_READING = Lock()
"""The library keeps what it has loaded of languages, and does not say that threads may share it."""
_OTHER_BASE = timedelta(days=45)
_SECOND = timedelta(seconds=1)
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?|\d{1,2}\s*[ap]\.?m\b", re.IGNORECASE)
_TIMES, _LONG = frozenset({"time", "part_of_day"}), frozenset({"month", "year"})
"""What the library calls a time of the day, and what it calls more than a day."""


@dataclass(frozen=True, slots=True)
class When:
    """A moment in UTC, and what a clock in the user's zone shows then (as it was meant, where clocks are set)."""

    at: datetime
    wall: datetime


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the library read in a text: a time, aware only where the text names a zone, and of what length it is."""

    text: str
    found: datetime
    period: str


def when(given: At, now: datetime, zone: ZoneInfo, day_begins: time = time(9)) -> When:
    """Return the moment that is meant, ``now`` being aware; RefusedError where none is, or one that has passed.

    A naive datetime is in the user's ``zone``, a timedelta counts from now, a day without a time begins at
    ``day_begins``. Of a text the earliest moment to come counts that it may mean: "Friday" is the next one.

    >>> now = datetime.fromisoformat("2026-11-25T19:30:00+00:00")
    >>> when("tomorrow at 9", now, ZoneInfo("America/New_York")).at.isoformat()
    '2026-11-26T14:00:00+00:00'
    """
    try:
        found = _given(given, now, zone, day_begins)
    except OverflowError as error:
        raise RefusedError(f"the time {_shown(given)} is out of reach", do=f"Say when: {EXAMPLES}.") from error
    if found.at <= now:
        told = f"{_shown(given)} is {found.wall:%Y-%m-%d %H:%M} in {zone.key}, which has passed"
        raise RefusedError(told, do=f"It is {wall_clock(now, zone):%A %Y-%m-%d %H:%M} there: name a time to come.")
    return found


def _given(given: At, now: datetime, zone: ZoneInfo, day_begins: time) -> When:
    if isinstance(given, timedelta):
        return _at(now + given, zone)
    if isinstance(given, datetime):
        return _of_datetime(given, zone)
    if isinstance(given, date):
        return _on_wall(datetime.combine(given, day_begins), zone)
    text = " ".join(given.split())
    if not text or len(text) > MAX_CHARS:
        raise RefusedError(f"the time has {len(text)} characters", do=f"Say only when: {EXAMPLES}.")
    exact = _iso(text)
    if exact is not None:
        return _given(exact, now, zone, day_begins)
    return _of_text(text, now, zone, day_begins)


def _shown(given: object) -> str:
    return repr(given)[:80] if isinstance(given, str) else str(given)


def _at(at: datetime, zone: ZoneInfo) -> When:
    if is_near_end(at):
        raise OverflowError(f"{at} is near the first or the last year")
    return When(at.astimezone(UTC), wall_clock(at, zone))


def _of_datetime(given: datetime, zone: ZoneInfo) -> When:
    return _on_wall(given, zone) if given.tzinfo is None else _at(given, zone)


def _on_wall(wall: datetime, zone: ZoneInfo) -> When:
    if is_near_end(wall):
        raise OverflowError(f"{wall} is near the first or the last year")
    return When(moment(wall, zone), wall)


def _iso(text: str) -> datetime | date | None:
    begin = _DATE.match(text)
    if begin is None:
        return None
    try:
        date(*map(int, begin.groups()))
    except ValueError as error:
        raise RefusedError(f"{text!r:.80} begins with a date that there is not", do=f"Say when: {EXAMPLES}.") from error
    try:
        return date.fromisoformat(text) if len(text) == len("2027-03-05") else datetime.fromisoformat(text)
    except ValueError:
        return None


def _of_text(text: str, now: datetime, zone: ZoneInfo, day_begins: time) -> When:
    _refuse_two_dates(text)
    no_time = RefusedError(f"{text!r:.80} names no time", do=f"Say only when, not what: {EXAMPLES}.")
    base = wall_clock(now, zone).replace(microsecond=0, fold=0)

    def is_month(word: str) -> bool:
        read = _read(word, base) if word.isalpha() else None
        return read is not None and read.period == "month" and not _is_relative(read, base)

    meant = (
        _parsed(reading, base, now, zone, day_begins) for reading in readings(text, is_month) if not _is_number(reading)
    )
    found = [moment for moment in meant if moment is not None]
    if not found:
        raise no_time
    return next((moment for moment in found if moment.at > now), found[-1])


def _is_number(text: str) -> bool:
    return text.replace(" ", "").isdigit()


def _refuse_two_dates(text: str) -> None:
    """Refuse a date like 03/04, which is in March or in April by where one lives, and two numbers like 9-10."""
    for first, sign, second, more in re.findall(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})(?!\d)(-?)", text):
        if (first != second and max(int(first), int(second)) <= 12) or (sign == "-" and not more):
            raise RefusedError(
                f"{text!r:.80} may be two dates", do="Write the month as a word, or the date as 2027-03-05."
            )


def _parsed(text: str, base: datetime, now: datetime, zone: ZoneInfo, day_begins: time) -> When | None:
    readings = (_read(wording, base) for wording in wordings(text))
    found = next((reading for reading in readings if reading is not None and _is_told_in_full(reading, base)), None)
    if found is None:
        return None
    meant = _meant(found, base, now, zone, day_begins)
    is_now = found.found.tzinfo is None and found.period in _TIMES and meant.at <= now < meant.at + _SECOND
    if is_now and not _counts_from_now(found, base):
        # It is 9 o'clock this very second: "at 9" is tomorrow.
        again = _read(found.text, base + _SECOND)
        meant = meant if again is None else _meant(again, base, now, zone, day_begins)
    return meant


def _read(text: str, base: datetime) -> _Reading | None:
    order = {"DATE_ORDER": "DMY"} if re.search(r"\d\.\d", text) else {}
    parser = parsing.DateDataParser(
        languages=LANGUAGES,
        settings={
            "RELATIVE_BASE": base,
            "PREFER_DATES_FROM": "future",
            "RETURN_TIME_AS_PERIOD": True,
            **order,
        },
        try_previous_locales=False,
        use_given_order=True,
    )
    with _READING:
        data: Any = parser.get_date_data(text)
    return None if data.date_obj is None else _Reading(text, data.date_obj, data.period)


def _meant(read: _Reading, base: datetime, now: datetime, zone: ZoneInfo, day_begins: time) -> When:
    found = read.found
    if found.tzinfo is not None:
        return _at(found, zone)
    if read.period == "time" and _counts_from_now(read, base):
        # A number of hours or minutes passes whatever is done to clocks meanwhile; a time of day is on the wall.
        return _at(now + (found - base), zone)
    if read.period in _TIMES:
        return _on_wall(found, zone)
    if read.period in _LONG and not _is_relative(read, base):
        found = found.replace(day=1)  # a month by its name
    return _on_wall(datetime.combine(found.date(), day_begins), zone)


def _counts_from_now(read: _Reading, base: datetime) -> bool:
    other = base + timedelta(minutes=17, seconds=11)
    again = _read(read.text, other)
    return again is not None and again.found - other == read.found - base


def _is_relative(read: _Reading, base: datetime) -> bool:
    """Return whether a month or a year is counted from now, and not called by its name."""
    again = _read(read.text, base + _OTHER_BASE)
    return again is not None and again.found.month != read.found.month


def _is_told_in_full(read: _Reading, base: datetime) -> bool:
    """Return whether each number in a text means something in what was read, and no part of a date is made up.

    The library passes over numbers, and takes from today what a text does not name.
    """
    is_time, found = read.period in _TIMES, read.found
    if found.tzinfo is not None:
        return True
    numbers = {int(number) for number in re.findall(r"\d+", _CLOCK.sub("", read.text) if is_time else read.text)}
    if _counts_from_now(read, base):
        decimals = {int(part) for pair in re.findall(r"(\d+)[.,](\d+)", read.text) for part in pair}
        passing = _passing(found - base) if is_time else set[int]()
        return numbers - decimals <= _counted(found, base) | passing and (is_time or ":" not in read.text)
    if read.period in _LONG:  # a month by its name; a year is no time
        return not (read.period == "year" or _is_relative(read, base) or numbers - {found.year, found.year % 100})
    if numbers - {found.day, found.month, found.year, found.year % 100, *_counted(found, base)}:
        return False
    if not is_time:
        return ":" not in read.text
    return not _takes_day_of_base(read, base) and (not numbers or _names_day(read, base))


def _counted(found: datetime, base: datetime) -> set[int]:
    """Return how many years, months, weeks and days a date may be said to be away."""
    days, years = (found.date() - base.date()).days, found.year - base.year
    months = years * 12 + found.month - base.month
    away = (years, months, days, found.day - base.day)
    return {*map(abs, away), abs(months) // 12, abs(months) % 12, abs(days) // 7, abs(days) % 7}


def _passing(length: timedelta) -> set[int]:
    """Return how many days, hours, minutes and seconds may be said to pass: "2 hours and 30 minutes", "150 minutes"."""
    seconds = abs(round(length.total_seconds()))
    units = (1, 60, 3_600, 86_400)
    left = {seconds // unit % size for unit, size in zip(units, (60, 60, 24, 7), strict=True)}
    return left | {seconds // unit for unit in units}


def _again(read: _Reading, base: datetime) -> tuple[datetime, datetime] | None:
    """Return what a text is in another month, and when that is; None where it is nothing then."""
    other = base + _OTHER_BASE
    again = _read(read.text, other)
    return None if again is None else (again.found, other)


def _takes_day_of_base(read: _Reading, base: datetime) -> bool:
    """Return whether the day was taken from today: "in March at 9", or "the 5th" that was read as May."""
    again = _again(read, base)
    if again is None or again[0].month != read.found.month:
        return False
    return (read.found.day, again[0].day) == (base.day, again[1].day)


def _names_day(read: _Reading, base: datetime) -> bool:
    """Return whether a number that is the day of this month is meant as one: "the 17th at 9", not "at 9 and 17"."""
    again = _again(read, base)
    takes_month = again is not None and again[0].month != read.found.month and again[0].day == read.found.day
    return not takes_month or is_day(read.found.day, read.text)
