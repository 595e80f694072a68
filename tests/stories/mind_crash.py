"""A process whose agent writes into its mind until it is killed, and what must be in the file afterwards."""

import random
import subprocess
import sys
import time
from collections import defaultdict
from itertools import count
from pathlib import Path
from typing import Any

from capabilities.mind import MindStatus, mind
from fabric import Context, Fabric, handler
from tests import forkserver

ROOT = Path(__file__).parents[2]
USES = [mind(embedder=None, namespace="mind/crash", deduplication_threshold=1.0)]
WRITES = 4


@handler(name="write", uses=USES)
async def write(number: int, ctx: Context) -> None:
    """Write a belief and some reflections, saying each that was acknowledged."""
    await ctx.cap.mind.believe(f"Belief {number}")
    print(f"told {number} Belief", flush=True)
    for place in range(1, WRITES):
        await ctx.cap.mind.reflect(f"Note{place} {number}")
        print(f"told {number} Note{place}", flush=True)


@handler(name="look", uses=USES)
async def look(_: object, ctx: Context) -> tuple[list[Any], MindStatus]:
    """Return what is held, and how the mind stands."""
    return await ctx.cap.mind.entries(), await ctx.cap.mind.status()


def write_for_ever(path: str, first: int) -> None:
    """Say "ready", then run again and again, saying each run that is done."""
    with Fabric(path) as fabric:
        session = fabric.session("s", user="ann")
        print("ready", flush=True)
        for number in count(first):
            session.run(write, number)
            print(f"done {number} -", flush=True)


def kill_after(path: Path, lines_said: int, seconds: float, first: int) -> list[tuple[str, int, str]]:
    """Run such a process, kill it some time after it said so many lines, and return what it said."""
    command = [sys.executable, "-m", "tests.stories.mind_crash", str(path), str(first)]
    with forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        begun = "".join(process.stdout.readline() for _ in range(lines_said))
        time.sleep(seconds)
        process.kill()
        lines = (begun + process.stdout.read()).split("\n")[:-1]
    said = [line.split() for line in lines]
    return [(what, int(number), text) for what, number, text in said]


def check(path: Path, said: list[tuple[str, int, str]]) -> None:
    """Assert that the file holds every run that was done, and all that was acknowledged of the one that was not."""
    with Fabric(path) as fabric:
        entries, status = fabric.session("s", user="ann").run(look).output
    assert (status.drafts, status.failed) == (0, ())
    held: dict[int, dict[str, bool]] = defaultdict(dict)
    for entry in entries:
        text, number = entry.content.split()
        assert text not in held[int(number)]
        held[int(number)][text] = entry.error
    for what, number, text in said:
        if what == "done":
            assert held[number] == {"Belief": False, "Note1": False, "Note2": False, "Note3": False}
        else:
            assert text in held[number]
    for flags in held.values():
        assert len(set(flags.values())) == 1, "a run was written in halves"
        assert len(flags) == WRITES or all(flags.values()), "a run that did not end counts as one that did"


def kill_often(path: Path, times: int, seed: int) -> int:
    """Kill such a process at random points, check the file after each, and return how many runs were done."""
    chance = random.Random(seed)
    said: list[tuple[str, int, str]] = []
    for _ in range(times):
        first = 1 + max((number for _, number, _ in said), default=0)
        said += kill_after(path, chance.randrange(4 * WRITES), chance.uniform(0.0, 0.05), first + 1)
        check(path, said)
    return sum(what == "done" for what, _, _ in said)


if __name__ == "__main__":
    write_for_ever(sys.argv[1], int(sys.argv[2]))
