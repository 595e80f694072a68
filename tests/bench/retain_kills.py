"""Kill a process that retains, and look at what reached the server: ``python -m tests.bench.retain_kills 50``."""

import sys
import tempfile
import time
from pathlib import Path

from tests.capabilities.retain.hindsight.killed import kill_and_check
from tests.hindsight import hindsight_double

if __name__ == "__main__":
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, hindsight_double() as server:
        told, reached = kill_and_check(server, Path(folder) / "killed.duckdb", kills, seed=0)
    print(
        f"{kills} kills: {told} memories told to be queued, {reached} on the server; none lost, none twice, "
        f"{time.perf_counter() - begun:.0f} s"
    )
