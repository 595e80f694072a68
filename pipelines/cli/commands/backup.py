"""The command that copies a memory's file while others use it: backup."""

from pathlib import Path
from typing import Annotated

import typer

from ..options import Json
from ..output import plain, say, write_json


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
