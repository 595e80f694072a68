"""Commands about a file as a whole: backup copies it while others use it, reembed gives every row its vector."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import DEFAULT_FILE, Embedder, File, Json
from ..output import note, plain, progress, say, write_json
from ..target import Opened, Target, opened

if TYPE_CHECKING:
    from blocks.reembed import EmbeddingStatus


def backup(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", envvar="THOUGHT_FABRIC_FILE", help="The memory's file.", callback=Path.expanduser
        ),
    ],
    to: Annotated[Path, typer.Argument(metavar="TO", help="The copy, which must not exist.", callback=Path.expanduser)],
    as_json: Json = False,
) -> None:
    """Copy the memory's file to TO as it is committed now, also while a server writes to it, and read the copy through.

    The copy is one file and opens like any other; compare the two later with doctor FILE --backup TO.
    """
    from fabric.store.duckdb.backup import back_up

    made = back_up(file, to)
    if as_json:
        write_json(made)
    else:
        rows = ", ".join(f"{name} {count}" for name, count in made.rows.items() if count and not name.startswith("_"))
        say(f"{plain(made.path)}: {made.size:,} bytes; {plain(rows or 'no rows')}")


def reembed(file: File = DEFAULT_FILE, embedder: Embedder = "", as_json: Json = False) -> None:
    """Give everything in the file a vector of the embedder in use; what was done is kept when this is cut off."""
    from blocks.reembed import reembed_file

    with opened(Target(file, embedder=embedder)) as at:
        before = _status(at)
        with progress("embedding", before.left) as advance:
            done = at.fabric.call(reembed_file(at.mem.layout, at.fabric.store, advance))
    if as_json:
        write_json(done)
    else:
        say(f"{done.embedded} of {before.left} rows got a vector of {plain(before.embedder or 'no embedder')}.")
    if done.degraded:
        note(f"error: {plain(done.degraded)}")
        raise typer.Exit(1)


def _status(at: Opened) -> "EmbeddingStatus":
    from blocks.reembed import file_status

    return at.fabric.call(file_status(at.mem.layout, at.fabric.store))
