"""Commands about vectors: status says how the memory stands with its embedder, reembed gives every row its vector."""

from typing import TYPE_CHECKING

import typer

from .options import DEFAULT_FILE, Embedder, File, Json
from .output import note, plain, progress, say, table, write_json
from .place import Opened, Place, opened

if TYPE_CHECKING:
    from blocks.reembed import EmbeddingStatus, Kind


def status(file: File = DEFAULT_FILE, embedder: Embedder = "", as_json: Json = False) -> None:
    """Say which embedder is in use, which ones the file holds vectors of, what is degraded and how to mend it."""
    with opened(Place(file, embedder=embedder)) as at:
        found = _status(at)
    if as_json:
        write_json(found)
        return
    say(f"embedder: {plain(found.embedder or 'none, everything is found by its words')}")
    table(str(file), ["kind", "rows", "embedded", "not embedded", "of other models"], map(_row, found.kinds))
    for space, rows in found.other_models.items():
        say(f"{rows} rows have vectors of {plain(_model(space))}")
    if not found.embedder and embedder != "none":
        say("degraded: the package of the default embedder, wordllama, is not installed here")
    if found.degraded:
        say(f"degraded: {plain(found.degraded)}")
        say(f"to mend it: {plain(found.mend)}")


def reembed(file: File = DEFAULT_FILE, embedder: Embedder = "", as_json: Json = False) -> None:
    """Give everything in the file a vector of the embedder in use; what was done is kept when this is cut off."""
    from blocks.reembed import reembed_file  # noqa: PLC0415

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
    from blocks.reembed import file_status  # noqa: PLC0415

    return at.fabric.call(file_status(at.mem.layout, at.fabric.store))


def _row(kind: "Kind") -> tuple[str, int, int, int, int]:
    return kind.name, kind.rows, kind.embedded, kind.missing, sum(kind.other_models.values())


def _model(space: str) -> str:
    """Return the name and the dimension of an identity.

    >>> _model("openai/some-model/384/00ff")
    'openai/some-model (384 numbers)'
    """
    name, _, rest = space.rpartition("/")[0].rpartition("/")
    return f"{name} ({rest} numbers)"
