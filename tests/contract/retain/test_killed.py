"""What was retained when a process was killed is there, once, and so is what it states."""

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from capabilities.retain.banks import in_bank
from capabilities.retain.local.tables import FACTS, MEMORIES
from fabric import Fabric
from tests import forkserver
from tests.soak import either

from .crash import content
from .kinds import Desk, Kind, Place

ROOT = Path(__file__).parents[3]
KILLS = either(4, 20)


def killed(path: Path, kind: Kind, place: Place, first: int, chance: random.Random) -> list[int]:
    """Return the numbers of the memories that a process had retained when it was killed."""
    command = [sys.executable, "-m", "tests.contract.retain.crash", str(path), kind.name, str(first), *place]
    with forkserver.popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(chance.randrange(1, 8))]
        time.sleep(chance.uniform(0, 0.05))
        process.kill()
        return [int(line) for line in ("".join(lines) + process.stdout.read()).split("\n")[:-1]]


@pytest.mark.slow
@pytest.mark.soak
def test_nothing_that_was_retained_is_lost_or_there_twice(kind: Kind, place: Place, tmp_path: Path) -> None:
    path, chance, told = tmp_path / "banks.duckdb", random.Random(11), list[int]()
    for kill in range(KILLS):
        told += killed(path, kind, place, 100 * kill, chance)
    assert len(told) >= KILLS
    with Fabric(path) as fabric:
        desk = Desk(fabric, kind, place)
        backend = desk.open()
        desk.settle(backend)
        for number in told[:: max(1, len(told) // 20)]:
            found = desk.found(backend, f"on which port does service number{number} listen?")
            assert any(str(20_000 + number) in one for one in found)
        if kind.name == "local":
            check_rows(desk, told)


def check_rows(desk: Desk, told: list[int]) -> None:
    """Look at the rows themselves: each memory once, each fact once and of one saying."""
    memories = desk.do(lambda ctx: ctx.transact(lambda tx: in_bank(tx, "bank").find(MEMORIES)))
    facts = desk.do(lambda ctx: ctx.transact(lambda tx: in_bank(tx, "bank").find(FACTS)))
    contents = Counter(one.content for one in memories)
    assert {content(number) for number in told} <= contents.keys()
    assert set(contents.values()) == {1}
    # What was stored and not told yet when the process ended: one a kill at most.
    assert len(contents) <= len(told) + KILLS
    assert not any(one.waits for one in memories)
    stated = Counter(one.content for one in facts)
    assert set(stated.values()) == {1}
    assert {one.reinforcement_count for one in facts} == {1}
    assert len(stated) == len(contents)
