"""A disk that gets full while a memory is written to."""

import os
import resource
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from .children import PATIENCE, Say, Told, doctor, in_child, is_clear, opened, read, says, tried
from .counted import CLEAR, KEPT, WHOLE, Counted

SIZES = (2_500_000, 3_100_000, 4_000_000, 5_300_000)
"""How many bytes there is room for."""
AFTER = 4
"""How many calls are tried once the disk is full."""


@contextmanager
def small_disk(folder: Path, size: int) -> Generator[bool]:
    """Make the folder a disk of so many bytes where that is allowed; say whether it is."""
    mounted = (
        os.geteuid() == 0
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=False, capture_output=True
        ).returncode
        == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)


def full(folder: Path, counted: Counted) -> None:
    """Fill disks of several sizes, and look what is left of what was acknowledged."""
    for number, size in enumerate(SIZES):
        place = folder / f"full{number}"
        place.mkdir()
        with small_disk(place, size) as mounted:
            _filled(place / "m.duckdb", 0 if mounted else size, counted)


def _filled(path: Path, limit: int, counted: Counted) -> None:
    where = f"{'file size limit' if limit else 'full disk'}"

    def bound() -> None:
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    def fill(say: Say) -> None:
        bound()
        memory = opened(say, path)
        if memory is None:
            return
        number = 0
        while says(memory, number, say):
            number += 1
        for more in range(AFTER):
            says(memory, number + 1 + more, say)
        tried(say, lambda: memory.recall("what do I like?"))
        tried(say, lambda: memory.backup(path.with_name("copy.duckdb")))
        tried(say, lambda: memory.close(PATIENCE))

    def again(say: Say) -> None:
        bound()
        doctor(say, path)
        read(say, path)

    told = in_child(fill)
    counted.check(CLEAR, bool(told.errors), f"{where}: no error, {len(told.kept)} kept")
    _errors(where, told, counted)
    left = [one.name for one in path.parent.iterdir() if one.name not in ("m.duckdb", "m.duckdb.wal")]
    counted.check(WHOLE, not left, f"{where}: left behind {left}")
    _errors(f"{where}, opened again", in_child(again), counted)
    if not limit:
        subprocess.run(["mount", "-o", "remount,size=200000000", str(path.parent)], check=True)
    after = in_child(lambda say: read(say, path))
    counted.check(WHOLE, after.read is not None, f"{where}, room again: {after.errors} {after.bad}")
    for word in told.kept:
        counted.check(KEPT, word in after.words, f"{where}: {word} is lost")


def _errors(where: str, told: Told, counted: Counted) -> None:
    for error in told.errors:
        counted.check(CLEAR, is_clear(error), f"{where}: {error}")
    for error in told.bad:
        counted.check(CLEAR, holds=False, told=f"{where}: {error}")
