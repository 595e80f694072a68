"""A killed agent has lost nothing that was acknowledged, and no run of it is there in halves."""

from pathlib import Path

import pytest

from tests.soak import either

from .mind_crash import kill_often


@pytest.mark.soak
def test_an_agent_that_is_killed_at_random_points_has_lost_nothing_that_was_acknowledged(tmp_path: Path):
    assert kill_often(tmp_path / "mind.duckdb", times=either(2, 40), seed=7) > 0
