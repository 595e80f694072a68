"""A killed process has lost no trace, use or sweep that was acknowledged, and its index says what its rows say."""

import signal
import sys
from pathlib import Path

import pytest

from fabric import Fabric
from tests import forkserver
from tests.soak import either

from .cognitive_crash import ROOT, kill_often, look


@pytest.mark.soak
def test_a_process_that_is_killed_at_random_points_leaves_traces_ties_and_index_that_agree(tmp_path: Path):
    assert kill_often(tmp_path / "mind.duckdb", times=either(2, 40), seed=7) > 0


def test_a_turn_that_is_killed_right_after_it_was_encoded_leaves_no_trace_without_its_message(tmp_path: Path):
    path = tmp_path / "mind.duckdb"
    for number in range(3):
        command = [sys.executable, "-m", "tests.stories.encoded_crash", str(path), f"Rosalind owns boat {number}"]
        assert forkserver.run(command, cwd=ROOT).returncode == -signal.SIGKILL
        with Fabric(path) as fabric:
            session = fabric.session("s", user="ann")
            traces = session.run(look).output[0].values()
            held = {item.id for item in session.items}
        assert [one.content for one in traces] == [f"Rosalind owns boat {one}" for one in range(number + 1)]
        assert {source.turn_id for one in traces for source in one.sources} <= held
