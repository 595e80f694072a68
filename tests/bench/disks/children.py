"""What is done to files, each time in a process of its own: it may be without rights, without room, or end badly."""

import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from fabric.errors import FabricError
from fabric.redaction import redact
from pipelines import Memory
from pipelines.checkup import check_up

from ..words import word, words_of

NOBODY = 65534
CARD, ACCOUNT = "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"
"""Well-known numbers of tests, for which libraries are loaded at first use."""
SECONDS = 600
"""After so long a process that does not end is ended, which is a violation."""
PATIENCE = 3.0
"""How many seconds closing waits for work that does not get on."""
ADVICE = (
    "make room",
    "permission",
    "backup",
    "doctor",
    "rename it",
    "put ",
    "use another",
    "give another",
    "open it again",
)
"""One of these stands in every message that says what to do."""


@dataclass(slots=True)
class Told:
    """What a process did: words that were acknowledged, errors, what a check-up said, and what it read at the end."""

    kept: list[str] = field(default_factory=list[str])
    gone: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])
    bad: list[str] = field(default_factory=list[str])
    """Errors that are none of ours, and an end that was no end."""
    doctor: list[str] = field(default_factory=list[str])
    read: dict[str, str] | None = None
    """By id, what was read of each record; None where it could not be."""
    said: list[str] = field(default_factory=list[str])

    def hear(self, line: str) -> None:
        """Take in a line."""
        what, value = json.loads(line)
        if what == "read":
            self.read = value
        else:
            getattr(self, what).append(value)

    @property
    def words(self) -> set[str]:
        """The words that were read."""
        return set(words_of(self.read))


Say = Callable[[str, Any], None]


def in_child(work: Callable[[Say], object], *, as_nobody: bool = False) -> Told:
    """Do work in a process of its own, and return what it told."""
    _load()
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.close(reading)
        _be_child(work, writing, as_nobody=as_nobody)
    os.close(writing)
    told = Told()
    with os.fdopen(reading) as lines:
        for line in lines:
            if line.endswith("\n"):
                told.hear(line)
    _, status = os.waitpid(child, 0)
    if status and status != signal.SIGKILL:
        told.bad.append(f"ended with status {status}")
    return told


@cache
def _load() -> None:
    """Load what is loaded at first use: a child without rights may not read the interpreter's own files either."""
    for number in (CARD, ACCOUNT):
        assert number not in redact(f"My number is {number}.")
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory(Path(folder) / "m.duckdb", user="ann", embedder=None) as memory,
    ):
        memory.capture("I like chess.")
        memory.wait()


def _be_child(work: Callable[[Say], object], writing: int, *, as_nobody: bool) -> None:
    def say(what: str, value: Any) -> None:
        os.write(writing, (json.dumps([what, value]) + "\n").encode())

    try:
        signal.alarm(SECONDS)
        if as_nobody and os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        work(say)
    except BaseException:  # told, and the process ends
        traceback.print_exc()
        os._exit(3)
    os._exit(0)


def tried(say: Say, call: Callable[[], object]) -> bool:
    """Make a call, tell its error, and return whether there was none."""
    try:
        call()
    except FabricError as error:
        say("errors", f"{type(error).__name__}: {error}")
        return False
    except Exception as error:  # any other is told as such
        say("bad", f"{type(error).__name__}: {error}")
        return False
    return True


def opened(say: Say, path: Path) -> Memory | None:
    """Open a memory by words; tell why where that fails."""
    found: list[Memory] = []
    tried(say, lambda: found.append(Memory(path, user="ann", embedder=None)))
    return found[0] if found else None


def text_of(text: str) -> str:
    """Return a message that holds a word, and as much again of others as compresses badly."""
    return f"I like {text}. " + " ".join(word(hash((text, number)) % 16**5).removeprefix("zq") for number in range(40))


def says(memory: Memory, number: int, say: Say) -> bool:
    """Capture a message and state a fact; tell each that was acknowledged."""
    one, two = word(2 * number), word(2 * number + 1)

    def capture() -> None:
        memory.capture({"role": "user", "content": text_of(one), "id": f"m{number}"})
        say("kept", one)

    def remember() -> None:
        memory.remember(f"Owns the boat {two}")
        say("kept", two)

    done = tried(say, capture)
    return tried(say, remember) and done


def read(say: Say, path: Path) -> bool:
    """Open a memory, wait for its work, read all of it, ask it, add to it and close it; tell what was read."""
    memory = opened(say, path)
    if memory is None:
        return False
    records: list[dict[str, Any]] = []

    def look() -> None:
        memory.wait(PATIENCE)
        records.extend(memory.export())
        memory.recall("what do I like?")
        memory.recall("which boat does he own?", tiers=["semantic"])

    done = tried(say, look)
    done = tried(say, lambda: memory.capture("I like to be asked.")) and done
    done = tried(say, lambda: memory.close(PATIENCE)) and done
    if done:
        say("read", {f"{record['kind']} {record['id']}": _text(record) for record in records if record.get("id")})
    return done


def _text(record: dict[str, Any]) -> str:
    return str(record.get("content") or record.get("text") or "")


def doctor(say: Say, path: Path) -> None:
    """Tell what a check-up finds that is not well."""

    def look() -> None:
        for finding in check_up(path, embedder="none"):
            if finding.state == "problem":
                say("doctor", f"{finding.check}: {finding.found} -> {finding.mend}")

    tried(say, look)


def written(path: Path, first: int, many: int, *, killed: bool) -> Told:
    """Write so many messages and facts to a file and wait; then close it, or end without."""

    def work(say: Say) -> None:
        memory = opened(say, path)
        assert memory is not None
        for number in range(first, first + many):
            says(memory, number, say)
        memory.wait()
        if killed:
            os.kill(os.getpid(), signal.SIGKILL)
        memory.close()

    return in_child(work)


def warm_up() -> None:
    """Load what is loaded at first use: a process without rights could not."""

    def nothing(_: str, __: Any) -> None:
        return

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "warm.duckdb"
        with Memory(path, user="ann", embedder=None) as memory:
            says(memory, 1, nothing)
            memory.forget(memory.remember("Owns the boat").id)
            memory.backup(Path(folder) / "copy.duckdb")
        read(nothing, path)
        doctor(nothing, path)
        opened(nothing, Path(folder) / "none" / "x")


def is_clear(error: str) -> bool:
    """Return whether an error is one line that says what to do."""
    return "\n" not in error and any(one in error for one in ADVICE)
