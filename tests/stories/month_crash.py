"""Processes that live a month, each killed at a random moment, and what the file must hold afterwards."""

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

from tests import forkserver
from tests.stories.month import Month, told_in
from tests.stories.month_checks import check
from tests.stories.month_model import answers
from tests.stub_server import StubServer
from tests.stub_server.replies import StubReply
from tests.stub_server.server import Received

ROOT = Path(__file__).parents[2]
IMPORTS = ("litellm", "networkx", "dateparser.search")
"""What is imported late, once for all processes."""
IDS_EACH = 1_000_000
LONGEST_WAIT = 0.06
"""So many seconds after what it waited for a process is killed at the latest."""
AT_REQUEST = 0.4
"""How many of the kills come while, or not long after, a model is asked; the others after something was stored."""

MOST_WITHOUT_END = 3
"""After so many processes that ended no turn one ends its turn: work that ends a process five times is set aside."""
AT_ONCE = 0.3
"""How many of the kills do not wait."""


@dataclass
class Killer:
    """Lives a month in processes that are killed; ``told`` are the reminders of each turn that was acknowledged."""

    path: Path
    month: Month
    chance: random.Random
    server: StubServer
    told: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    processes: int = 0
    asked: int = 0
    """How often a process asks a model before it is killed; 0 where something else decides."""
    running: "subprocess.Popen[str] | None" = None

    def live_through(self, kills: int) -> None:
        """Live the month, killed so many times on the way."""
        model = answers(self.month)

        def answer(received: Received) -> StubReply:
            self.asked -= 1
            if self.asked == 0 and self.running is not None:
                self._kill_soon(self.running)
            return model(received)

        self.server.script([answer] * 100 * self.month.turns)
        most = max(1, 4 * self.month.turns // max(1, kills) - 1)  # lines; a turn has two: half of the month is left
        reached: list[int] = []
        for kill in range(kills):
            reached.append(max(self.told, default=-1))
            if kill == 0:
                ended = self._process(asked=1)  # in the middle of a turn: its message is encoded, and nothing is stored
            elif reached[-MOST_WITHOUT_END:] == reached[-1:] * MOST_WITHOUT_END:
                ended = self._process(lines=2)
            elif self.chance.random() < AT_REQUEST:
                ended = self._process(asked=self.chance.randint(1, max(1, most // 2)))
            else:
                ended = self._process(lines=self.chance.randint(0, most // 2))
            assert ended == -signal.SIGKILL, ended
        assert self._process() == 0

    def _kill_soon(self, process: "subprocess.Popen[str]") -> None:
        """Kill a process within a moment; the first, and some others, before anything else happens."""
        if self.processes == 1 or self.chance.random() < AT_ONCE:
            process.kill()
        else:
            Timer(self.chance.uniform(0, LONGEST_WAIT), process.kill).start()

    def _process(self, *, lines: int = -1, asked: int = 0) -> int:
        """Go on with the month in a process, to its end or until it is killed; return how it ended."""
        first = max(self.told, default=-1) + 1
        self.processes += 1
        args = [self.path, self.server.url, self.month.turns, first, self.processes * IDS_EACH]
        command = [sys.executable, "-m", "tests.stories.month_life", *map(str, args)]
        with forkserver.popen(command, imports=IMPORTS, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            self.running, self.asked = process, asked
            for line in process.stdout:
                if lines == 0:
                    self._kill_soon(process)
                lines -= 1
                if line.endswith("\n"):
                    self._hear(line)
            self.running = None
        return process.wait()

    def _hear(self, line: str) -> None:
        what, number, reply = [*line.rstrip("\n").split(" ", 2), "", ""][:3]
        if what == "stored":
            told = told_in(json.loads(reply))
            assert self.told.setdefault(int(number), told) == told


def kill_often(folder: Path, kills: int, turns: int, seed: int) -> dict[str, Any]:
    """Live a month of so many turns, killed so many times, check what is left, and return what was counted."""
    begun = time.perf_counter()
    with StubServer() as server:
        killer = Killer(folder / "month.duckdb", Month(turns), random.Random(seed), server)
        killer.live_through(kills)
        counts = check(killer.path, killer.month, killer.told, server.url, IDS_EACH * (killer.processes + 1))
        asked = len(server.requests)
    return {"kills": kills, "turns": turns, **counts, "asked": asked, "seconds": round(time.perf_counter() - begun, 1)}
