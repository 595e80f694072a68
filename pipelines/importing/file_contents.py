"""Reading a file of chats and memories, whatever its format: what is in it, and why some of it cannot be taken."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from fabric.errors import RefusedError

from .elements import Piece
from .formats.registry import FORMATS, Recognised, recognised, record_of
from .problems import Problem
from .records import Entry, LeftOut, Reader, Said, Statement, Told
from .report import FileReport
from .source import Source

LISTED = 20
"""How many people an error names."""
Progress = Callable[[int], None]


class ChatFile(BaseModel):
    """Which file to read, and how. ``source_user`` is whose records are taken of a file that holds several people's.

    ``session`` names conversations that have no name, in place of the file's name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    format: str = "auto"
    source_user: str = ""
    session: str = ""


@dataclass(slots=True)
class Reading:
    """A file being read: which format it is, whose records it holds, and what is taken of it."""

    asked: ChatFile
    progress: Progress
    report: FileReport
    told: Told
    what: Recognised
    reader: Reader | None = None

    @classmethod
    def of(cls, asked: ChatFile, report: FileReport, now: datetime, progress: Progress = lambda _: None) -> "Reading":
        """Recognise the file, and look through it where its records say something of one another.

        What is found out goes to ``report``. RefusedError for a file that fits no format or several, or that holds
        records of several people while ``source_user`` does not say whose are meant.
        """
        with Source(asked.path) as source:
            what = recognised(source.pieces(), asked.format, str(asked.path))
        report.format = what.format
        reading = cls(asked, progress, report, Told(now, asked.session or asked.path.stem), what)
        if what.format:
            reading.reader = FORMATS[what.format].reader(reading.told)
            if what.surveyed:
                reading.survey(reading.reader)
        return reading

    def survey(self, reader: Reader) -> None:
        """Let the reader look through the file, then count whose records there are."""
        counting = FORMATS[self.what.format].reader(self.told)
        with Source(self.asked.path) as source:
            for piece in self._pieces(source):
                if isinstance(piece, Piece):
                    reader.survey(piece)
                    counting.survey(piece)
        owners: Counter[str] = Counter()
        with Source(self.asked.path) as source:
            for piece in self._pieces(source):
                if isinstance(piece, Piece):
                    owners.update(_owners(counting.read(piece)))
            owners.update(_owners(counting.end()))
        self.report.users = dict(owners.most_common()) if any(owners) else {}
        _check_users(self.report, self.asked)

    def entries(self) -> Generator[Said | Statement]:
        """Yield what the file holds; what cannot be taken is noted in the report."""
        with Source(self.asked.path, self.progress) as source:
            for piece in self._pieces(source):
                if isinstance(piece, Problem):
                    self.report.refuse(piece)
                elif self.reader is not None:
                    yield from self._wanted(self.reader.read(piece))
            if self.reader is not None:
                yield from self._wanted(self.reader.end())

    def _pieces(self, source: Source) -> Iterator[Piece | Problem]:
        if not self.what.is_record:
            yield from source.pieces()
            return
        found = list(source.pieces())
        yield from (problem for problem in found if isinstance(problem, Problem))
        yield record_of(piece for piece in found if isinstance(piece, Piece))

    def _wanted(self, entries: Iterable[Entry]) -> Iterator[Said | Statement]:
        for entry in entries:
            if isinstance(entry, Problem):
                self.report.refuse(entry)
            elif isinstance(entry, LeftOut):
                self.report.leave_out(entry.reason, entry.count)
            elif self.asked.source_user and not self._is_of(entry.owner, self.asked.source_user):
                self.report.leave_out(f"records {f'of {entry.owner!r}' if entry.owner else 'that name nobody'}")
            elif entry.owner and not self.asked.source_user and not self.what.surveyed:
                self.report.refuse(Problem(entry.where, f"of {entry.owner!r}, where the records before name nobody"))
            else:
                yield entry

    def _is_of(self, owner: str, wanted: str) -> bool:
        return FORMATS[self.what.format].belongs(owner, wanted)


def _owners(entries: Iterable[Entry]) -> Iterator[str]:
    return (entry.owner for entry in entries if isinstance(entry, Statement) or (isinstance(entry, Said) and entry.id))


def _check_users(report: FileReport, asked: ChatFile) -> None:
    if asked.source_user:
        if report.users and not any(FORMATS[report.format].belongs(user, asked.source_user) for user in report.users):
            raise RefusedError(
                f"{report.file}: no record is of {asked.source_user!r}",
                do=f"Its records are of {_told(report.users)}; name one of them with --source-user.",
            )
        return
    if len(report.users) > 1:
        raise RefusedError(
            f"{report.file}: its records are of several people: {_told(report.users)}",
            do="Say with --source-user whose are meant.",
        )


def _told(users: dict[str, int]) -> str:
    told = [f"{name!r} ({number})" if name else f"nobody named ({number})" for name, number in users.items()]
    return ", ".join(told[:LISTED] + ([f"and {len(told) - LISTED} more"] if len(told) > LISTED else []))
