"""How long ago something was is said as in the reference, and for every moment."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.cognitive.prompt.ago import ago
from tests.capabilities.formulas.golden import assert_all_match


def said(given: Any) -> str:
    then, now = (datetime.fromtimestamp(given[name] / 1000, UTC) for name in ("timestamp_ms", "now_ms"))
    return ago(then, now.astimezone(ZoneInfo(given["tz"])))


def test_labels_are_as_the_reference_has_them() -> None:
    assert_all_match("relative_time", "relative_time_label", said)


def test_what_is_a_whole_day_back_and_not_yesterday_is_called_by_its_weekday() -> None:
    now = datetime(2026, 1, 14, 0, 30, tzinfo=UTC)  # a Wednesday
    assert ago(now - timedelta(minutes=45), now) == "45 minutes ago"
    assert ago(now - timedelta(hours=3), now) == "yesterday"
    assert ago(datetime(2026, 1, 12, 23, 45, tzinfo=UTC), now) == "last Monday"


def test_hours_are_counted_over_a_change_of_the_clocks() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert (
        ago(datetime(2026, 3, 29, 1, 30, tzinfo=berlin), datetime(2026, 3, 29, 3, 15, tzinfo=berlin))
        == "45 minutes ago"
    )


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no zone: give times like"):
        ago(datetime(2026, 1, 1), datetime(2026, 1, 2, tzinfo=UTC))


@given(st.timedeltas(timedelta(0), timedelta(days=4000)))
def test_every_moment_has_a_label_that_counts_from_one_on(past: timedelta) -> None:
    now = datetime(2026, 6, 15, 10, tzinfo=UTC)
    label = ago(now - past, now)
    assert label
    assert not label.startswith("0")
