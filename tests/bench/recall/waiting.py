"""How long a writer waits beside recalls: ``python -m tests.bench.recall.waiting``.

One thread recalls from a memory of many rows, over and over; another writes one small row at a time. What is told is
how long a write waits until the store's thread begins it, and how long it takes in all, with recalls and without.
"""

import argparse
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fabric import Fabric
from fabric.scope import Scope
from fabric.sessions.session import Session
from fabric.store.base import Rows, Table
from pipelines import memory_system

from .chatter import Chatter
from .evaluate import print_table
from .speed import fill

ROWS = 100_000
WRITES = 1_000
PAUSE = 0.003
"""Seconds between two writes."""
NOTES, WRITER = Table("bench_notes", {}), Scope("user", '["user",null,"writer"]')
HEAD = ("beside", "recalls/s", "wait p50 / p95 / max, ms", "write p50 / p95 / max, ms")


def main() -> None:
    """Read the command line, fill a file, and print how long writes wait."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--file", type=Path, help="a file that `speed` has filled with so many rows")
    read = parser.parse_args()
    with TemporaryDirectory() as folder:
        file = read.file or Path(folder) / "memory.duckdb"
        if read.file is None:
            fill(file, read.rows, "default")
        rows = measured(file)
    print_table(f"Writes beside recalls of {read.rows:,} rows, {os.cpu_count()} cores", HEAD, rows)


def measured(file: Path) -> list[list[str]]:
    """Return the table's rows: writes alone, and beside recalls."""
    memory = memory_system(episodic=True, semantic=True)
    chatter = Chatter()
    cues = [chatter.cue(turn["text"]) for turn in chatter.turns(0, 500)]
    with Fabric(file) as fabric:
        session = fabric.session("now", user="large")
        _recall(session, memory, cues[0])
        fabric.services.store.define(NOTES)
        _writes(fabric, 50)
        alone = _told("nothing", 0.0, _writes(fabric, WRITES))
        with _recalling(session, memory, cues) as done:
            start = time.perf_counter()
            waits = _writes(fabric, WRITES)
            speed = len(done) / (time.perf_counter() - start)
        return [alone, _told("recalls", speed, waits)]


@contextmanager
def _recalling(session: Session, memory: Any, cues: list[str]) -> Generator[list[int], None, None]:
    """Recall on a thread of its own until the block ends; yields what grows by one with each recall."""
    done, over = list[int](), threading.Event()

    def recall() -> None:
        while not over.is_set():
            _recall(session, memory, cues[len(done) % len(cues)])
            done.append(1)

    thread = threading.Thread(target=recall)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


def _recall(session: Session, memory: Any, cue: str) -> None:
    assert session.run(memory.recall_block, {"cue": cue, "limit": 10}).output, cue


def _writes(fabric: Fabric, count: int) -> list[tuple[float, float]]:
    """Write so many rows; return the milliseconds until each began, and until it was done."""
    taken: list[tuple[float, float]] = []
    for number in range(count):
        asked = time.perf_counter()

        def write(rows: Rows, number: int = number) -> float:
            begun = time.perf_counter()
            rows.put(NOTES, WRITER, [{"id": str(number), "text": "a note"}])
            return begun

        begun = fabric.services.store.transact_sync(write)
        taken.append((1000 * (begun - asked), 1000 * (time.perf_counter() - asked)))
        time.sleep(PAUSE)
    return taken


def _told(beside: str, speed: float, waits: list[tuple[float, float]]) -> list[str]:
    waited, written = (" / ".join(f"{one:.2f}" for one in _three(some)) for some in zip(*waits, strict=True))
    return [beside, f"{speed:.0f}", waited, written]


def _three(milliseconds: tuple[float, ...]) -> list[float]:
    return [*(float(one) for one in np.percentile(milliseconds, [50, 95])), max(milliseconds)]


if __name__ == "__main__":
    main()
