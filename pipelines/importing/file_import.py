"""Importing a file: it is read record by record, and kept in batches that are a transaction each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import ValidationError

from blocks.import_facts import ImportedFact, import_facts, put_facts
from blocks.import_turns import BATCH, ImportedTurn, keep_turns, unknown_turns
from capabilities.memory.layout import MemoryLayout
from capabilities.semantic import Arrival, Fact
from capabilities.sources import Source
from fabric.errors import ConfigurationError
from fabric.flow.block import Block
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Collection, Transaction
from fabric.threads.portal import elsewhere

from .file_contents import ChatFile, Progress, Reading
from .formats.messages import MESSAGE_APART
from .problems import Problem
from .records import Said, Statement, digest
from .report import Counts, ImportReport

BATCH_CHARS = 10_000_000
"""How much text is embedded and written at once, where `BATCH` texts are more."""


class FileImport(ChatFile):
    """What to import, and whether only to say what would happen."""

    dry_run: bool = False


def file_import_block(layout: MemoryLayout, progress: Progress = lambda _: None) -> Block[FileImport, ImportReport]:
    """Return the block that imports a file; ``progress`` is called with numbers of bytes that were read.

    Importing a file again adds nothing, and finishes an import that was cut off. A dry run does the same in one
    transaction that it takes back. RefusedError for a file that fits no format or several, or that holds records of
    several people while ``source_user`` does not say whose are meant.
    """

    @handler(name=f"{layout.name}/import_file", input_schema=FileImport, uses=layout.resources)
    async def import_file(asked: FileImport, ctx: Context) -> ImportReport:
        report = ImportReport(file=str(asked.path), dry_run=asked.dry_run)
        reading = await elsewhere(lambda: Reading.of(asked, report, ctx.clock.now(), progress))
        keeping = _Keeping(ctx, layout, report)
        if asked.dry_run:
            await keeping.rehearse(reading.entries())
        else:
            with ctx.run.writing():  # what is forgotten meanwhile is forgotten when all of it has come in
                await keeping.keep_all(reading.entries())
        report.sessions = len(keeping.sessions)
        return report

    return import_file


def nothing_in(asked: FileImport, now: datetime) -> ImportReport | None:
    """Return the report on a file that holds nothing to keep, None for one that does; no memory is looked at."""
    report = ImportReport(file=str(asked.path), dry_run=asked.dry_run)
    with closing(Reading.of(asked, report, now).entries()) as entries:
        return None if any(_is_kept(entry, report) for entry in entries) else report


def _is_kept(entry: Said | Statement, report: ImportReport) -> bool:
    """Return whether an entry becomes a turn or a fact; what of a message has no text to be found by is noted."""
    if isinstance(entry, Statement):
        return True
    for left in entry.left_out:
        report.leave_out(left.reason, left.count)
    return bool(entry.id)


@dataclass(slots=True)
class _Keeping:
    """Messages and statements on their way into the memory, a batch at a time."""

    ctx: Context
    layout: MemoryLayout
    report: ImportReport
    sessions: set[str] = field(default_factory=set[str])
    now: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.now = self.ctx.clock.now()

    async def keep_all(self, entries: Iterator[Said | Statement]) -> None:
        """Keep everything, each batch as a transaction."""
        kept = self._kept(entries)
        while batch := await elsewhere(lambda: _batch(kept)):
            turns, facts = self._sorted(batch)
            if turns:
                done = await keep_turns(self.ctx, self.layout, turns)
                self._count_turns(done.imported, done.skipped)
                self.report.degraded = done.degraded or self.report.degraded
            if facts:
                outcomes, degraded = await import_facts(self.ctx, self.layout, self._table(), facts)
                self._count_facts(outcomes)
                self.report.degraded = degraded or self.report.degraded

    async def rehearse(self, entries: Iterator[Said | Statement]) -> None:
        """Do the same in one transaction, and take it back."""
        kept = self._kept(entries)

        def work(tx: Transaction) -> None:
            while batch := _batch(kept):
                turns, facts = self._sorted(batch)
                new = unknown_turns(tx, self.layout, [turn.turn(self.ctx) for turn in turns])
                tx.put(self.layout.turns, new)
                self._count_turns(len(new), len(turns) - len(new))
                if facts:
                    self._count_facts(put_facts(tx, self.layout, self._table(), facts))
            raise _TakenBackError

        try:
            await self.ctx.transact(work)
        except _TakenBackError:
            return

    def _kept(self, entries: Iterator[Said | Statement]) -> Iterator[Said | Statement]:
        return (entry for entry in entries if _is_kept(entry, self.report))

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
                    turns.append(_turn(entry, entry.said_at or self._undated()))
                    self.sessions.add(entry.session)
                else:
                    facts.append(_fact(entry, self.report.format, self.ctx))
            except ValidationError as error:
                self.report.refuse(Problem(entry.where, _line(error)))
        return turns, facts

    def _undated(self) -> datetime:
        """Return the time of a message whose file tells none: now, and after the ones before it."""
        self.now += MESSAGE_APART
        return self.now

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


def _turn(message: Said, said_at: datetime) -> ImportedTurn:
    return ImportedTurn(
        session=message.session,
        role="user" if message.role == "user" else "assistant",
        text=message.text,
        said_at=said_at,
        speaker=message.speaker,
        tags=list(message.tags),
        id=message.id,
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
        origins=tuple(
            Source(turn_id=origin.id, session=origin.session, turn=0, said_at=origin.said_at or known_from)
            for origin in held.origins
        ),
    )


def _line(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
