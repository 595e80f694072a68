"""What a text means in a user's time zone, and what is refused with a word on what to say instead."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capabilities.prospective.time.when import when
from capabilities.prospective.time.zones import zone_of
from fabric.errors import ConfigurationError, RefusedError
from tests.soak import examples

NEW_YORK, BERLIN = ZoneInfo("America/New_York"), ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 25, 14, 30, tzinfo=NEW_YORK).astimezone(UTC)  # a Wednesday
READ = {
    "tomorrow at 9": "2026-11-26 09:00",
    "at 9 tomorrow": "2026-11-26 09:00",
    "tomorrow": "2026-11-26 09:00",
    "tomorrow at 9 pm": "2026-11-26 21:00",
    "tonight at 8": "2026-11-25 20:00",
    "today at 9": "2026-11-25 21:00",
    "at 5": "2026-11-25 17:00",
    "3pm": "2026-11-25 15:00",
    "in 2 hours": "2026-11-25 16:30",
    "in half an hour": "2026-11-25 15:00",
    "in 24 hours": "2026-11-26 14:30",
    "in 3 days": "2026-11-28 09:00",
    "Friday": "2026-11-27 09:00",
    "friday at 3": "2026-11-27 15:00",
    "friday at 3 in the morning": "2026-11-27 03:00",
    "on monday at noon": "2026-11-30 12:00",
    "the day after tomorrow at 10": "2026-11-27 10:00",
    "December 24 at 18:00": "2026-12-24 18:00",
    "in May": "2027-05-01 09:00",
    "3.4.": "2027-04-03 09:00",
    "2026-12-24": "2026-12-24 09:00",
    "2026-12-24T18:00": "2026-12-24 18:00",
    "2026-12-24T18:00+01:00": "2026-12-24 12:00",
    "tomorrow at 9am UTC": "2026-11-26 04:00",
    "morgen um 9 Uhr": "2026-11-26 09:00",
    "heute abend um 8": "2026-11-25 20:00",
    "demain à 9h": "2026-11-26 09:00",
    "mañana por la tarde a las 5": "2026-11-26 17:00",
    "domani alle 9": "2026-11-26 09:00",
    "amanhã às 9": "2026-11-26 09:00",
    "morgen om 9 uur": "2026-11-26 09:00",
    "tomorrow 14h": "2026-11-26 14:00",
    "in 1h30": "2026-11-25 16:00",
    "2h": "2026-11-25 16:30",
    "in 2 days at 9": "2026-11-27 09:00",
    "5 March at 10": "2027-03-05 10:00",
    "by 9 March": "2027-03-09 09:00",
    "on the 27th at 9": "2026-11-27 09:00",
    "le 27 à 9h": "2026-11-27 09:00",
    "in 2 hours and 30 minutes": "2026-11-25 17:00",
    "in 1.5 hours": "2026-11-25 16:00",
    "à 9h": "2026-11-26 09:00",
    "à neuf heures": "2026-11-26 09:00",
    "um neun": "2026-11-26 09:00",
    "om 9u": "2026-11-26 09:00",
    "at nine": "2026-11-26 09:00",
}
NO_TIME = ("buy milk", "soon", "tomorrow 9", "friday 9", "tomorrow at 24:00", "the 5th", "42", "monday or tuesday", "")
NO_TIME += (
    "at 9 and 27",
    "monday at 9 and 17",
    "9:00 and 17",
    "at 25",
    "at 24",
    "nine",
    "at 2027",
    "in 2 hours 30",
    "March at 9",
)
NO_TIME += ("the 5th at 9", "friday 9 at 10:00", "5 at 10:00", "tomorrow at 24", "tomorrow at 99", "x" * 300)


def read(given: Any, now: datetime = NOW, zone: ZoneInfo = NEW_YORK) -> str:
    return f"{when(given, now, zone).at.astimezone(zone):%Y-%m-%d %H:%M}"


def test_words_are_read_in_the_users_zone():
    assert {text: read(text) for text in READ} == READ


def test_tomorrow_is_the_users_tomorrow():
    late = datetime(2026, 11, 25, 23, 30, tzinfo=NEW_YORK).astimezone(UTC)  # the 26th in UTC
    assert read("tomorrow at 9", late) == "2026-11-26 09:00"
    assert when("tomorrow at 9", late, NEW_YORK).at == datetime(2026, 11, 26, 14, tzinfo=UTC)
    assert read("tomorrow at 9", late, BERLIN) == "2026-11-27 09:00"


@settings(max_examples=examples(25))
@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)),
    st.sampled_from(["America/New_York", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"]),
    st.integers(0, 23),
    st.integers(0, 59),
)
def test_tomorrow_is_the_next_day_of_the_calendar_everywhere(now: datetime, name: str, hour: int, minute: int):
    zone = ZoneInfo(name)
    here = now.replace(tzinfo=UTC).astimezone(zone)
    found = when(f"tomorrow at {hour:02d}:{minute:02d}", now.replace(tzinfo=UTC), zone)
    meant = datetime(here.year, here.month, here.day, hour, minute) + timedelta(days=1)
    assert found.wall == meant
    shown = found.at.astimezone(zone).replace(tzinfo=None)
    assert shown == meant or shown - meant in {timedelta(hours=1), timedelta(minutes=30), timedelta(days=1)}
    span = when("in 90 minutes", now.replace(tzinfo=UTC), zone)
    assert abs(span.at - now.replace(tzinfo=UTC) - timedelta(minutes=90)) < timedelta(seconds=1)


def test_a_time_that_is_this_very_second_is_the_next_one():
    nine = datetime(2026, 11, 25, 9, tzinfo=NEW_YORK).astimezone(UTC)
    assert read("at 9", nine) == "2026-11-26 09:00"
    assert read("9:00", nine) == "2026-11-26 09:00"
    assert read("today at 9", nine) == "2026-11-25 21:00"


def test_values_of_time_are_taken_too():
    assert read(datetime(2026, 12, 1, 8)) == "2026-12-01 08:00"
    assert read(datetime(2026, 12, 1, 8, tzinfo=UTC)) == "2026-12-01 03:00"
    assert read(date(2026, 12, 1)) == "2026-12-01 09:00"
    assert read(timedelta(hours=1)) == "2026-11-25 15:30"


def test_clocks_that_are_set_forward_and_back():
    before_gap = datetime(2026, 3, 7, 20, tzinfo=NEW_YORK).astimezone(UTC)
    assert read("tomorrow at 2:30 am", before_gap) == "2026-03-08 03:30"  # there is no 2:30
    assert when("in 8 hours", before_gap, NEW_YORK).at == before_gap + timedelta(hours=8)
    before_overlap = datetime(2026, 10, 31, 20, tzinfo=NEW_YORK).astimezone(UTC)
    assert when("tomorrow at 1:30 am", before_overlap, NEW_YORK).at == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
    assert when("in 8 hours", before_overlap, NEW_YORK).at == before_overlap + timedelta(hours=8)
    assert read("tomorrow at 9", before_overlap) == "2026-11-01 09:00"


def test_what_names_no_time_and_what_has_passed_is_refused_with_what_to_say():
    for text in NO_TIME:
        with pytest.raises(RefusedError, match=r"Say only when.*tomorrow at 9:00"):
            when(text, NOW, NEW_YORK)
    for passed in ("yesterday", "3 hours ago", "2026-11-25T14:30", timedelta(0), "today", "now UTC"):
        with pytest.raises(RefusedError, match=r"has passed\. It is Wednesday 2026-11-25 14:30 there"):
            when(passed, NOW, NEW_YORK)
    for twice in ("03/04", "03-04-2027", "at 9-10"):
        with pytest.raises(RefusedError, match="may be two dates"):
            when(twice, NOW, NEW_YORK)
    for never in ("2027-13-01T09:00", "2027-02-29 at 9"):
        with pytest.raises(RefusedError, match="begins with a date that there is not"):
            when(never, NOW, NEW_YORK)
    with pytest.raises(RefusedError, match="out of reach"):
        when(timedelta(days=3_000_000), NOW, NEW_YORK)
    for wrong in ("Mars/Olympus", "../etc/passwd", ""):
        with pytest.raises(ConfigurationError, match="give an IANA name"):
            zone_of(wrong)
