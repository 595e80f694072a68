"""The command that brings in what was said and what is remembered elsewhere."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import (
    DEFAULT_FILE,
    Embedder,
    File,
    Form,
    From,
    Imported,
    Json,
    NameForNameless,
    Org,
    Project,
    SourceUser,
    User,
)
from ..output import counted, list_left_out, list_problems, note, nothing_found, plain, progress, say, write_json
from ..target import NO_SESSION, Opened, Target, opened

if TYPE_CHECKING:
    from pipelines.importing import Counts, FileImport, ImportReport


DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and change nothing.")]


def import_(
    path: Imported,
    form: From = Form.auto,
    dry_run: DryRun = False,
    source_user: SourceUser = "",
    file: File = DEFAULT_FILE,
    user: User = "",
    session: NameForNameless = "",
    project: Project = "",
    org: Org = "",
    embedder: Embedder = "",
    as_json: Json = False,
) -> None:
    """Import chats and memories: messages are kept as turns, what other systems remember as facts, nothing twice.

    Formats: messages (OpenAI), sharegpt, chatgpt, mem0, graphiti (and Zep), letta, langmem (and LangGraph). Run it
    again to finish an import that was cut off, or to take in what is new. Nothing is read out of messages: replay does
    that, before or after, and keeps none of them twice.
    """
    from pipelines.importing import FileImport

    asked = FileImport(path=path, format=form.value, source_user=source_user, session=session, dry_run=dry_run)
    target = Target(file, user, project, org, NO_SESSION, embedder="none" if dry_run else embedder)
    report = _imported(asked, target, shown=not as_json)
    if as_json:
        write_json({**report.model_dump(), "file": str(file), "source": str(path)})
    elif report.total:
        _tell(report)
    if report.degraded:
        note(f"not embedded: {plain(report.degraded)}; thought-fabric reembed makes up for it")
    list_problems(report.problems, report.refused)
    if report.refused:
        raise typer.Exit(1)
    if not report.total:
        raise nothing_found(f"{path}: nothing in it to keep")


def _imported(asked: "FileImport", target: Target, *, shown: bool) -> "ImportReport":
    from fabric.clock import SystemClock
    from pipelines.importing import Source, file_import_block, nothing_in

    if not target.file.exists():
        nothing = nothing_in(asked, SystemClock().now())
        if nothing is not None:
            return nothing
    with Source(asked.path) as source:
        size = source.size
    with _opened(target, dry_run=asked.dry_run) as at, progress("importing", size, shown=shown) as advance:
        report: ImportReport = at.run(file_import_block(at.mem.layout, advance), asked)
        return report


@contextmanager
def _opened(target: Target, *, dry_run: bool) -> Generator[Opened]:
    """Open the file, or for a dry run a copy of it, so that not a byte of it changes."""
    if not dry_run:
        with opened(target, create=True) as at:
            yield at
        return
    with TemporaryDirectory() as folder:
        copy = Path(":memory:")
        if target.file.exists():
            copy = Path(folder) / target.file.name
            for suffix in ("", ".wal"):
                log_file = target.file.with_name(target.file.name + suffix)
                if log_file.exists():
                    shutil.copyfile(log_file, copy.with_name(copy.name + suffix))
        with opened(replace(target, file=copy), create=True) as at:
            yield at


def _tell(report: "ImportReport") -> None:
    would = "would be " if report.dry_run else ""
    say(f"format: {report.format}")
    for name, number in report.users.items():
        say(f"whose: {plain(name) or 'nobody named'} ({number})")
    if report.messages.total:
        messages = counted(report.messages.total, "messages")
        say(f"{messages} of {counted(report.sessions, 'sessions')}: {_counted(report.messages, would)}.")
    if report.facts.total:
        say(f"{counted(report.facts.total, 'facts')}: {_counted(report.facts, would)}.")
    list_left_out(report.left_out)


def _counted(counts: "Counts", would: str) -> str:
    parts = [f"{counts.new} {would}new", f"{counts.known} were there already"]
    parts += [f"{counts.changed} {would}changed"] if counts.changed else []
    parts += [f"{counts.older} older than what is held"] if counts.older else []
    return ", ".join(parts)
