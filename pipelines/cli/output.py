"""How the commands write: text that cannot play tricks on a terminal, JSON, tables, and progress on stderr."""

import json
import os
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

BAR = 16
"""How many characters a full salience bar is long."""
MAX_PROBLEMS = 20
NOTHING_FOUND = 3


def plain(text: object) -> str:
    r"""Return text on one line, with control characters spelled out, so that it cannot steer a terminal.

    >>> plain("a\n\x1b[31mb")
    'a \\x1b[31mb'
    """
    flat = " ".join(str(text).split())
    return "".join(char if char.isprintable() or char == " " else _spelled(char) for char in flat)


def _spelled(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii") if ord(char) < 0x2000 else char


def printable(text: str) -> str:
    r"""Return text on its lines, with control characters spelled out; a piece of a text may be given alone.

    >>> printable("a\r\n\x1b[2Jb")
    'a\n\\x1b[2Jb'
    """
    kept = text.replace("\r", "")
    return "".join(char if char.isprintable() or char in "\n\t" else _spelled(char) for char in kept)


def expected_errors() -> tuple[type[Exception], ...]:
    """Return the errors that a user can do something about; evaluated only once something was raised."""
    from fabric.errors import FabricError

    return FabricError, OSError


def error_line(error: Exception) -> str:
    """Return an error as the one line that a user reads."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"error: {plain(f'{error.filename}: {error.strerror}')}"
    return f"error: {plain(error)}"


def counted(number: int, things: str) -> str:
    """Return a number with what it counts, which is given as several.

    >>> counted(1, "working entries"), counted(2, "facts")
    ('1 working entry', '2 facts')
    """
    thing = f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{number} {thing if number == 1 else things}"


def bar(share: float) -> str:
    """Return a bar for a share between 0 and 1.

    >>> bar(0.5)
    '████████░░░░░░░░'
    """
    full = round(max(0.0, min(1.0, share)) * BAR)
    return "█" * full + "░" * (BAR - full)


def console() -> "Console":
    """Return the console for stdout, which takes no text for markup."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False, soft_wrap=False)


def say(text: object = "") -> None:
    """Write a line to stdout."""
    typer.echo(str(text))


def note(text: object) -> None:
    """Write a line to stderr."""
    typer.echo(str(text), err=True)


def aside(text: object) -> None:
    """Write a line about what the memory does to stderr: dim on a terminal, unless NO_COLOR is set."""
    dim = sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    note(typer.style(text, dim=True) if dim else text)


def nothing_found(reason: str) -> "typer.Exit":
    """Return what to raise when what was asked for is not there, after saying so on stderr."""
    note(reason)
    return typer.Exit(NOTHING_FOUND)


def write_json(value: Any) -> None:
    """Write a value, a pydantic model, or a structure of both, as indented JSON to stdout."""
    from pydantic_core import to_jsonable_python

    say(json.dumps(to_jsonable_python(value), ensure_ascii=False, indent=2))


def list_problems(problems: Sequence[object], total: int | None = None) -> None:
    """Write one line per problem to stderr, and one for those beyond the first 20; ``total`` counts those not given."""
    for problem in problems[:MAX_PROBLEMS]:
        note(f"skipped: {plain(problem)}")
    more = (len(problems) if total is None else total) - MAX_PROBLEMS
    if more > 0:
        note(f"skipped: {more} more")


def list_left_out(left_out: Mapping[str, int]) -> None:
    """Write what of a file has no place in a memory to stdout, a line for each reason."""
    for reason, number in left_out.items():
        say(f"left out: {number} {plain(reason)}")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table to stdout, or nothing but a line when it has no rows."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=Text(plain(title)), title_justify="left", show_edge=False, pad_edge=False)
    for column in columns:
        drawn.add_column(column, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(plain(cell)) for cell in row))
    out = console()
    if drawn.row_count:
        out.print(drawn)
    else:
        out.print(Text(f"{plain(title)}: nothing"))
    out.print()


@contextmanager
def progress(label: str, total: int | None, *, shown: bool = True) -> Generator[Callable[[int], None]]:
    """Show a progress bar on stderr while the block runs, when stderr is a terminal; yield what moves it on."""
    if not shown or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(label, total=total)
        yield lambda steps: drawn.advance(task, steps)
