"""Processes that work on a file until they are killed: ``python -m tests.bench.kills.worker``.

It loads all that such a process uses, then starts one, as a fork, for each line that it reads: what file, and what is
to be done first, since nobody was told that it is done. In each, three users work side by side, a seeded mix each.
"""

import json
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from threading import Thread
from typing import Any

from fabric import Fabric

from ..words import numbered, words_of
from .operations import IMPORTED, PERIOD, USERS, WEIGHTS, Doing, Operation, Telling, system

FORGOTTEN_KINDS = ("fact", "episode", "turn", "belief", "reflection", "trace")


class Choosing:
    """What one user does next."""

    def __init__(self, doing: Doing, chance: random.Random, new: Callable[[], str]) -> None:
        self.doing, self.chance, self.new = doing, chance, new
        self.number = chance.randrange(1000)

    def next(self) -> Operation | None:
        """Return the next operation, None where what was chosen has nothing to work on."""
        self.number += 1
        (kind,) = self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))
        asked = Operation(self.doing.user, kind, self.chance.choice(("a", "b", self.passing())))
        verb, _, what = kind.partition(" ")
        if verb == "forget":
            return self.forgetting(asked, what)
        if verb in ("update", "merge"):
            return self.changing(asked, verb)
        many = IMPORTED.get(kind) or {"mind": 2}.get(kind, 1)
        has_words = verb in ("capture", "run", "count", "remember", "import", "mind", "trace")
        tag = f"t{self.passing()}" if verb == "capture" and self.chance.random() < 0.3 else ""
        return _with(asked, words=tuple(self.new() for _ in range(many if has_words else 0)), tag=tag)

    def passing(self) -> str:
        """Return a session that is used for a while."""
        return f"p{self.number // PERIOD}"

    def earlier(self) -> str:
        """Return one that was used not long ago."""
        return f"p{self.number // PERIOD - self.chance.randrange(2)}"

    def forgetting(self, asked: Operation, what: str) -> Operation | None:
        """Return what is to be forgotten, and how."""
        if what in ("session", "tag"):
            return _with(asked, session=self.earlier(), tag=f"t{self.earlier()}")
        if what == "all":
            return asked
        kept = [
            record for record in self.doing.memory.export() if record["kind"] in FORGOTTEN_KINDS and words_of(record)
        ]
        if what == "subject":
            kept = [one for one in kept if one.get("subject", "user") != "user"]
        if not kept:
            return None
        chosen = self.chance.choice(kept)
        if what == "subject":
            return _with(asked, words=words_of(chosen["subject"]))
        told = {key: value for key, value in chosen.items() if key in ("content", "text", "subject")}
        return _with(asked, ids=(chosen["id"],), words=words_of(told))

    def changing(self, asked: Operation, verb: str) -> Operation | None:
        """Return a fact and what it should say, or two traces."""
        kind, start = ("fact", "Owns the boat") if verb == "update" else ("trace", "The ")
        kept = [
            record
            for record in self.doing.memory.export()
            if record["kind"] == kind and record["content"].startswith(start) and not record.get("deleted")
        ]
        many = 1 if verb == "update" else 2
        if len(kept) < many:
            return None
        chosen = self.chance.sample(kept, many)
        said = tuple(found for record in chosen for found in words_of(record["content"]))
        ids = tuple(str(record["id"]) for record in chosen)
        return _with(asked, ids=ids, words=(self.new(), *said) if verb == "update" else said)


def _with(asked: Operation, **changes: Any) -> Operation:
    return Operation.of({**asked.told(), **changes})


def work_for_ever(path: Path, number: int, first: int, waiting: list[Operation]) -> None:
    """Open the file, and have every user work on it until the process is killed."""
    telling, new, mem = Telling(), numbered(first), system(number)
    with Fabric(path) as fabric:

        def work(user: str) -> None:
            doing = Doing.of(fabric, user, mem, path.parent, telling)
            choosing = Choosing(doing, random.Random(f"{number} {user}"), new)
            left = [one for one in waiting if one.user == user]
            while True:
                operation = left.pop(0) if left else choosing.next()
                if operation is not None:
                    telling.say("begun", operation)
                    telling.say(doing.do(operation), operation)

        def whole(user: str) -> None:
            try:
                work(user)
            except BaseException:  # told, and the process ends
                traceback.print_exc()
                os._exit(3)  # seen as an end that was no kill

        threads = [Thread(target=whole, args=(user,)) for user in USERS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def warm_up() -> None:
    """Do one operation of each kind in another file, so that what is loaded at first use is there."""
    with tempfile.TemporaryDirectory() as folder, Fabric(Path(folder) / "warm.duckdb") as fabric:
        doing = Doing.of(fabric, "ann", system(0), Path(folder), Telling())
        new = numbered(0)
        for kind in WEIGHTS:
            words = tuple(new() for _ in range(IMPORTED.get(kind) or {"mind": 2}.get(kind, 1)))
            doing.do(Operation("ann", kind, tag="t", words=words, ids=("none",)))
        fabric.drain()


def serve() -> None:
    """Start a process for each line of the input; tell its number, and when it has ended."""
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        warm_up()
    for line in sys.stdin:
        given = json.loads(line)
        started = os.fork()
        if not started:
            try:
                waiting = [Operation.of(one) for one in given["waiting"]]
                print(json.dumps({"state": "started", "process": os.getpid()}), flush=True)
                work_for_ever(Path(given["path"]), given["number"], given["first"], waiting)
            finally:
                os._exit(1)
        _, status = os.waitpid(started, 0)
        print(json.dumps({"state": "ended", "status": status}), flush=True)


if __name__ == "__main__":
    serve()
