"""The commands put together, and what becomes of their errors: one line, an exit code, no traceback."""

import sys
from io import TextIOWrapper
from typing import Any

import typer
from typer.core import TyperGroup

from .commands import (
    chat,
    doctor,
    explain,
    importing,
    inspect,
    maintenance,
    mind,
    remember,
    reminders,
    retain,
    serve,
    talk,
    traces,
    whole_file,
)
from .output import error_line, expected_errors


class Commands(TyperGroup):
    """The group of commands: an expected error of one of them ends the program with one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
            raise
        except expected_errors() as error:
            typer.echo(error_line(error), err=True)
            raise typer.Exit(1) from error


app = typer.Typer(
    name="thought-fabric",
    cls=Commands,
    help="Chat with an agent that remembers, and see, explain, correct and delete what it remembers.",
    epilog="Exit codes: 0 done, 1 error, 2 wrong usage, 3 nothing found.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def start() -> None:
    """Make sure that any bytes can be read and any text written, whatever the terminal's encoding."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)


for command in (
    talk.demo,
    chat.chat,
    talk.replay,
    importing.import_,
    remember.remember,
    inspect.recall,
    inspect.show,
    explain.why,
    explain.forget,
    explain.export,
    maintenance.consolidate,
    maintenance.prune,
    maintenance.jobs,
    doctor.doctor,
    whole_file.backup,
    whole_file.reembed,
    retain.retain,
    retain.reflect,
    serve.mcp,
    inspect.graph,
    traces.traces,
    traces.communities,
    reminders.reminders,
):
    app.command(name=command.__name__.rstrip("_"))(command)  # import is a word of the language
app.add_typer(mind.commands)
