"""The command that serves a memory to other programs."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..options import ApiBase, ApiKey, FileArgument, Model, NamedFile, Org, Project, User, one_file
from ..output import note
from ..target import Target, opened
from .retain import BackendOption, BankOf, Kept, retain_system

Tokens = Annotated[
    Path | None,
    typer.Option(
        "--tokens", help='A file {"TOKEN": {"user": "NAME"}}: whose memory each bearer token opens.', exists=True
    ),
]
Origins = Annotated[
    list[str] | None, typer.Option("--origin", help="A web page that may ask, such as https://chat.example.")
]


AgentName = Annotated[
    str, typer.Option("--agent", "-a", help="The agent whose mind it is, beside the memory.", show_default=False)
]
CallSession = Annotated[
    str,
    typer.Option(
        "--session", "-s", help="The conversation that the calls belong to. Default: mcp.", show_default=False
    ),
]


class Tools(StrEnum):
    """What is served."""

    memory = "memory"
    retain = "retain"


Offered = Annotated[Tools, typer.Option("--tools", help="Which tools: of the memory, or of a coding agent's bank.")]


def mcp(
    ctx: typer.Context,
    file: FileArgument = None,
    named: NamedFile = None,
    user: User = "",
    agent: AgentName = "",
    session: CallSession = "",
    project: Project = "",
    org: Org = "",
    model: Model = "",
    api_base: ApiBase = "",
    api_key: ApiKey = "",
    tools: Offered = Tools.memory,
    bank: BankOf = Path(),
    backend: BackendOption = Kept.local,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer only tools that change nothing.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP at /mcp instead of stdio.")] = False,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port to listen on.")] = 8765,
    tokens: Tokens = None,
    origin: Origins = None,
) -> None:
    """Serve the memory to any agent that speaks the Model Context Protocol, over stdio or HTTP.

    A file that does not exist is made.
    """
    import asyncio

    try:
        from pipelines.server.offer import offer
        from pipelines.server.serve import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "uvicorn", "starlette"):
            raise
        note("The server needs an extra: pip install 'path/to/thought-fabric[mcp]'")
        raise typer.Exit(1) from error
    if not http and (tokens or origin):
        raise typer.BadParameter("--tokens and --origin go with --http: over stdio the one client is trusted")
    memory_file = one_file(ctx, file, named)
    target = Target(memory_file, user, project, org, session or "mcp", model, api_base=api_base, api_key=api_key)
    with opened(_warned(target), create=not read_only) as at:
        of = at.mem if tools is Tools.memory else retain_system(bank, backend, None, model)
        ids, offered = replace(at.session().ids, agent=agent or None), offer(of, read_only=read_only)
        if http:
            asyncio.run(
                serve_http(
                    at.fabric,
                    offered,
                    ids,
                    bound_to=host,
                    port=port,
                    tokens=tokens,
                    origins=origin or (),
                    ready=lambda: note(f"Serving {target.file} at {_address(host, port)}"),
                )
            )
        else:
            asyncio.run(serve_stdio(at.fabric, offered, ids))


def _warned(target: Target) -> Target:
    """Return the target, and say what is wrong with its model's id or key: clients would find out call by call."""
    if target.model:
        from pipelines.checkup import model_finding

        found = model_finding(target.model, api_base=target.api_base)
        if found.state != "ok":
            note(f"{found.check}: {found.found}; {found.mend}")
    return target


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/mcp" if ":" in host else f"http://{host}:{port}/mcp"
