"""How long a recall takes while another user's 5 MB are captured: ``python -m tests.bench.recall_during_capture``."""

import argparse
import statistics
import tempfile
import threading
import time
from pathlib import Path

from fabric import Fabric
from pipelines import Memory

SENTENCE = "我上个月加入了一家公司，我们在北京工作，今天天气很好，我喜欢吃苹果和香蕉。"
FACTS = 50
ROUNDS = 100


def p95(times: list[float]) -> float:
    """Return the time that 95 of 100 do not exceed."""
    return statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]


def recalled(memory: Memory) -> float:
    """Return the milliseconds of one recall."""
    begun = time.perf_counter()
    memory.recall("what about apples?")
    return (time.perf_counter() - begun) * 1000


def measure(file: Path, megabytes: float) -> tuple[list[float], list[float], float]:
    """Return the milliseconds of recalls without and beside a message of this size, and how long it took to keep it."""
    message = SENTENCE * int(megabytes * 1e6 / len(SENTENCE.encode()))
    with Fabric(file) as fabric:
        jake, anna = Memory(fabric, user="jake"), Memory(fabric, user="anna")
        for number in range(FACTS):
            anna.remember(f"Anna's note number {number} is about apples")
        anna.wait()
        alone = [recalled(anna) for _ in range(ROUNDS)]
        kept, times = threading.Event(), list[float]()
        begun = time.perf_counter()

        def capture() -> None:
            try:
                jake.capture(message)
                jake.wait()
            finally:
                kept.set()

        threading.Thread(target=capture).start()
        while not kept.is_set():
            times.append(recalled(anna))
        return alone, times, time.perf_counter() - begun


def main() -> None:
    """Print the percentiles of both, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=5.0)
    megabytes = parser.parse_args().megabytes
    with tempfile.TemporaryDirectory() as folder:
        alone, times, seconds = measure(Path(folder) / "memory.duckdb", megabytes)
    print(f"{megabytes} MB of Chinese text, captured and read in {seconds:.1f} s; recalls of another user:")
    for name, found in (("alone", alone), ("beside", times)):
        median, longest = statistics.median(found), max(found)
        print(f"{name:8} {len(found):5} p50 {median:7.1f} p95 {p95(found):7.1f} max {longest:8.1f} ms")
    print(f"ratio of p95: {p95(times) / p95(alone):.2f}")


if __name__ == "__main__":
    main()
