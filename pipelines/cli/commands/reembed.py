"""The command about vectors: reembed gives every row its vector. How a file stands with them is told by doctor."""

from typing import TYPE_CHECKING

import typer

from ..options import DEFAULT_FILE, Embedder, File, Json
from ..output import note, plain, progress, say, write_json
from ..target import Opened, Place, opened

if TYPE_CHECKING:
    from blocks.reembed import EmbeddingStatus


def reembed(file: File = DEFAULT_FILE, embedder: Embedder = "", as_json: Json = False) -> None:
    """Give everything in the file a vector of the embedder in use; what was done is kept when this is cut off."""
    from blocks.reembed import reembed_file

    with opened(Place(file, embedder=embedder)) as at:
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
