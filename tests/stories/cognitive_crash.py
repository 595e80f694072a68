"""A process that encodes, uses and sweeps traces until it is killed, and what must be in the file afterwards."""

import random
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

from capabilities.cognitive.config import Profile
from capabilities.traces.tables import USER
from fabric import Context, Fabric, handler
from fabric.flow.resource import Transaction
from pipelines import cognitive_memory
from tests import forkserver

ROOT = Path(__file__).parents[2]
MIND = cognitive_memory(embedder=None, profile=Profile(base_hours=1e-5))
"""One in which traces fade within a second."""


@handler(name="live", uses=[MIND.capability])
async def live(number: int, ctx: Context) -> None:
    """Encode, use and sweep, saying what was acknowledged."""
    memory = ctx.cap.cognitive
    made = [(await memory.encode(f"Rosalind owns boat {number}{letter}")).trace.id for letter in "ab"]
    print("made", *made, flush=True)
    await memory.use(made)
    print("used", *made, flush=True)
    print("faded", *(await memory.sweep()).faded, flush=True)


@handler(name="look", uses=[MIND.capability])
async def look(_: object, ctx: Context) -> tuple[dict[str, Any], list[Any], set[str]]:
    """Return the traces and ties that are held, and which traces the index knows as live."""

    def work(tx: Transaction) -> tuple[dict[str, Any], list[Any], set[str]]:
        index = tx.index(USER.traces)
        positions = [] if index is None else (index.alive & (index.columns["deleted"].values == 0)).nonzero()[0]
        known = set() if index is None else {index.ids[position] for position in positions}
        return {trace.id: trace for trace in tx.find(USER.traces)}, tx.find(USER.edges), known

    return await ctx.transact(work)


def live_for_ever(path: str, first: int) -> None:
    """Say "ready", then live on."""
    with Fabric(path) as fabric:
        session = fabric.session("s", user="ann")
        print("ready", flush=True)
        for number in count(first):
            session.run(live, number)


def kill_after(path: Path, lines_said: int, seconds: float, first: int) -> list[list[str]]:
    """Run such a process, kill it some time after it said so many lines, and return what it said."""
    command = [sys.executable, "-m", "tests.stories.cognitive_crash", str(path), str(first)]
    with forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        begun = "".join(process.stdout.readline() for _ in range(lines_said))
        time.sleep(seconds)
        process.kill()
        return [line.split() for line in (begun + process.stdout.read()).split("\n")[:-1]]


def check(path: Path, said: list[list[str]]) -> None:
    """Assert that the file holds all that was acknowledged, and nothing in halves."""
    with Fabric(path) as fabric:
        traces, edges, known = fabric.session("s", user="ann").run(look).output
    for what, *ids in said:
        for one in ids:
            assert what != "used" or traces[one].retrieval_count >= 1
            assert what != "faded" or traces[one].deleted_reason == "faded"
            assert one in traces
    assert known == {one for one, trace in traces.items() if not trace.deleted}
    assert all({edge.source, edge.target} <= traces.keys() for edge in edges)
    together = {(edge.source, edge.target) for edge in edges if edge.type == "co_activated"}
    assert together >= {tuple(sorted(ids)) for what, *ids in said if what == "used"}


def kill_often(path: Path, times: int, seed: int) -> int:
    """Kill such a process at random points, check the file after each, and return how many traces were used."""
    chance = random.Random(seed)
    said: list[list[str]] = []
    for time_round in range(times):
        said += kill_after(path, chance.randrange(2, 10), chance.uniform(0.0, 0.05), 1_000 * time_round)
        check(path, said)
    return sum(what == "used" for what, *_ in said)


if __name__ == "__main__":
    live_for_ever(sys.argv[1], int(sys.argv[2]))
