"""What a check reads, and what it found: one record, which whoever shows it writes as a line or as JSON."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from .base import Row

State = Literal["ok", "warning", "problem"]


class Scan(Protocol):
    """All that a file holds, as a check reads it: every row, whoever owns it."""

    @property
    def tables(self) -> Collection[str]:
        """The names of the collections that the file has."""
        ...

    def rows(self, table: str) -> Iterator[tuple[int, Row]]:
        """Yield the rows of a collection that the file may have, oldest first, each behind its owner's number."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what it looked at, how that stands, what was found, and how it is mended ("" where all is well).

    A ``warning`` is worth knowing and loses nothing; a ``problem`` keeps the memory from doing what it should.

    >>> Finding("lock", "ok", "nobody holds the file")
    Finding(check='lock', state='ok', found='nobody holds the file', mend='')
    """

    check: str
    state: State
    found: str
    mend: str = ""


def amount(bytes_: float) -> str:
    """Return a number of bytes in the unit in which it is read.

    >>> amount(512), amount(12_288), amount(5_368_709_120)
    ('512 bytes', '12.0 kB', '5.0 GB')
    """
    if bytes_ < 1024:
        return f"{bytes_:.0f} bytes"
    for unit in ("kB", "MB"):
        bytes_ /= 1024
        if bytes_ < 1024:
            return f"{bytes_:.1f} {unit}"
    return f"{bytes_ / 1024:.1f} GB"


def several(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> several(1, "row"), several(2, "row"), several(0, "entry", "entries")
    ('1 row', '2 rows', '0 entries')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"
