"""A process that is killed leaves a file with whole transactions only."""

from pathlib import Path

import pytest

from tests.soak import either

from .killed_writer import kill_and_check


@pytest.mark.soak
def test_kills_leave_whole_transactions(tmp_path: Path):
    assert kill_and_check(tmp_path / "killed.duckdb", either(4, 40), seed=1) > 0
