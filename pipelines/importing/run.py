"""Importing a file: it is read record by record, and kept in batches that are a transaction each."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from blocks.import_facts import ImportedFact, import_facts, put_facts
from blocks.import_turns import BATCH, ImportedTurn, keep_turns, unknown_turns
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import Arrival, Fact
from fabric.block import Block
from fabric.context import Context
from fabric.errors import ConfigurationError, RefusedError
from fabric.handler import handler
from fabric.resource import Collection, Transaction

from ..problems import Problem
from .elements import Piece
from .formats import FORMATS, Recognised, recognised, record_of
from .records import Entry, LeftOut, Reader, Said, Statement, Told, digest
from .report import Counts, ImportReport
from .source import Source

BATCH_CHARS = 10_000_000
"""How much text is embedded and written at once, where `BATCH` texts are more."""
LISTED = 20
"""How many people an error names."""
Progress = Callable[[int], None]


class FileImport(BaseModel):
    """What to import, and how. ``source_user`` is whose records are taken of a file that holds several people's.

    ``session`` names conversations that have no name, in place of the file's name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    format: str = "auto"
    source_user: str = ""
    session: str = ""
    dry_run: bool = False


def file_import_block(layout: MemoryLayout, progress: Progress = lambda _: None) -> Block[FileImport, ImportReport]:
    """Return the block that imports a file; ``progress`` is called with numbers of bytes that were read.

    Importing a file again adds nothing, and finishes an import that was cut off. A dry run does the same in one
    transaction that it takes back. RefusedError for a file that fits no format or several, or that holds records of
    several people while ``source_user`` does not say whose are meant.
    """

    @handler(name=f"{layout.name}/import_file", input_schema=FileImport, uses=layout.resources)
    async def import_file(asked: FileImport, ctx: Context) -> ImportReport:
        reading = await asyncio.to_thread(_Reading.of, asked, ctx.clock.now(), progress)
        keeping = _Keeping(ctx, layout, reading.report)
        if asked.dry_run:
            await keeping.rehearse(reading.entries())
        else:
            await keeping.keep_all(reading.entries())
        reading.report.sessions = len(keeping.sessions)
        return reading.report

    return import_file


def nothing_in(asked: FileImport, now: datetime) -> ImportReport | None:
    """Return the report on a file that holds nothing to keep, None for one that does; no memory is looked at."""
    reading = _Reading.of(asked, now)
    with closing(reading.entries()) as entries:
        return None if next(entries, None) is not None else reading.report


@dataclass(slots=True)
class _Reading:
    """A file being read: which format it is, whose records it holds, and what is taken of it."""

    asked: FileImport
    progress: Progress
    report: ImportReport
    told: Told
    what: Recognised
    reader: Reader | None = None

    @classmethod
    def of(cls, asked: FileImport, now: datetime, progress: Progress = lambda _: None) -> "_Reading":
        """Recognise the file, and look through it where its records say something of one another."""
        with Source(asked.path) as source:
            what = recognised(source.pieces(), asked.format, str(asked.path))
        report = ImportReport(file=str(asked.path), format=what.format, dry_run=asked.dry_run)
        reading = cls(asked, progress, report, Told(now, asked.session or asked.path.stem), what)
        if what.format:
            reading.reader = FORMATS[what.format].reader(reading.told)
            if what.surveyed:
                reading.survey(reading.reader)
        return reading

    def survey(self, reader: Reader) -> None:
        """Let the reader look through the file, and count whose records there are."""
        counting = FORMATS[self.what.format].reader(self.told)
        owners: Counter[str] = Counter()
        with Source(self.asked.path) as source:
            for piece in self._pieces(source):
                if isinstance(piece, Piece):
                    reader.survey(piece)
                    counting.survey(piece)
                    owners.update(_owners(counting.read(piece)))
            owners.update(_owners(counting.end()))
        self.report.users = dict(owners.most_common())
        _check_users(self.report, self.asked)

    def entries(self) -> Generator[Said | Statement]:
        """Yield what is to be kept; what is not is noted in the report."""
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
        yield from (one for one in found if isinstance(one, Problem))
        yield record_of(one for one in found if isinstance(one, Piece))

    def _wanted(self, entries: Iterable[Entry]) -> Iterator[Said | Statement]:
        for entry in entries:
            if isinstance(entry, Problem):
                self.report.refuse(entry)
            elif isinstance(entry, LeftOut):
                self.report.leave_out(entry.reason, entry.count)
            elif reason := self._why_not(entry.owner):
                self.report.refuse(Problem(entry.where, reason))
            else:
                yield entry

    def _why_not(self, owner: str) -> str:
        """Return why a record of this owner is not taken, "" when it is."""
        wanted = self.asked.source_user
        if wanted and not FORMATS[self.what.format].belongs(owner, wanted):
            return f"{f'of {owner!r}' if owner else 'of nobody that it names'}, not of {wanted!r}"
        if owner and not wanted and not self.what.surveyed:
            return f"of {owner!r}, where the records before name nobody"
        return ""


