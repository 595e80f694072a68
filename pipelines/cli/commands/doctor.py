"""The command to run first when a memory behaves oddly: doctor."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import ApiBase, Embedder, FileArgument, Json, Model, NamedFile, one_file
from ..output import note, plain, progress, say, write_json

if TYPE_CHECKING:
    from fabric.store.finding import Finding


def doctor(
    ctx: typer.Context,
    file: FileArgument = None,
    named: NamedFile = None,
    model: Model = "",
    api_base: ApiBase = "",
    embedder: Embedder = "",
    backup: Annotated[
        Path | None,
        typer.Option("--backup", help="Also compare this copy with the file.", show_default=False),
    ] = None,
    rebuild_index: Annotated[
        bool,
        typer.Option("--rebuild-index", help="First make what rows are found by anew, from the rows; this writes."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check the file, its lock, background work, embedder, model and index, and say how what is wrong is mended.

    Without --rebuild-index nothing is changed; nobody on the network is asked. Exit code 1 when there is a problem,
    0 otherwise: a warning is worth knowing, but nothing is lost by it.
    """
    from pipelines.checkup import check_up, rebuild

    place = one_file(ctx, file, named)
    if rebuild_index:
        with progress("making the index anew", None) as advance:
            mended = rebuild(place, advance)
        counts = [f"{count} rows of {name}" for name, count in mended.items()]
        note(f"made anew: {', '.join(counts) or 'nothing was wrong'}")
    with progress("comparing rows with their index", None) as advance:
        found = list(check_up(place, model=model, api_base=api_base, embedder=embedder, backup=backup, moved=advance))
    if as_json:
        write_json(found)
    else:
        for finding in found:  # not while the bar is drawn, which would take what is written to stdout for its own
            _tell(finding)
    if any(finding.state == "problem" for finding in found):
        raise typer.Exit(1)


def _tell(finding: "Finding") -> None:
    say(f"{finding.state:<8} {finding.check}: {plain(finding.found)}")
    if finding.mend:
        say(f"{'':<8} to mend it: {plain(finding.mend)}")
