"""A process killed at any moment keeps each turn that it has done once: none is lost, none is there twice."""

import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from fabric import Fabric
from fabric.testing import ScriptedModel
from tests import forkserver

from .crash_child import agent, answer
from .small_bank import kept_later

KILLS = int(os.environ.get("FABRIC_KILLS", "6"))
ROOT = Path(__file__).parents[3]


def killed(path: Path, start: int, seconds: float) -> list[int]:
    """Let a process work, kill it, and return the turns that it said were done."""
    command = [sys.executable, "-m", "tests.blocks.retain.crash_child", str(path), str(start)]
    with forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()
        lines = process.stdout.read().split("\n")
    return [int(line) for line in lines[:-1] if line]


def test_a_killed_process_keeps_each_turn_once(tmp_path: Path):
    path, chance, done = tmp_path / "bank.duckdb", random.Random(7), list[int]()
    for kill in range(KILLS):
        done += killed(path, 10_000 * (kill + 1), chance.uniform(0.1, 2.0))
    works = agent()
    with Fabric(path, models=ScriptedModel(answer)) as fabric:
        works.say(fabric, "last", "What was done?")
    rows = kept_later(path)
    turns = Counter(match for row in rows for match in re.findall(r"\[user\]\nturn (\d+) of it", row.text))
    answers = Counter(match for row in rows for match in re.findall(r"\[assistant\]\nre turn (\d+) of it", row.text))
    assert done
    assert {str(number) for number in done} <= set(turns)
    assert {str(number) for number in done} <= set(answers)
    assert max(turns.values()) == 1
    assert max(answers.values()) == 1
