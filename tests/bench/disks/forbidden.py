"""Files and folders that may not be written or read, from the start or all of a sudden."""

import os
import shutil
from pathlib import Path

from .children import NOBODY, Say, doctor, in_child, is_clear, opened, read, says, tried, written
from .counted import CLEAR, KEPT, WHOLE, Counted

CASES = {
    "a file that may only be read": (0o444, 0o755),
    "a file that may not be read": (0o000, 0o755),
    "a folder that may only be read": (0o644, 0o555),
    "both may only be read": (0o444, 0o555),
    "a folder that may not be looked into": (0o644, 0o000),
}


def forbidden(folder: Path, counted: Counted) -> None:
    """Try every case on a file that was closed, and on one whose writer was killed."""
    for killed in (False, True):
        base = folder / f"base{killed}"
        base.mkdir()
        kept = written(base / "m.duckdb", 0, 5, killed=killed).kept
        for number, (case, modes) in enumerate(CASES.items()):
            place = folder / f"{killed}{number}"
            shutil.copytree(base, place)
            _tried(f"{case}, {'killed' if killed else 'closed'}", place, modes, kept, counted)
    _all_of_a_sudden(folder / "sudden", counted)


def _allow(place: Path, file: int, own: int) -> None:
    place.chmod(0o755)
    for path in place.iterdir():
        path.chmod(file)
    place.chmod(own)


def _give(place: Path) -> None:
    if os.geteuid() == 0:
        for one in (place.parent, place, *place.iterdir()):
            os.chown(one, NOBODY, NOBODY)


def _bytes(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


def _tried(case: str, place: Path, modes: tuple[int, int], kept: list[str], counted: Counted) -> None:
    path, before = place / "m.duckdb", _bytes(place)
    _give(place)
    _allow(place, *modes)
    told = in_child(lambda say: read(say, path) and None, as_nobody=True)
    looked = in_child(lambda say: doctor(say, path), as_nobody=True)
    _allow(place, 0o644, 0o755)
    for error in [*told.errors, *told.bad, *looked.errors, *looked.bad]:
        counted.check(CLEAR, error in told.errors and is_clear(error), f"{case}: {error}")
    counted.check(CLEAR, bool(told.errors) or told.read is not None, f"{case}: neither opened nor refused")
    counted.check(CLEAR, bool(looked.doctor), f"{case}: doctor finds nothing")
    if told.read is None:
        counted.check(WHOLE, _bytes(place) == before, f"{case}: a refused file was changed")
    after = in_child(lambda say: read(say, path))
    for word in kept:
        counted.check(KEPT, word in after.words, f"{case}: {word} is lost; {after.errors} {after.bad}")


def _all_of_a_sudden(place: Path, counted: Counted) -> None:
    place.mkdir()
    _give(place)
    path = place / "m.duckdb"

    def work(say: Say) -> None:
        memory = opened(say, path)
        assert memory is not None
        for number in range(20):
            says(memory, number, say)
            if number == 5:
                _allow(place, 0o444, 0o555)
        tried(say, memory.close)

    told = in_child(work, as_nobody=True)
    _allow(place, 0o644, 0o755)
    for error in [*told.errors, *told.bad]:
        counted.check(CLEAR, error in told.errors and is_clear(error), f"suddenly read-only: {error}")
    after = in_child(lambda say: read(say, path))
    for word in told.kept:
        counted.check(KEPT, word in after.words, f"suddenly read-only: {word} is lost; {after.errors} {after.bad}")
