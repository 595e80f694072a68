"""The options that several commands share, each described once."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_FILE = Path("memory.duckdb")
FORMAT_VARIABLE = "THOUGHT_FABRIC_RESPONSE_FORMAT"
"""Whether a model is sent a response format: "always", "never", or "auto" for those listed as able to follow it."""
EMBEDDER_VARIABLE = "THOUGHT_FABRIC_EMBEDDER"


class Form(StrEnum):
    """Which format a file is in."""

    auto = "auto"
    messages = "messages"
    sharegpt = "sharegpt"
    chatgpt = "chatgpt"
    mem0 = "mem0"
    graphiti = "graphiti"
    letta = "letta"
    langmem = "langmem"


def _not_blank(ctx: typer.Context, param: typer.CallbackParam, value: str) -> str:
    """Refuse a name that was given and is blank, as an empty variable of a script gives it: it would be another's."""
    source = ctx.get_parameter_source(param.name or "")
    if source is not None and source.name == "COMMANDLINE" and not value.strip():
        raise typer.BadParameter("the name is blank; give one, or leave the option out")
    return value


File = Annotated[
    Path,
    typer.Option(
        "--file",
        "-f",
        envvar="THOUGHT_FABRIC_FILE",
        help="The memory's file.",
        show_envvar=True,
        callback=Path.expanduser,
    ),
]


def _expanded(path: Path | None) -> Path | None:
    return path.expanduser() if path is not None else None


FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="The memory's file. Default: memory.duckdb.",
        show_default=False,
        readable=False,
        callback=_expanded,
    ),
]
"""The file of a command that is about the file itself; `NamedFile` stands beside it."""
NamedFile = Annotated[
    Path | None,
    typer.Option(
        "--file",
        "-f",
        envvar="THOUGHT_FABRIC_FILE",
        help="The same, named as for other commands.",
        show_default=False,
        show_envvar=True,
        callback=_expanded,
    ),
]


Agent = Annotated[
    str,
    typer.Option(
        "--agent", "-a", help="Also what only this agent of the user's sees.", show_default=False, callback=_not_blank
    ),
]


def one_file(ctx: typer.Context, argument: Path | None, option: Path | None) -> Path:
    """Return the file that a command was given in one of two ways; wrong usage where the two differ."""
    source = ctx.get_parameter_source("named")
    is_typed = source is not None and source.name == "COMMANDLINE"
    if argument is not None and is_typed and argument != option:
        raise typer.BadParameter(f"two files are named, {argument} and {option}; name one")
    return argument or option or DEFAULT_FILE


User = Annotated[
    str,
    typer.Option(
        "--user", "-u", help="Whose memory. Default: your login name.", show_default=False, callback=_not_blank
    ),
]
Project = Annotated[
    str,
    typer.Option(
        "--project",
        "-p",
        help="The memory of this project instead of the user's.",
        show_default=False,
        callback=_not_blank,
    ),
]
Org = Annotated[
    str,
    typer.Option(
        "--org", help="The organisation that user and project belong to.", show_default=False, callback=_not_blank
    ),
]
Session = Annotated[
    str,
    typer.Option(
        "--session", "-s", help="The conversation. Default: the one that was last remembered.", show_default=False
    ),
]
Conversations = Annotated[
    Path, typer.Argument(metavar="FILE", help="A chat log, or an export that holds one.", show_default=False)
]
Imported = Annotated[
    Path, typer.Argument(metavar="FILE", help="An export, a chat log, or JSON lines of either.", show_default=False)
]
From = Annotated[Form, typer.Option("--from", help="Which format it is: auto tells it by its shape.")]
SourceUser = Annotated[
    str, typer.Option("--source-user", help="Whose records to take, where the file names several.", show_default=False)
]
NameForNameless = Annotated[
    str, typer.Option("--session", "-s", help="A name for conversations that have none. Default: the file's name.")
]
Model = Annotated[
    str, typer.Option("--model", "-m", help="A litellm model id. Default: rules, no model.", show_default=False)
]
ApiBase = Annotated[
    str,
    typer.Option(
        "--api-base",
        envvar="THOUGHT_FABRIC_API_BASE",
        help="The address of the model's own server, such as http://localhost:11434/v1.",
        show_default=False,
        show_envvar=True,
    ),
]
ApiKey = Annotated[
    str,
    typer.Option(
        "--api-key",
        envvar="THOUGHT_FABRIC_API_KEY",
        help="Its key; better in the variable, as others may see what a command was called with.",
        show_default=False,
        show_envvar=True,
    ),
]
Embedder = Annotated[
    str,
    typer.Option(
        "--embedder",
        "-e",
        envvar=EMBEDDER_VARIABLE,
        help="What gives texts their vectors: default, minilm, a litellm model id, or none. "
        "Other commands read the variable.",
        show_default=False,
        show_envvar=True,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for programs.")]
Force = Annotated[bool, typer.Option("--force", help="Do it although it is not due.")]
_DATES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]
AsOf = Annotated[
    datetime | None,
    typer.Option(
        "--as-of", metavar="DATE", formats=_DATES, help="The facts that were true then (UTC).", show_default=False
    ),
]
KnownAt = Annotated[
    datetime | None,
    typer.Option(
        "--known-at", metavar="DATE", formats=_DATES, help="The facts that were known then (UTC).", show_default=False
    ),
]
ValidDuring = Annotated[
    tuple[datetime, datetime] | None,
    typer.Option(
        "--valid-during",
        metavar="FROM TO",
        help="The facts that were true at any time of it (UTC).",
        show_default=False,
    ),
]
Since = Annotated[
    datetime | None,
    typer.Option("--since", metavar="DATE", formats=_DATES, help="Said then or later (UTC).", show_default=False),
]
Until = Annotated[
    datetime | None,
    typer.Option(
        "--until", metavar="DATE", formats=_DATES, help="Said then or earlier, a day included.", show_default=False
    ),
]
SaidIn = Annotated[
    str, typer.Option("--session", "-s", help="Only what was said in this conversation.", show_default=False)
]
