"""A process killed at any moment keeps each turn that it has done once: none is lost, none is there twice."""

import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from capabilities.retain.banks import in_bank
from capabilities.retain.local.tables import MEMORIES
from fabric import Fabric
from fabric.testing import ScriptedModel
from tests import forkserver
from tests.hindsight import hindsight_double
from tests.soak import either

from .crash_child import answer, bank_of, working

KILLS = either(2, 10)
ROOT = Path(__file__).parents[3]
Kept = Callable[[Path], list[str]]
"""Returns the texts that a bank holds."""


def killed(folder: Path, url: str, start: int, seconds: float) -> list[int]:
    """Let a process work, kill it, and return the turns that it said were done."""
    command = [sys.executable, "-m", "tests.blocks.retain.crash_child", str(folder), url, str(start)]
    with forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.kill()
        lines = process.stdout.read().split("\n")
    return [int(line) for line in lines[:-1] if line]


def settle(folder: Path, url: str) -> None:
    """Begin another session, as the user would, and close the file until nothing is left to do in it."""
    bank = bank_of(folder, url)
    pipeline = working(bank)
    with Fabric(folder / "bank.duckdb", models=ScriptedModel(answer)) as fabric:
        fabric.session("last", user="jake").run(pipeline, "What was done?")
    is_left = True
    while is_left:
        with Fabric(folder / "bank.duckdb", models=ScriptedModel(answer)) as fabric:
            is_left = bool(fabric.jobs())  # closing leaves what takes it too long
            fabric.register(pipeline)
            fabric.drain()
            fabric.session("last", user="jake").run(bank.flush)


def in_the_file(folder: Path) -> list[str]:
    with Fabric(folder / "bank.duckdb") as fabric, fabric.session("looking").snapshot() as tx:
        return [one.content for one in in_bank(tx, bank_of(folder, "").bank.id).find(MEMORIES)]


@pytest.fixture(params=["local", "hindsight"])
def place(request: pytest.FixtureRequest) -> Iterator[tuple[str, Kept]]:
    """Return where a bank is, "" for the file, and what tells what it holds."""
    if request.param == "local":
        yield "", in_the_file
        return
    with hindsight_double() as server:
        yield server.url, lambda _: [one.text for bank in server.banks.values() for one in bank.documents.values()]


@pytest.mark.soak
def test_a_killed_process_keeps_each_turn_once(place: tuple[str, Kept], tmp_path: Path):
    url, kept = place
    chance, done = random.Random(7), list[int]()
    for kill in range(KILLS):
        done += killed(tmp_path, url, 10_000 * (kill + 1), chance.uniform(0.1, 2.0))
    settle(tmp_path, url)
    texts = kept(tmp_path)
    turns = Counter(int(match) for text in texts for match in re.findall(r"\[user\]\nturn (\d+) of it", text))
    answers = Counter(int(match) for text in texts for match in re.findall(r"\[assistant\]\nre turn (\d+) of it", text))
    assert done
    assert set(done) - set(turns) == set()
    assert set(done) - set(answers) == set()
    assert max(turns.values()) == 1
    assert max(answers.values()) == 1
