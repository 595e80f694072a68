"""A process that is killed while it captures and consolidates: no turn is lost and no fact is doubled."""

import os
from pathlib import Path

from .crash import kill_and_check

KILLS = int(os.environ.get("FABRIC_KILLS", "4"))


def test_a_memory_that_is_killed_again_and_again_is_what_was_said(tmp_path: Path):
    assert kill_and_check(tmp_path / "killed.duckdb", KILLS, seed=3) > 0
