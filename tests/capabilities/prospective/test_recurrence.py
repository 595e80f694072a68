"""How often something comes back, in words and rules, and when it does next, whatever is done to clocks."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from capabilities.prospective.time.recurrence import counted_out, next_after, rule_of
from fabric.errors import RefusedError

NEW_YORK = ZoneInfo("America/New_York")
SAID = {
    "daily": "FREQ=DAILY",
    "every day": "FREQ=DAILY",
    "weekly": "FREQ=WEEKLY",
    "every 2 hours": "FREQ=HOURLY;INTERVAL=2",
    "every other week": "FREQ=WEEKLY;INTERVAL=2",
    "30 minutes": "FREQ=MINUTELY;INTERVAL=30",
    "Monday": "FREQ=WEEKLY;BYDAY=MO",
    "every monday and friday": "FREQ=WEEKLY;BYDAY=MO,FR",
    "weekday": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "every three months": "FREQ=MONTHLY;INTERVAL=3",
    "jeden Montag": "FREQ=WEEKLY;BYDAY=MO",
    "tous les jours": "FREQ=DAILY",
    "RRULE:freq=monthly;byday=1mo": "FREQ=MONTHLY;BYDAY=1MO",
    "rrule:freq=daily": "FREQ=DAILY",
}
WRONG = (
    *("soon", "0 hours", "FREQ=SECONDLY", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;FOO=1", "FREQ=DAILY;BYHOUR=99"),
    *("FREQ=HOURLY;BYHOUR=9", "FREQ=DAILY;BYMONTHDAY=30;BYMONTH=2", "FREQ=DAILY;UNTIL=never", "INTERVAL=2"),
    *("FREQ=DAILY;COUNT=9999999", "FREQ=FORTNIGHTLY", "FREQ=DAILY DTSTART:20200101", "x" * 600),
)


def at(rule: str, wall: datetime, now: datetime) -> str:
    found = next_after(rule, wall, NEW_YORK, now)
    return "" if found is None else f"{found[0].astimezone(NEW_YORK):%Y-%m-%d %H:%M}"


def test_words_and_rules():
    assert {text: rule_of(text) for text in SAID} == SAID
    assert rule_of(timedelta(hours=2)) == "FREQ=MINUTELY;INTERVAL=120"
    for text in WRONG:
        with pytest.raises(RefusedError, match=r"\. [A-Z]"):
            rule_of(text)
    for short in (timedelta(seconds=5), timedelta(0), -timedelta(days=1)):
        with pytest.raises(RefusedError, match="at least one minute"):
            rule_of(short)


def test_nine_stays_nine_where_clocks_are_set_and_hours_stay_hours():
    friday = datetime(2026, 3, 6, 9)
    evening = datetime(2026, 3, 7, 20, tzinfo=NEW_YORK).astimezone(UTC)
    assert at("FREQ=DAILY", friday, evening) == "2026-03-08 09:00"
    utc = datetime(2026, 3, 8, 4)  # 23:00 in New York; an hour of the night is left out there
    found = next_after("FREQ=HOURLY;INTERVAL=6", utc, NEW_YORK, utc.replace(tzinfo=UTC))
    assert found is not None
    assert found[0] == datetime(2026, 3, 8, 10, tzinfo=UTC)


def test_a_time_that_is_left_out_or_comes_twice_comes_once():
    at_half_past_two = datetime(2026, 3, 7, 2, 30)
    assert at("FREQ=DAILY", at_half_past_two, datetime(2026, 3, 8, 6, tzinfo=UTC)) == "2026-03-08 03:30"
    assert at("FREQ=DAILY", at_half_past_two, datetime(2026, 3, 8, 7, 10, tzinfo=UTC)) == "2026-03-08 03:30"
    assert at("FREQ=DAILY", at_half_past_two, datetime(2026, 3, 8, 7, 30, tzinfo=UTC)) == "2026-03-09 02:30"
    at_half_past_one = datetime(2026, 10, 31, 1, 30)
    for first_came in (datetime(2026, 11, 1, 5, 30, tzinfo=UTC), datetime(2026, 11, 1, 6, 10, tzinfo=UTC)):
        assert at("FREQ=DAILY", at_half_past_one, first_came) == "2026-11-02 01:30"


def test_long_absence_is_skipped_at_once_and_the_rhythm_kept():
    begin, later = datetime(2026, 1, 1, 9), datetime(2036, 1, 1, 0, 0, 30, tzinfo=UTC)
    assert at("FREQ=MINUTELY", begin, later) == "2035-12-31 19:01"
    assert at("FREQ=DAILY;INTERVAL=2", begin, datetime(2026, 1, 10, tzinfo=UTC)) == "2026-01-11 09:00"
    assert at("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", begin, datetime(2026, 2, 1, tzinfo=UTC)) == "2026-02-09 09:00"
    assert at("FREQ=MONTHLY", datetime(2026, 1, 31, 9), datetime(2026, 2, 1, tzinfo=UTC)) == "2026-03-31 09:00"


def test_a_rule_may_end():
    begin = datetime(2026, 3, 7, 9)
    rule = counted_out("FREQ=DAILY;COUNT=2", begin)
    assert at(rule, begin, datetime(2026, 3, 7, 20, tzinfo=UTC)) == "2026-03-08 09:00"
    assert at(rule, begin, datetime(2026, 3, 8, 20, tzinfo=UTC)) == ""
    assert at("FREQ=DAILY;UNTIL=20260308T120000Z", begin, datetime(2026, 3, 7, 20, tzinfo=UTC)) == ""  # 8:00 there
    assert at("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", begin, datetime(2026, 3, 8, tzinfo=UTC)) == ""
