"""A program that copies a file and its log while somebody writes: ``python copying.py FILE TO``.

It is a program of its own, since a process that closes a file gives up every lock it holds on it, those of the driver
too. It needs the standard library only. What is committed stands in the file, whose headers tell which parts of it
count, and behind that in the log, which only grows. A merge of the log into the file writes new headers last: where
the headers have not changed meanwhile, the file's parts have not either, and a copy of the log is what was committed.
"""

import shutil
import sys
import time
from pathlib import Path

HEADERS = 12_288
TRIES = 50
PAUSE = 0.2
"""Seconds between two tries; a merge takes about as long."""


def copied(file: Path, to: Path) -> bool:
    """Copy both once; return whether what was copied belongs together."""
    before = _headers(file)
    shutil.copyfile(file, to)
    log, own = _log(file), _log(to)
    own.unlink(missing_ok=True)
    if log.exists():
        shutil.copyfile(log, own)
    others = [entry for entry in file.parent.glob(f"{file.name}.wal*") if entry != log]
    return not others and before == _headers(file) == _headers(to)


def _headers(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(HEADERS)


def _log(file: Path) -> Path:
    return file.with_name(file.name + ".wal")


def main(file: str, to: str) -> int:
    """Copy until both belong together; return 1 where that does not come about."""
    for _ in range(TRIES):
        try:
            if copied(Path(file), Path(to)):
                return 0
        except FileNotFoundError:  # a log that was merged between two looks
            if not Path(file).exists():
                raise
        time.sleep(PAUSE)
    print("the file was merged anew each time it was copied", file=sys.stderr)  # noqa: T201
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
