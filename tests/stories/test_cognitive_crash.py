"""A killed process has lost no trace, use or sweep that was acknowledged, and its index says what its rows say."""

from pathlib import Path

from .cognitive_crash import kill_often


def test_a_process_that_is_killed_at_random_points_leaves_traces_ties_and_index_that_agree(tmp_path: Path):
    assert kill_often(tmp_path / "mind.duckdb", times=2, seed=7) > 0
