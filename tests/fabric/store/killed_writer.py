"""End a writing process at random points, and look at its file: ``python -m tests.fabric.store.killed_writer 200``."""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fabric.scope import Scope
from fabric.store.base import Rows, Table
from fabric.store.duckdb.store import DuckDBStore
from tests import forkserver

NOTES = Table("notes", {"step": "integer"}, "content")
JAKE = Scope("user", "jake")
ROWS = 10
ROOT = Path(__file__).parents[3]


def write(path: str) -> None:
    """Write one step after the other, for ever, saying each number once it is committed."""
    store = DuckDBStore(path)
    store.open()
    store.define(NOTES)

    def step(rows: Rows) -> int:
        number = (rows.read("steps", JAKE) or 0) + 1
        # Text that does not compress, so that checkpoints are reached too.
        text = random.Random(number).randbytes(20_000 if number % 3 == 0 else 100).hex()
        rows.put(NOTES, JAKE, [{"id": f"{number}-{n}", "step": number, "content": text} for n in range(ROWS)])
        rows.put(NOTES, JAKE, [{"id": "latest", "step": number}])
        rows.delete(NOTES, JAKE, [f"{number - 50}-{n}" for n in range(ROWS)])
        rows.write("steps", JAKE, number)
        return number

    while True:
        print(store.transact_sync(step), flush=True)


def kill_once(path: Path, delay: float, *, opening: bool) -> int:
    """Run the writer and kill it so many seconds after its begin, or after its first step; return the last it said."""
    command = [sys.executable, "-m", "tests.fabric.store.killed_writer", "write", str(path)]
    process = forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    first = "" if opening else process.stdout.readline()
    time.sleep(delay)
    process.kill()
    said = first + process.communicate()[0]
    return max([0, *(int(line) for line in said.splitlines(keepends=True) if line.endswith("\n"))])


def check(path: Path, said: int) -> int:
    """Raise AssertionError unless the file holds whole steps only, and all that were said; return the last one."""
    store = DuckDBStore(path)
    store.open()
    try:
        store.define(NOTES)
        last = store.transact_sync(lambda rows: rows.read("steps", JAKE)) or 0
        found = store.transact_sync(lambda rows: rows.find(NOTES, JAKE))
    finally:
        store.close()
    assert last >= said, f"step {said} was committed, but the file ends with {last}"
    steps = range(max(1, last - 49), last + 1)
    expected = {f"{step}-{n}" for step in steps for n in range(ROWS)} | ({"latest"} if last else set())
    assert {row["id"] for row in found} == expected
    assert len(found) == len(expected)
    assert [row["step"] for row in found if row["id"] == "latest"] == ([last] if last else [])
    return last


def kill_and_check(path: Path, rounds: int, seed: int) -> int:
    """Kill and check so often, on one file; return how many steps survived."""
    chance, said = random.Random(seed), 0
    for number in range(rounds):
        opening = number % 4 == 0
        delay = chance.uniform(0, 0.3) if opening else chance.uniform(0, 0.4)
        said = check(path, max(said, kill_once(path, delay, opening=opening)))
    return said


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        print(kill_and_check(Path(folder) / "killed.duckdb", int(sys.argv[1]), seed=0), "steps, every one whole")
