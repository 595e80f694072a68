"""A process that retains until it is killed, and a look at what reached the server: nothing lost, nothing twice."""

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from fabric import Fabric
from tests import forkserver
from tests.hindsight import Fault, HindsightDouble

from .steps import Steps, facts, until

ROOT = Path(__file__).parents[4]
MODULE = "tests.capabilities.retain.hindsight.killed"
EACH, CALLS = 3, 12
"""How many items a call retains, and how many calls a process would make."""


def text(life: int, call: int, item: int) -> str:
    return f"Decision {life}-{call}-{item} stands."


def retaining(path: str, url: str, life: int) -> None:
    """Retain, and say after each call that it returned."""
    with Fabric(path) as fabric:
        here = Steps(fabric, url, flush_batch_size=5 * EACH, flush_interval=0.05)
        here.recall("ready")  # what it imports is imported
        print("ready", flush=True)
        for call in range(CALLS):
            here.retain(*(text(life, call, item) for item in range(EACH)))
            print(call, flush=True)
            time.sleep(0.01)


def killed_after(path: Path, url: str, life: int, calls: int, seconds: float) -> list[str]:
    """Let such a process run, kill it some time after so many calls; return what it was told to be queued."""
    command = [sys.executable, "-m", MODULE, str(path), url, str(life)]
    with forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        begun = "".join(process.stdout.readline() for _ in range(calls))
        time.sleep(seconds)
        process.kill()
        done = (begun + process.stdout.read()).split("\n")[:-1]
    return [text(life, int(call), item) for call in done for item in range(EACH)]


def kill_and_check(server: HindsightDouble, path: Path, kills: int, seed: int) -> tuple[int, int]:
    """Kill so many processes one after the other on one file, some with a server that loses its answers.

    Returns how many items were told to be queued, and how many reached the server.
    """
    chance = random.Random(seed)
    told: list[str] = []
    for life in range(kills):
        server.behave()
        if life % 2:
            server.misbehave(Fault(cut=True, done=bool(life % 4 == 1)), every=2, path="/memories")
        told += killed_after(path, server.url, life, life % CALLS, chance.uniform(0, 0.08))
    server.behave()
    with Fabric(path) as fabric:
        here = Steps(fabric, server.url)
        here.recall("ready")
        until(lambda: not here.waiting())
    reached = Counter(facts(server))
    assert [one for one in told if not reached[one]] == [], "lost, though it was told to be queued"
    assert [one for one, times in reached.items() if times > 1] == [], "retained twice"
    return len(told), len(reached)


if __name__ == "__main__":
    retaining(sys.argv[1], sys.argv[2], int(sys.argv[3]))
