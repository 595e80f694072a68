"""Kill a process that captures, and look at its file each time: ``python -m tests.bench.killed_capture 50``."""

import sys
import tempfile
import time
from pathlib import Path

from tests.stories.crash import SESSIONS, kill_and_check

if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        turns = kill_and_check(Path(folder) / "killed.duckdb", rounds, seed=0)
    print(
        f"{rounds} kills, {turns * len(SESSIONS)} turns, nothing lost or doubled, {time.perf_counter() - begun:.0f} s"
    )
