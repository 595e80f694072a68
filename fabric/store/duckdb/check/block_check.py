"""Blocks of the file whose bytes are not those that were written, those that are seldom read among them."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from fabric.store.finding import Finding, several

from ..file.log import HEADER_BYTES
from ..file.opening import reading
from ..sql import Sql
from .file_check import BACKUP

_SEED = 5381
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
"""How the driver reckons the checksum that each block begins with: the exclusive or of its words times this."""


@contextmanager
def reading_bytes(file: Path) -> Generator[tuple[Sql, BinaryIO]]:
    """Open a file of ours as `reading` does, and as bytes too.

    The bytes are opened last and closed last: a process that closes a file gives up the locks that it has on it.
    """
    with ExitStack() as last, reading(file) as sql:
        yield sql, last.enter_context(file.open("rb"))


def block_findings(sql: Sql, file: BinaryIO) -> Iterator[Finding]:
    """Say which blocks do not bear out the checksums that they begin with.

    The driver checks a block when it reads it, and those of a key index it reads only to write. Where most blocks seem
    wrong, the driver that wrote them reckons otherwise, and nothing is said.
    """
    size = int(sql.rows("PRAGMA database_size")[0][2])
    sound = [_is_sound(block) for block in _blocks(file, size)]
    damaged = [number for number, is_sound in enumerate(sound) if not is_sound]
    if damaged and len(damaged) <= len(sound) // 2:
        at = HEADER_BYTES + damaged[0] * size
        found = f"{several(len(damaged), 'block')} of {len(sound)} damaged, the first at byte {at}"
        yield Finding("blocks", "problem", f"{found}: what is in there cannot be read or added to", BACKUP)
    elif not damaged:
        yield Finding("blocks", "ok", f"{several(len(sound), 'block')}, all as they were written")


def _blocks(file: BinaryIO, size: int) -> Iterator[bytes]:
    file.seek(HEADER_BYTES)
    while len(block := file.read(size)) == size:
        yield block


def _is_sound(block: bytes) -> bool:
    words = np.frombuffer(block, dtype="<u8")
    return int(words[0]) == int(np.bitwise_xor.reduce(words[1:] * _FACTOR)) ^ _SEED
