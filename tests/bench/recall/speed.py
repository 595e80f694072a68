"""What recall, adding and importing cost beside the size of the memory: ``python -m tests.bench.recall.speed``.

Every size gets a fresh file; it is filled in one process and asked in another, so that opening is really opening.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fabric import Fabric
from fabric.sessions.session import Session
from pipelines import memory_system

from .chatter import Chatter
from .evaluate import print_table

SIZES = (1_000, 10_000, 100_000)
MILLION = 1_000_000
BATCH = 5_000
SMALL = 100
CUES = 200
HEAD = (
    "rows",
    "import, turns/s",
    "open, s",
    "first recall, s",
    "recall p50 / p95, ms",
    "of it processor p50, ms",
    f"user of {SMALL} rows p50 / p95, ms",
    "add a turn p50 / p95, ms",
    "memory, bytes a row",
    "file, bytes a row",
)


def main() -> None:
    """Read the command line, and print a row for every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES)
    parser.add_argument("--million", action="store_true", help="a million rows too; takes many minutes")
    parser.add_argument("--embedder", default="default", help='what memory_system takes, or "none"')
    parser.add_argument("--step", choices=["fill", "ask"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    read = parser.parse_args()
    embedder = None if read.embedder == "none" else read.embedder
    if read.step:
        step = {"fill": fill, "ask": ask}[read.step]
        print(json.dumps(step(read.file, read.rows[0], embedder)))
        return
    rows = [measured(size, read.embedder) for size in (*read.rows, *([MILLION] if read.million else []))]
    print_table(f"One user's memory, embedder {read.embedder}, {os.cpu_count()} cores", HEAD, rows)


def measured(size: int, embedder: str) -> list[str]:
    """Fill and ask a file in two processes, and return the table's row."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memory.duckdb"
        filled, asked = (_child(step, file, size, embedder) for step in ("fill", "ask"))
    print(f"<!-- {size:,}: {filled} {asked} -->", file=sys.stderr, flush=True)
    return [
        f"{size:,}",
        f"{size / filled['seconds']:,.0f}",
        f"{asked['open']:.2f}",
        f"{asked['first']:.2f}",
        _pair(asked["large"]),
        f"{asked['large'][2]:.1f}",
        _pair(asked["small"]),
        _pair(asked["add"]),
        f"{asked['memory'] / size:,.0f}",
        f"{filled['bytes'] / size:,.0f}",
    ]


def _pair(milliseconds: list[float]) -> str:
    return " / ".join(f"{millisecond:.1f}" for millisecond in milliseconds[:2])


def _child(step: str, file: Path, size: int, embedder: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.recall.speed", "--step", step, "--file", str(file)]
    command += ["--rows", str(size), "--embedder", embedder]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def fill(file: Path, size: int, embedder: Any) -> dict[str, Any]:
    """Import ``size`` turns for one user and a hundred for another, and return how long the first took."""
    memory = memory_system(episodic=True, semantic=True, embedder=embedder)
    chatter, spent = Chatter(), 0.0
    with Fabric(file) as fabric:
        small = fabric.session("import", user="small")
        small.run(memory.import_block, chatter.turns(0, SMALL))
        large = fabric.session("import", user="large")
        for first in range(0, size, BATCH):
            turns = chatter.turns(first, min(BATCH, size - first))
            start = time.perf_counter()
            large.run(memory.import_block, turns)
            spent += time.perf_counter() - start
    return {"seconds": spent, "bytes": file.stat().st_size}


def ask(file: Path, size: int, embedder: Any) -> dict[str, Any]:
    """Open the file and return seconds, milliseconds (p50, p95) and bytes of what a user would do next."""
    memory = memory_system(episodic=True, semantic=True, embedder=embedder)
    chatter = Chatter()
    chatter.turns(0, SMALL)
    said = [turn["text"] for turn in chatter.turns(0, min(size, 2_000))]
    cues = [chatter.cue(text) for text in said[:: max(1, len(said) // CUES)][:CUES]]
    _warm(memory, cues)
    before = resident()
    start = time.perf_counter()
    with Fabric(file) as fabric:
        opened = time.perf_counter() - start
        large, small = fabric.session("now", user="large"), fabric.session("now", user="small")
        first = _seconds(lambda: _recall(large, memory, cues[0]))
        held = resident() - before
        small_first = _seconds(lambda: _recall(small, memory, cues[0]))
        return {
            "open": opened,
            "first": first,
            "memory": held,
            "small first": small_first,
            "large": percentiles(lambda number: _recall(large, memory, cues[number]), len(cues)),
            "small": percentiles(lambda number: _recall(small, memory, cues[number]), len(cues)),
            "add": percentiles(_adder(large, memory, chatter.turns(size, CUES)), CUES),
        }


def _warm(memory: Any, cues: list[str]) -> None:
    """Load the models and compile what is compiled at first use, on a file of its own."""
    with Fabric(":memory:") as fabric:
        session = fabric.session("warm", user="warm")
        session.run(memory.import_block, Chatter(1).turns(0, SMALL))
        for cue in cues[:20]:
            _recall(session, memory, cue)


def _recall(session: Session, memory: Any, cue: str) -> None:
    found = session.run(memory.recall_block, {"cue": cue, "limit": 10}).output
    assert found, cue


def _adder(session: Session, memory: Any, turns: list[dict[str, Any]]) -> Callable[[int], None]:
    def add(number: int) -> None:
        session.run(memory.import_block, turns[number : number + 1])

    return add


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def percentiles(work: Callable[[int], None], count: int) -> list[float]:
    """Run ``work(0)`` to ``work(count - 1)``; return milliseconds: median and 95th percentile, and processor median.

    The last tells what it costs where other programs share the machine.
    """
    taken, busy = list[float](), list[float]()
    for number in range(count):
        start, used = time.perf_counter(), time.process_time()
        work(number)
        taken.append((time.perf_counter() - start) * 1000)
        busy.append((time.process_time() - used) * 1000)
    return [*(float(one) for one in np.percentile(taken, [50, 95])), float(np.median(busy))]


def resident() -> int:
    """Return the bytes of memory this process holds, 0 where the system does not tell."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


if __name__ == "__main__":
    main()
