"""A process killed at any moment loses no turn it called done, doubles no effect, and leaves a file that opens."""

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from fabric import Fabric
from tests import forkserver
from tests.soak import either

from .crash_child import SESSIONS
from .small_pipelines import notes, talk

KILLS = either(2, 40)
TURNS = max(20, 2 * KILLS)
ROOT = Path(__file__).parents[2]


def child(path: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.fabric.crash_child", str(path), str(TURNS)]
    return forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def kill_after(path: Path, seconds: float) -> set[str]:
    """Run the child, kill it some time after it is ready, and return the turns that it said were done."""
    with child(path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()
        lines = process.stdout.read().split("\n")
    return {line for line in lines[:-1] if line}


def check_file(path: Path, done: set[str]) -> None:
    with Fabric(path) as fabric:
        fabric.register(talk())
        assert fabric.drain() == []
        for name in SESSIONS:
            session = fabric.session(name, user=name)
            said = [item.text for item in session.items if item.role == "user"]
            replies = [item.text for item in session.items if item.role == "assistant"]
            stored = session.run(notes).output
            acknowledged = [
                line.split()[1] for line in sorted(done, key=lambda one: int(one.split()[1])) if line[0] == name
            ]
            assert said[: len(acknowledged)] == acknowledged
            assert len(said) <= len(acknowledged) + 1
            assert replies == [f"re: {text}" for text in said[: len(replies)]]
            assert len(replies) >= len(acknowledged)
            assert stored == replies, "each turn's work is done once, and in order"
            assert max(Counter(item.id for item in session.items).values(), default=1) == 1
            assert [item.seq for item in session.items] == sorted({item.seq for item in session.items})


@pytest.mark.soak
def test_a_killed_process_loses_and_doubles_nothing(tmp_path: Path):
    path = tmp_path / "crash.duckdb"
    chance = random.Random(7)
    done: set[str] = set()
    for number in range(KILLS):
        done |= kill_after(path, chance.uniform(0.0, 0.4))
        if number % 4 == 1:
            check_file(path, done)
    with child(path) as process:
        output, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    done |= set(output.split("\n")[1:-1])
    assert len(done) == TURNS * len(SESSIONS)
    check_file(path, done)


def test_work_that_kills_the_process_is_given_up_after_its_tries(tmp_path: Path):
    path = tmp_path / "deadly.duckdb"
    command = [sys.executable, "-m", "tests.fabric.crash_child", str(path)]
    for attempts in (1, 2):
        assert forkserver.run(command, cwd=ROOT, check=False).returncode == 9
        with Fabric(path, max_attempts=2) as fabric:
            (job,) = fabric.jobs()
            assert job.attempts == attempts
    assert job.status == "failed"
    assert "the process ended while it ran" in job.error
