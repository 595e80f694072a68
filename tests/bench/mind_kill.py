"""Kill an agent that writes into its mind, and look at its file each time: ``python -m tests.bench.mind_kill 50``."""

import sys
import tempfile
import time
from pathlib import Path

from tests.stories.mind_crash import kill_often

if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        runs = kill_often(Path(folder) / "killed.duckdb", rounds, seed=0)
    print(f"{rounds} kills, {runs} runs, nothing lost or halved, {time.perf_counter() - begun:.0f} s")
