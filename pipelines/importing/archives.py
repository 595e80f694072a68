"""Archives that exports come in: which files of them are read, and when unpacking stops."""

import gzip
import re
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol
from zipfile import BadZipFile, ZipFile

from fabric.errors import RefusedError

WANTED = (
    re.compile(r"conversations(-\d+)?\.json"),
    re.compile(r"memories\.json"),
    re.compile(r"memories\.jsonl(\.gz)?"),
)
"""What the exports of ChatGPT and of OpenMemory hold: of the first of these that is there, all files are read."""
MOST_TIMES = 100
"""How many times its size an archive may unpack to, once that is more than `FREE` bytes."""
FREE = 64 * 1024 * 1024
ZIP, GZIP = b"PK\x03\x04", b"\x1f\x8b"
UNREADABLE = (BadZipFile, gzip.BadGzipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What reading a broken or encrypted archive raises."""


class TooMuchError(Exception):
    """An archive unpacks to more than is reasonable."""


class Readable(Protocol):
    """An opened file of bytes that can be read again from its beginning."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""
        ...

    def seek(self, place: int, /) -> int:
        """Go to a place."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """One file to read: its name where there are several, how to open it, its size, and the most it may have."""

    name: str
    open: Callable[[], Readable]
    size: int | None
    most: int | None = None


def parts_of(path: Path, stack: ExitStack) -> list[Part]:
    """Return what of a file is read: itself, or files of the archive that it is; RefusedError where there is none."""
    with path.open("rb") as file:
        mark = file.read(4)
    size = path.stat().st_size
    if mark.startswith(GZIP):
        return [Part("", lambda: gzip.open(path, "rb"), None, max(FREE, MOST_TIMES * size))]
    if mark != ZIP:
        return [Part("", lambda: path.open("rb"), size)]
    try:
        archive = stack.enter_context(ZipFile(path))
    except BadZipFile as error:
        raise RefusedError(f"{path}: not a zip file that can be read", do="Unpack or fetch it again.") from error
    names = _wanted(archive.namelist())
    if not names:
        held = ", ".join(archive.namelist()[:5])
        raise RefusedError(
            f"{path}: nothing in the archive that can be imported: it holds {held}", do="Unpack it and name the file."
        )
    most = max(FREE, MOST_TIMES * size)
    return [
        Part(name if len(names) > 1 else "", partial(_member, archive, name), _size(archive, name), most)
        for name in names
    ]


def _wanted(names: list[str]) -> list[str]:
    for pattern in WANTED:
        found = sorted(name for name in names if pattern.fullmatch(name.rpartition("/")[2]))
        if found:
            return found
    return []


def _size(archive: ZipFile, name: str) -> int | None:
    return None if name.endswith(".gz") else archive.getinfo(name).file_size


def _member(archive: ZipFile, name: str) -> Readable:
    packed = archive.open(name)
    return gzip.open(packed, "rb") if name.endswith(".gz") else packed
