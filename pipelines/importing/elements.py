"""The records of a JSON file one at a time, so that a broken, cut off or enormous one costs only itself."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from .problems import Problem, parsed

MAX_RECORD_BYTES = 64 * 1024 * 1024
"""A record larger than this is refused without being read into memory."""
MAX_DEPTH = 100
"""How deep a record may be nested."""

_SPACE = re.compile(rb"[\s\x00]*")
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\[\]{}\"]*")
_OPENING, _CLOSING = b"[{", b"]}"


@dataclass(frozen=True, slots=True)
class Piece:
    """One record: where it stands, the name of the list or field that it is in ("" for none), and its value.

    ``is_field`` says that it is the field itself, not an element of a list.
    """

    where: str
    key: str
    value: Any
    is_field: bool = False


class _CutOffError(Exception):
    """The file ends in the middle of a value."""


def lines(read: Callable[[], bytes]) -> Iterator[Piece | Problem]:
    """Yield the value of each line that is not blank; ``read`` returns the next bytes, none at the end."""
    for number, line in enumerate(_split(read), 1):
        where = f"line {number}"
        if line is None:
            yield Problem(where, f"longer than {MAX_RECORD_BYTES:,} bytes")
        elif line.strip(b" \t\r\n\x00"):
            yield _piece(where, "", line)


def _split(read: Callable[[], bytes]) -> Iterator[bytes | None]:
    """Yield lines without their ends, None for one that is too long."""
    parts: list[bytes] = []
    size = 0
    while chunk := read():
        first, *rest = chunk.split(b"\n")
        size += len(first)
        if size <= MAX_RECORD_BYTES:
            parts.append(first)
        else:
            parts.clear()
        for line in rest:
            yield b"".join(parts) if size <= MAX_RECORD_BYTES else None
            parts, size = [line], len(line)
    if size:
        yield b"".join(parts) if size <= MAX_RECORD_BYTES else None


def document(read: Callable[[], bytes]) -> Iterator[Piece | Problem]:
    """Yield the elements of one JSON array, or the fields of one object, those that are arrays element by element."""
    scanner = _Scanner(read)
    try:
        begins = scanner.peek()
        if begins == b"[":
            yield from _elements(scanner, "")
        elif begins == b"{":
            yield from _fields(scanner)
        elif begins:
            yield Problem("the file", "not JSON: it begins with neither [ nor {")
            return
        if scanner.peek():
            yield Problem("the end of the file", "there is something after the end of the JSON value")
    except _CutOffError:
        yield Problem("the end of the file", "the file is cut off; what came before was read")


def _elements(scanner: "_Scanner", key: str) -> Iterator[Piece | Problem]:
    scanner.skip()
    number = 0
    while (next_byte := scanner.peek()) != b"]":
        if next_byte == b",":
            scanner.skip()
            continue
        number += 1
        yield from _element(scanner, f"{key}, record {number}" if key else f"record {number}", key)
    scanner.skip()


def _fields(scanner: "_Scanner") -> Iterator[Piece | Problem]:
    scanner.skip()
    while (next_byte := scanner.peek()) != b"}":
        if next_byte == b",":
            scanner.skip()
            continue
        name = _field_name(scanner)
        if isinstance(name, Problem):
            yield name
            continue
        if scanner.peek() == b"[":
            yield from _elements(scanner, name)
        else:
            yield from _field(scanner, name)
    scanner.skip()


def _field(scanner: "_Scanner", name: str) -> Iterator[Piece | Problem]:
    for element in _element(scanner, f"field {name}", name):
        yield replace(element, is_field=True) if isinstance(element, Piece) else element


def _field_name(scanner: "_Scanner") -> str | Problem:
    raw = scanner.value()
    try:
        name = parsed(raw or b"")
    except ValueError as error:
        return Problem("the file", str(error))
    if not isinstance(name, str) or scanner.peek() != b":":
        return Problem("the file", f"not JSON: expected a field's name and a colon, got {repr(name)[:40]}")
    scanner.skip()
    return name


def _element(scanner: "_Scanner", where: str, key: str) -> Iterator[Piece | Problem]:
    try:
        raw = scanner.value()
    except _CutOffError:
        yield Problem(where, "the file is cut off in the middle of it")
        raise
    if raw is None:
        yield Problem(where, f"longer than {MAX_RECORD_BYTES:,} bytes")
    else:
        yield _piece(where, key, raw)


def _piece(where: str, key: str, raw: bytes) -> Piece | Problem:
    if _too_deep(raw):
        return Problem(where, f"nested more than {MAX_DEPTH} deep")
    try:
        return Piece(where, key, parsed(raw))
    except ValueError as error:
        return Problem(where, str(error))


def _too_deep(raw: bytes) -> bool:
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return False
    depth = 0
    for token in _TOKEN.finditer(raw):
        sign = token[0]
        depth += (sign in (b"[", b"{")) - (sign in (b"]", b"}"))
        if depth > MAX_DEPTH:
            return True
    return False


class _Scanner:
    """Bytes that are read as they are needed, and where one JSON value in them ends."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._data = b""
        self._at = 0

    def peek(self) -> bytes:
        """Return the next byte that is no white space, b"" at the end; a value that ends here is cut off."""
        while True:
            found = _SPACE.match(self._data, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._data):
                return self._data[self._at : self._at + 1]
            if not self._more():
                return b""

    def skip(self) -> None:
        """Pass the byte that was looked at."""
        self._at += 1

    def _more(self) -> bool:
        chunk = self._read()
        self._data, self._at = self._data[self._at :] + chunk, 0
        return bool(chunk)

    def value(self) -> bytes | None:
        """Return the bytes of the value that begins here, None when they are too many; the value is passed."""
        first = self.peek()
        if not first:
            raise _CutOffError
        if first in (b":", b"]", b"}"):
            self.skip()
            return first
        kept = _Kept()
        if first not in (b'"', b"[", b"{"):
            self._scalar(kept)
        else:
            self._nested(kept)
        return kept.whole()

    def _scalar(self, kept: "_Kept") -> None:
        while True:
            found = _SCALAR.match(self._data, self._at)
            end = found.end() if found else self._at
            kept.add(self._data[self._at : end])
            self._at = end
            if end < len(self._data) or not self._more():
                return

    def _nested(self, kept: "_Kept") -> None:
        depth = 0
        start = self._at
        while True:
            token = _TOKEN.search(self._data, self._at)
            if token is None:
                start = self._refill(kept, start, len(self._data))
                continue
            sign = token[0]
            self._at = token.end()
            if sign in (b"[", b"{"):
                depth += 1
            elif sign in (b"]", b"}"):
                depth -= 1
            elif sign == b'"':
                start = self._string(kept, start)
            if depth <= 0:
                kept.add(self._data[start : self._at])
                return

    def _string(self, kept: "_Kept", start: int) -> int:
        """Pass a string that the bytes read so far do not end; return where what is not kept yet begins."""
        while True:
            found = _IN_STRING.match(self._data, self._at)
            self._at = found.end() if found else self._at
            if self._data[self._at : self._at + 1] == b'"':
                self._at += 1
                return start
            start = self._refill(kept, start, self._at)

    def _refill(self, kept: "_Kept", start: int, end: int) -> int:
        kept.add(self._data[start:end])
        self._at = end
        if not self._more():
            raise _CutOffError
        return self._at


class _Kept:
    """The bytes of one value, as long as they are not too many."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, part: bytes) -> None:
        """Add the next bytes."""
        self._size += len(part)
        if self._size <= MAX_RECORD_BYTES:
            self._parts.append(part)
        else:
            self._parts.clear()

    def whole(self) -> bytes | None:
        """Return all of them, None when they were too many."""
        return b"".join(self._parts) if self._size <= MAX_RECORD_BYTES else None
