"""A process that is killed leaves a file with whole transactions only."""

from pathlib import Path

from .killed_writer import kill_and_check


def test_kills_leave_whole_transactions(tmp_path: Path):
    assert kill_and_check(tmp_path / "killed.duckdb", 6, seed=1) > 0
