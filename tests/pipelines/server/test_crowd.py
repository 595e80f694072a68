"""Many clients at once over HTTP, in processes of their own: none sees another's memory, and nothing piles up."""

from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from tests.bench.crowd import crowd
from tests.soak import either


@pytest.mark.soak
def test_a_crowd_of_clients_sees_its_own_and_leaves_nothing_behind(tmp_path: Path):
    states, seen = crowd(tmp_path, clients=either(3, 8), calls=either(24, 400), parts=2, own=either(5, 20))
    assert seen.foreign == ()
    assert seen.failed == ()
    assert seen.empty == 0
    assert len(seen.times) > either(24, 400)
    assert states[-1].megabytes <= states[1].megabytes + 20
    assert states[-1].files <= states[1].files + 4
    assert states[-1].threads <= states[1].threads + 2
