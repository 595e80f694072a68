"""The entries of the driver's log: where one is broken although whole ones follow, which the driver takes for the end.

Each is its size and its checksum, eight bytes each, and its bytes; before the first stands what file the log is of. A
process that was killed leaves the last one unfinished, and the driver leaves that out. A broken size in the middle
looks the same to it, and all that stands behind would be left out without a word.
"""

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

_HEAD = struct.Struct("<QQ")
_BEGINS = b"\x64\x00\x62\x65\x00"
_LONGEST_HEADER = 64
_SEED = 5381
_WORD = 0xBF58476D1CE4E5B9
_REST, _REST_SEED, _SHIFT = 0xC6A4A7935BD1E995, 0xE17A1465, 47
"""How the driver reckons checksums: its words, each times a number, and what is left over after the last as a hash."""
_MASK = 2**64 - 1


def broken_entry(log: Path) -> int | None:
    """Return the byte at which a log has an entry that is broken though a whole one follows it; None where it has none.

    A log whose entries are of a form that is not known counts as whole: the driver says what it thinks of it. Raises
    OSError.
    """
    data = log.read_bytes()
    if not data.startswith(_BEGINS[: len(data)]):
        return 0  # the driver leaves out, and then deletes, a log that does not begin as one
    at = next(_sound(data, range(min(_LONGEST_HEADER, len(data)))), None)
    if at is None:
        return 0 if next(_sound(data, _plausible(data, _LONGEST_HEADER)), None) is not None else None
    while (end := _end(data, at)) is not None:
        at = end
    is_whole = len(data) - at > _HEAD.size and _checksum(data[at + _HEAD.size :]) == _HEAD.unpack_from(data, at)[1]
    return at if is_whole or next(_sound(data, _plausible(data, at + 1)), None) is not None else None


def _end(data: bytes, at: int) -> int | None:
    """Return where the entry ends that stands at a place; None where none that ends within the log does."""
    size = _HEAD.unpack_from(data, at)[0] if len(data) - at >= _HEAD.size else 0
    return at + _HEAD.size + size if 0 < size <= len(data) - at - _HEAD.size else None


def _plausible(data: bytes, begin: int) -> Iterator[int]:
    """Yield the places from ``begin`` on at which the size of an entry may stand that ends within the log."""
    every = np.frombuffer(data, dtype=np.uint8)[begin:]
    count = len(every) - _HEAD.size
    if count <= 0:
        return
    sizes = np.zeros(count, dtype=np.uint64)
    for place in range(8):
        sizes |= every[place : place + count].astype(np.uint64) << np.uint64(8 * place)
    room = np.arange(count, 0, -1, dtype=np.uint64)
    yield from (begin + int(place) for place in np.flatnonzero((sizes > 0) & (sizes <= room)))


def _sound(data: bytes, places: Iterable[int]) -> Iterator[int]:
    """Yield those of the places at which a whole entry stands."""
    for place in places:
        end = _end(data, place)
        if end is not None and _checksum(data[place + _HEAD.size : end]) == _HEAD.unpack_from(data, place)[1]:
            yield place


def _checksum(entry: bytes) -> int:
    words, rest = np.frombuffer(entry[: len(entry) // 8 * 8], dtype="<u8"), entry[len(entry) // 8 * 8 :]
    found = int(np.bitwise_xor.reduce(words * np.uint64(_WORD))) ^ _SEED
    return found ^ _rest(rest) if rest else found


def _rest(rest: bytes) -> int:
    found = (_REST_SEED ^ len(rest) * _REST & _MASK) ^ int.from_bytes(rest, "little")
    found = found * _REST & _MASK
    found = (found ^ found >> _SHIFT) * _REST & _MASK
    return found ^ found >> _SHIFT