def _owners(entries: Iterable[Entry]) -> Iterator[str]:
    return (entry.owner for entry in entries if isinstance(entry, Said | Statement))


def _check_users(report: ImportReport, asked: FileImport) -> None:
    if asked.source_user:
        if report.users and not any(FORMATS[report.format].belongs(one, asked.source_user) for one in report.users):
            raise RefusedError(
                f"{report.file}: no record is of {asked.source_user!r}",
                do=f"Its records are of {_told(report.users)}; name one of them with --source-user.",
            )
        return
    if len(report.users) > 1:
        raise RefusedError(
            f"{report.file}: its records are of several people: {_told(report.users)}",
            do="Say with --source-user whose are to be imported.",
        )


def _told(users: dict[str, int]) -> str:
    told = [f"{name!r} ({number})" if name else f"nobody named ({number})" for name, number in users.items()]
    return ", ".join(told[:LISTED] + ([f"and {len(told) - LISTED} more"] if len(told) > LISTED else []))


@dataclass(slots=True)
class _Keeping:
    """Messages and statements on their way into the memory, a batch at a time."""

    ctx: Context
    layout: MemoryLayout
    report: ImportReport
    sessions: set[str] = field(default_factory=set[str])

    async def keep_all(self, entries: Iterator[Said | Statement]) -> None:
        """Keep everything, each batch as a transaction."""
        while batch := await asyncio.to_thread(_batch, entries):
            turns, facts = self._sorted(batch)
            if turns:
                kept = await keep_turns(self.ctx, self.layout, turns)
                self._count_turns(kept.imported, kept.skipped)
                self.report.degraded = kept.degraded or self.report.degraded
            if facts:
                outcomes, degraded = await import_facts(self.ctx, self.layout, self._table(), facts)
                self._count_facts(outcomes)
                self.report.degraded = degraded or self.report.degraded

    async def rehearse(self, entries: Iterator[Said | Statement]) -> None:
        """Do the same in one transaction, and take it back."""

        def work(tx: Transaction) -> None:
            while batch := _batch(entries):
                turns, facts = self._sorted(batch)
                new = unknown_turns(tx, self.layout, [one.turn(self.ctx.redact(one.text)) for one in turns])
                tx.put(self.layout.turns, new)
                self._count_turns(len(new), len(turns) - len(new))
                if facts:
                    self._count_facts(put_facts(tx, self.layout, self._table(), facts))
            raise _TakenBackError

        try:
            await self.ctx.transact(work)
        except _TakenBackError:
            return

    def _table(self) -> Collection[Fact]:
        if self.layout.semantic is None:
            raise ConfigurationError(
                "to import facts, semantic memory is needed: memory_system(episodic=True, semantic=True)"
            )
        return self.layout.semantic

    def _sorted(self, batch: Sequence[Said | Statement]) -> tuple[list[ImportedTurn], list[ImportedFact]]:
        turns: list[ImportedTurn] = []
        facts: list[ImportedFact] = []
        for entry in batch:
            try:
                if isinstance(entry, Said):
                    turns.append(_turn(entry))
                    self.sessions.add(entry.session)
                else:
                    facts.append(_fact(entry, self.report.format, self.ctx))
            except ValidationError as error:
                self.report.refuse(Problem(entry.where, _line(error)))
        return turns, facts

    def _count_turns(self, new: int, known: int) -> None:
        counts = self.report.messages
        self.report.messages = counts.model_copy(update={"new": counts.new + new, "known": counts.known + known})

    def _count_facts(self, outcomes: Sequence[Arrival]) -> None:
        counts = Counter(self.report.facts.model_dump()) + Counter(outcomes)
        self.report.facts = Counts(**counts)


def _batch(entries: Iterator[Said | Statement]) -> list[Said | Statement]:
    """Return the next entries, as many as are written at once."""
    batch: list[Said | Statement] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += len(entry.text)
        if len(batch) == BATCH or size > BATCH_CHARS:
            break
    return batch


class _TakenBackError(Exception):
    """A rehearsal is over."""


def _turn(said: Said) -> ImportedTurn:
    return ImportedTurn(
        session=said.session,
        role=said.role,
        text=said.text,
        said_at=said.said_at,
        speaker=said.speaker,
        tags=list(said.tags),
        id=said.id,
    )


def _fact(held: Statement, source: str, ctx: Context) -> ImportedFact:
    now = ctx.clock.now()
    known_from = min(held.known_from or held.given_up or now, now)
    return ImportedFact(
        id=f"sf_{source}_{digest(source, held.owner, held.kind, held.record)}",
        content=ctx.redact(held.text.strip()),
        known_from=known_from,
        is_dated=held.is_dated,
        valid_from=held.valid_from or known_from,
        valid_to=held.valid_to,
        given_up=held.given_up,
        subject=held.subject,
        category=held.category,
        made_by=f"import from {source}, {held.kind} {held.record}",
        session=source,
        role=held.role,
        tags=held.tags,
    )


def _line(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
