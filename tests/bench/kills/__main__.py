"""Kill a process that works on a file, again and again, and compare the file with a plain model each time.

``python -m tests.bench.kills [KILLS] [SEED]``: one line for each thing that was checked, how often, and how often it
did not hold; what did not hold is listed, with a copy of the file as the kill left it. Exit code 1 then.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from threading import Timer
from typing import Any

from tests.bench.checks import print_checks

from .compared import CHECKS, compare
from .looking import look_into
from .model import Model
from .operations import Operation

KILLS = 300
PER_FILE = 20
"""How many kills a file goes through before a new one is begun."""
AT_START = 0.1
"""How many of the kills come while the process opens the file, or not long after, whatever it has done."""
OPERATIONS = 16
"""After at most so many acknowledgements a process is killed, and at most so many seconds later."""
SECONDS = 0.3
WORDS_EACH = 3_000
"""How many words of their own each process may say; there are 16 ** 5."""
ROOT = Path(__file__).parents[3]


class Killer:
    """Starts processes that work on a file, and kills each at a random moment."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.heard: list[dict[str, Any]] = []
        """What the last process said."""
        command = [sys.executable, "-m", "tests.bench.kills.worker"]
        self._server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def kill_once(self, path: Path, number: int, model: Model) -> None:
        """Start a process, kill it, and tell the model what it said."""
        given = {"path": str(path), "number": number, "first": 1 + number * WORDS_EACH}
        self._tell({**given, "waiting": [one.told() for one in model.waiting()]})
        started, self.heard = self._heard(), []
        timer = Timer(self.chance.uniform(0, SECONDS), os.kill, (started["process"], signal.SIGKILL))
        left, is_due = self.chance.randint(1, OPERATIONS), self.chance.random() < AT_START
        if is_due:
            timer.start()
        while (told := self._heard())["state"] != "ended":
            self.heard.append(told)
            model.hear(told["state"], Operation.of(told["operation"]), told["part"])
            left -= told["state"] in ("done", "refused")
            if left <= 0 and not is_due:
                is_due = True
                timer.start()
        assert told["status"] == signal.SIGKILL, f"the process ended by itself: {told}"

    def end(self) -> None:
        """End the process that starts them."""
        self._server.kill()
        self._server.communicate()

    def _tell(self, given: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(given) + "\n")
        self._server.stdin.flush()

    def _heard(self) -> dict[str, Any]:
        """Return the next line; what a kill cut off is before the next one on its line, and was never said."""
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        assert line, "the process that starts others has ended"
        told: dict[str, Any] = json.loads(line[line.rindex('{"state"') :])
        return told


class Campaign:
    """Kills, and what was found after each; the file is carried on, and begun anew after a violation."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.killer = folder, Killer(random.Random(seed))
        self.checked, self.failed = Counter[str](), Counter[str]()
        self.done = self.files = 0
        self.begin()

    def begin(self) -> None:
        """Begin a new file."""
        self.files += 1
        self.model, self.path = Model(), self.folder / str(self.files) / "killed.duckdb"
        self.path.parent.mkdir()

    def kill(self, number: int) -> None:
        """Kill once, and compare the file with the model."""
        before = self.model.done
        self.killer.kill_once(self.path, number, self.model)
        self.done += self.model.done - before
        if not self.path.exists():
            return  # killed before there was a file
        copy = Path(shutil.copytree(self.path.parent, self.folder / "copy"))
        found = compare(self.model, look_into(self.path, number, is_begun=self.model.done > 0), self.checked)
        if found:
            kept = Path(tempfile.mkdtemp(prefix="killed-"))
            shutil.copytree(copy, kept, dirs_exist_ok=True)
            (kept / "said.jsonl").write_text("\n".join(json.dumps(message) for message in self.killer.heard))
            self.failed.update(one.check for one in found)
            for one in found:
                print(f"kill {number}, {one.check}: {one.told} (as it was left: {kept})", flush=True)
        shutil.rmtree(copy)
        if found or (number + 1) % PER_FILE == 0:
            self.begin()


def main(kills: int, seed: int) -> int:
    """Run the campaign, print what was counted, and return how much was wrong."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), seed)
        for number in range(kills):
            campaign.kill(number)
        campaign.killer.end()
    print_checks(CHECKS, campaign.checked, campaign.failed)
    seconds = time.perf_counter() - begun
    print(f"{kills} kills, {campaign.files} files, {campaign.done} operations acknowledged, {seconds:.0f} s")
    return campaign.failed.total()


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(bool(main(numbers[0] if numbers else KILLS, numbers[1] if len(numbers) > 1 else 0)))
