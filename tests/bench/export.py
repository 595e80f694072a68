"""What exporting a large memory takes, one by one and as one list: ``python -m tests.bench.export``.

Every way is a process of its own, so that its peak memory is its own; "open" only opens the file.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fabric import Fabric
from pipelines import Memory, memory_system
from pipelines.importing import FileImport, file_import_block

from .importing import write_messages
from .recall.evaluate import print_table

HEAD = ("way", "records", "seconds", "peak memory, MB", "above open, MB")
FILL = "fill"
WAYS: dict[str, Callable[[Memory], Iterable[dict[str, Any]]]] = {
    "open": lambda _: (),
    "one by one": lambda memory: memory.export(),
    "about somebody": lambda memory: memory.export("nobody named so"),
    "as one list": lambda memory: memory.fabric.session("x", user="ann").run(memory.system.export_block).output,
}


def main() -> None:
    """Read the command line, and print a row for every way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    read = parser.parse_args()
    if read.child:
        print(json.dumps(child(read.child[0], read.child[1], read.turns)))
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memory.duckdb"
        measured(file, FILL, read.turns)
        done = {way: measured(file, way, read.turns) for way in WAYS}
    base = done["open"]["memory"]
    rows = [
        [
            way,
            f"{record['records']:,}",
            f"{record['seconds']:.1f}",
            f"{record['memory']:.0f}",
            f"{record['memory'] - base:.0f}",
        ]
        for way, record in done.items()
    ]
    print_table(f"Exporting {read.turns:,} turns", HEAD, rows)


def fill(file: Path, turns: int) -> None:
    """Make a memory's file with so many turns in it."""
    lines = file.with_suffix(".jsonl")
    write_messages(lines, file.with_suffix(".json"), turns)
    mem = memory_system(episodic=True, semantic=True, embedder=None)
    with Fabric(file) as fabric:
        fabric.session("x", user="ann").run(file_import_block(mem.layout), FileImport(path=lines))


def measured(file: Path, way: str, turns: int) -> dict[str, Any]:
    """Do it in a process of its own, to a copy of the file; its peak begins with that of the process that begins it."""
    copy = file if way == FILL else file.with_name("copy.duckdb")
    if way != FILL:
        shutil.copyfile(file, copy)
    command = [sys.executable, "-m", "tests.bench.export", "--turns", str(turns), "--child", str(copy), way]
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return result


def child(file: str, way: str, turns: int) -> dict[str, Any]:
    """Fill or export in this process."""
    if way == FILL:
        fill(Path(file), turns)
        return {}
    with Memory(file, user="ann", embedder=None) as memory:
        begun = time.perf_counter()
        records = sum(1 for _ in WAYS[way](memory))
        seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"records": records, "seconds": seconds, "memory": peak}


if __name__ == "__main__":
    main()
