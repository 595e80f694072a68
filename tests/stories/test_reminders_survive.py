"""No reminder is lost or told twice, by processes that check at once, and by one that is killed before its reply."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from fabric import Context, Fabric, handler
from fabric.testing import FrozenClock
from tests import forkserver
from tests.soak import either
from tests.stories.reminder_crash import MEMORY, START, plan

ROOT = Path(__file__).parents[2]
KILLS = either(3, 6)
"""No more: each may settle seven of the reminders that are planned."""


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "tests.stories.reminder_crash", *map(str, args)]


def planned(tmp_path: Path) -> Path:
    path = tmp_path / "memory.duckdb"
    with Fabric(path, clock=FrozenClock(START)) as fabric:
        fabric.session("sunday", user="jake").run(plan)
    return path


def told(*args: object, killed: bool = False) -> list[str]:
    done = forkserver.run(command(*args), cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == (-signal.SIGKILL if killed else 0), done.stderr
    return done.stdout.split("\n")[:-1]


def test_two_processes_that_check_at_once_tell_each_due_time_once(tmp_path: Path):
    path = planned(tmp_path)
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": ROOT}
    both = [forkserver.popen(command("reply", path, 5), **pipe) for _ in range(2)]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    lines = [line for out, _ in said for line in out.splitlines()]
    assert sorted(line.partition("@")[0] for line in lines) == ["again", *(f"once {number}" for number in range(5))]


def test_one_that_is_killed_between_check_and_reply_has_told_nothing(tmp_path: Path):
    path = planned(tmp_path)
    assert told("die", path, 2, killed=True) == []
    assert [line.partition("@")[0] for line in told("reply", path, 2)] == ["once 0", "once 1", "again"]
    assert told("die", path, 3, "turn-3", killed=True) == []
    third = told("reply", path, 3, "turn-3")
    assert [line.partition("@")[0] for line in third] == ["once 2", "again"]
    assert told("reply", path, 4, "turn-3") == third  # the turn is known: its record, and nothing anew
    assert [line.partition("@")[0] for line in told("reply", path, 4)] == ["once 3", "again"]
    assert told("reply", path, 4) == []


@handler(name="looks", uses=[MEMORY])
async def looks(_: object, ctx: Context) -> dict[str, int]:
    return {one.content: one.fired_count for one in await ctx.cap.prospective.all()}


@pytest.mark.slow
@pytest.mark.soak
def test_killed_at_any_moment_it_tells_nothing_twice_and_loses_nothing(tmp_path: Path):
    path, chance, said = planned(tmp_path), random.Random(7), list[str]()
    for kill in range(KILLS):
        with forkserver.popen(
            command("often", path, 2 + 5 * kill), cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(chance.randrange(1, 4))]
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
            said += ("".join(lines) + process.stdout.read()).split("\n")[:-1]
    assert len(said) == len(set(said))
    with Fabric(path, clock=FrozenClock(START)) as fabric:
        fired = fabric.session("monday", user="jake").run(looks).output
    told = Counter(line.partition("@")[0] for line in said)
    assert all(fired[f"once {number}"] == 1 for number in range(10))
    # Stored, and killed before its line was printed: one turn a kill at most.
    assert 0 <= sum(fired.values()) - sum(told.values()) <= KILLS * 7
    assert all(told[content] <= count for content, count in fired.items())
