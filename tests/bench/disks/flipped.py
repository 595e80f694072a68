"""Bytes that are flipped at random places of a file, and of the log beside it; and files that are missing."""

import random
import shutil
from collections import Counter
from pathlib import Path

from .children import Told, doctor, in_child, is_clear, read, written
from .counted import CLEAR, FLIPPED, KEPT, TOLD, WHOLE, Counted

MESSAGES = 25


def flipped(folder: Path, flips: int, chance: random.Random, counted: Counted) -> None:
    """Flip bytes of a closed file, of one whose writer was killed, and of its log; print what became of them."""
    bases = {killed: folder / f"flip{killed}" for killed in (False, True)}
    for killed, base in bases.items():
        base.mkdir()
        written(base / "m.duckdb", 0, MESSAGES, killed=False)
        if killed:
            written(base / "m.duckdb", MESSAGES, MESSAGES, killed=True)
    for killed, name in ((False, "m.duckdb"), (True, "m.duckdb"), (True, "m.duckdb.wal")):
        whole = shutil.copytree(bases[killed], folder / "whole")
        expected = in_child(lambda say, path=whole / "m.duckdb": read(say, path))  # type: ignore[misc]
        shutil.rmtree(whole)
        became: Counter[str] = Counter()
        for _ in range(flips):
            place = Path(shutil.copytree(bases[killed], folder / "flipping"))
            became[_flip(place, place / name, expected, chance, counted)] += 1
            shutil.rmtree(place)
        print(f"{flips} flips of {'a killed' if killed else 'a closed'} {name}: {dict(became)}", flush=True)


def _flip(place: Path, file: Path, expected: Told, chance: random.Random, counted: Counted) -> str:
    """Flip a byte, look what becomes of it, and return that in a word."""
    held = bytearray(file.read_bytes())
    at, by = chance.randrange(len(held)), chance.randrange(1, 256)
    held[at] ^= by
    file.write_bytes(held)
    path, before = place / "m.duckdb", {path.name: path.read_bytes() for path in sorted(place.iterdir())}
    what = f"{file.name}, byte {at} of {len(held)} ^ {by}"
    looked = in_child(lambda say: doctor(say, path))
    counted.check(
        WHOLE,
        {path.name: path.read_bytes() for path in sorted(place.iterdir())} == before,
        f"{what}: doctor changed a file",
    )
    told = in_child(lambda say: read(say, path) and None)
    for error in [*looked.errors, *looked.bad, *told.errors, *told.bad]:
        counted.check(CLEAR, error in told.errors and is_clear(error), f"{what}: {error}")
    if told.read is None:
        counted.check(TOLD, bool(looked.doctor), f"{what}: {told.errors}")
        size = {path.name: path.stat().st_size for path in place.iterdir()}
        counted.check(WHOLE, all(size.get(name) for name in before), f"{what}: {size} is left of {list(before)}")
        return "found"
    same = expected.read == told.read
    counted.check(FLIPPED, same, f"{what}: {_difference(expected, told)}; doctor: {looked.doctor}")
    return "harmless" if same else "silent"


def _difference(expected: Told, told: Told) -> str:
    one, other = expected.read or {}, told.read or {}
    lost = [key for key in one if key not in other]
    changed = [key for key in one if key in other and one[key] != other[key]]
    return f"{len(lost)} lost, {len(changed)} changed, {len(other.keys() - one.keys())} new, of {len(one)}: {lost[:3]}"


def missing(folder: Path, counted: Counted) -> None:
    """Take the file away from its log, cut it off, and take the log away from its file."""
    base = folder / "missing"
    base.mkdir()
    kept = written(base / "m.duckdb", 0, 10, killed=False).kept
    kept += written(base / "m.duckdb", 10, 10, killed=True).kept
    for case, size in (("no file", -1), ("an empty file", 0), ("a file cut off", 5_000), ("half a file", 600_000)):
        place = Path(shutil.copytree(base, folder / "cut"))
        path, whole = place / "m.duckdb", (place / "m.duckdb").read_bytes()
        path.unlink()
        if size >= 0:
            path.write_bytes(whole[:size])
        _refused(f"{case} beside a log", path, counted)
        path.write_bytes(whole)
        after = in_child(lambda say, path=path: read(say, path))  # type: ignore[misc]
        for word in kept:
            counted.check(KEPT, word in after.words, f"{case}, put back: {word} is lost")
        shutil.rmtree(place)
    place = Path(shutil.copytree(base, folder / "no log"))
    (place / "m.duckdb.wal").unlink()
    told = in_child(lambda say: read(say, place / "m.duckdb") and None)
    counted.check(CLEAR, not told.bad, f"without its log: {told.bad}")
    lost = sum(word not in told.words for word in kept)
    print(f"a log that was taken away, of which a file cannot tell: {lost} of {len(kept)} words are gone with it")


def _refused(case: str, path: Path, counted: Counted) -> None:
    before = {one.name: one.read_bytes() for one in path.parent.iterdir()}
    told = in_child(lambda say: read(say, path) and None)
    looked = in_child(lambda say: doctor(say, path))
    counted.check(CLEAR, bool(told.errors), f"{case}: not refused")
    counted.check(TOLD, bool(looked.doctor), f"{case}: doctor finds nothing")
    for error in [*told.errors, *told.bad, *looked.errors, *looked.bad]:
        counted.check(CLEAR, error in told.errors and is_clear(error), f"{case}: {error}")
    after = {one.name: one.read_bytes() for one in path.parent.iterdir()}
    counted.check(WHOLE, after == before, f"{case}: what was refused was changed")
