"""Processes that are killed between `retain` and the flush, and in it."""

from pathlib import Path

import pytest

from tests.hindsight import HindsightDouble
from tests.soak import either

from .killed import kill_and_check


@pytest.mark.soak
def test_killed_processes_lose_nothing_and_send_nothing_twice(server: HindsightDouble, tmp_path: Path) -> None:
    told, reached = kill_and_check(server, tmp_path / "a.duckdb", kills=either(2, 10), seed=1)
    assert told > 0
    assert reached >= told
