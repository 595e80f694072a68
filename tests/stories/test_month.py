"""A month in seconds, killed now and then: what was promised of reminders, traces, archive and messages holds."""

from pathlib import Path

import pytest

from tests.soak import either

from .month_crash import kill_often


@pytest.mark.soak
def test_a_month_in_processes_that_are_killed_misses_no_reminder_and_loses_no_message(tmp_path: Path):
    counts = kill_often(tmp_path, kills=either(3, 40), turns=either(12, 120), seed=5)
    assert min(counts[one] for one in ("told", "faded", "gists", "ties")) > 0, counts
