"""What is in an open file whose name leads to it no more is written elsewhere, before it is closed and gone."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from fabric.errors import StoreError
from fabric.telemetry.logger import logger

from .advice import advice
from .log import log_of
from .place import Place

RESCUED = ".rescued"
"""What the name of a file ends in that was deleted while it was open, and was written anew when it was closed."""


def copy_file(source: Path, to: Path) -> None:
    """Copy a file with its log while somebody may write to it, by another process; StoreError where that fails."""
    program = Path(__file__).with_name("copying.py")
    done = subprocess.run(  # noqa: S603  our own program
        [sys.executable, "-I", "-S", str(program), str(source), str(to)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        complaint = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise StoreError(f"{source} cannot be copied to {to.parent}: {complaint}{advice(complaint)}")


def saved(place: Place) -> str:
    """Save what is in a file that is closed next; return what to tell whoever closes it, "" where nothing was lost.

    A file that was moved holds all of it under its new name. One that was deleted is written anew beside its old name,
    or where that cannot be done, in the folder for temporary files.
    """
    if place.is_here:
        return ""
    if not place.is_deleted:
        remedy = "all that was committed is in it under its new name: open it there, or put it back"
        logger().warning("file moved while open", file=str(place.path), do=remedy)
        return ""
    refused = ""
    for target in _targets(place.path):
        try:
            copy_file(place.content, target)
        except StoreError as error:
            refused = str(error)
            continue
        return f"{place.state}: all that it held was written to {target}; open that, or rename it to the old name"
    return f"{place.state}, and what it held could not be written elsewhere: {refused}; restore a backup"


def _targets(path: Path) -> Iterator[Path]:
    for folder in (path.parent, Path(tempfile.gettempdir())):
        names = (folder / f"{path.name}{RESCUED}{number or ''}" for number in count())
        yield next(name for name in names if not name.exists() and not log_of(name).exists())
