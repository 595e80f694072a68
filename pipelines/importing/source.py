"""The file that is imported: its bytes as UTF-8, whatever they are, and whether it is lines or one document."""

import codecs
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from .archives import UNREADABLE, Part, TooMuchError, parts_of
from .elements import Piece, document, lines
from .problems import Problem

CHUNK = 256 * 1024
_BLANK = b" \t\r\x00"


class Source:
    """One pass over a file, or over the files of an archive. ``progress`` is called with numbers of bytes read."""

    def __init__(self, path: Path, progress: Callable[[int], None] = lambda _: None) -> None:
        self._stack = ExitStack()
        self._parts = parts_of(path, self._stack)
        self._progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def size(self) -> int | None:
        """How many bytes there are to read, None where an archive does not tell."""
        sizes = [part.size for part in self._parts]
        return None if None in sizes else sum(size or 0 for size in sizes)

    def pieces(self) -> Iterator[Piece | Problem]:
        """Yield the records, and one problem for each that cannot be read."""
        for part in self._parts:
            try:
                with _File(part, self._progress) as file:
                    for piece in file.pieces():
                        yield replace(piece, where=f"{part.name}, {piece.where}") if part.name else piece
            except TooMuchError as error:
                yield Problem(part.name or "the archive", str(error))
            except UNREADABLE as error:
                yield Problem(part.name or "the archive", f"cannot be unpacked: {error}")


class _File:
    """One opened file."""

    def __init__(self, part: Part, progress: Callable[[int], None]) -> None:
        self._file = part.open()
        self._most = part.most
        self._progress = progress
        self._count = 0
        try:
            mark = self._file.read(3)
        except BaseException:
            self._file.close()
            raise
        self._begin = 3 if mark == codecs.BOM_UTF8 else 0
        self._is_wide = mark[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def pieces(self) -> Iterator[Piece | Problem]:
        """Yield the file's records and problems."""
        split = lines if self._is_lines() else document
        self._rewind()

        def read() -> bytes:
            before = self._count
            data = self._read()
            self._progress(self._count - before)
            return data

        yield from split(read)

    def _rewind(self) -> None:
        self._file.seek(self._begin)
        self._decoder.reset()
        self._count = 0

    def _read(self) -> bytes:
        """Return the next bytes as UTF-8, none at the end."""
        while data := self._file.read(CHUNK):
            self._count += len(data)
            if self._most is not None and self._count > self._most:
                raise TooMuchError(f"it unpacks to more than {self._most:,} bytes: the rest is not read")
            if not self._is_wide:
                return data
            if text := self._decoder.decode(data):
                return text.encode("utf-8")
        return b""

    def _is_lines(self) -> bool:
        """Return whether the first line is a JSON value of its own, or another begins as it does."""
        first, last, second = self._starts()
        if not second:
            return first not in (b"", b"[", b"{")
        if first == b"{":
            return last == b"}" or (second == b"{" and last not in b",[{:")
        return last == b"]" if first == b"[" else True

    def _starts(self) -> tuple[bytes, bytes, bytes]:
        """Return the first and last byte of the first line that is not blank, and the first byte of the second."""
        self._rewind()
        first = last = b""
        is_over = False
        while chunk := self._looked():
            for number, part in enumerate(chunk.split(b"\n")):
                is_over = is_over or (number > 0 and first != b"")
                text = part.strip(_BLANK)
                if text and is_over:
                    return first, last, text[:1]
                if text:
                    first, last = first or text[:1], text[-1:]
        return first, last, b""

    def _looked(self) -> bytes:
        try:
            return self._read()
        except (TooMuchError, *UNREADABLE):  # told when it is read
            return b""
