"""Retain 10,000 memories through a server that fails a third of the time: ``python -m tests.bench.retain_flaky``."""

import sys
import tempfile
import time
from pathlib import Path

from tests.capabilities.retain.hindsight.flaky import retain_and_check
from tests.hindsight import hindsight_double

if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, hindsight_double() as server:
        requests, failed = retain_and_check(server, Path(folder) / "flaky.duckdb", number)
    print(
        f"{number} memories, each on the server once; {requests} requests, of which {failed} failed "
        f"({failed / requests:.0%}), {time.perf_counter() - begun:.0f} s"
    )
