"""The commands that look at a cognitive memory: how its traces stand, what a cue brings to mind, and communities."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import Agent, FileArgument, Json, NamedFile, Org, User, one_file
from ..output import note, nothing_found, write_json
from ..target import NO_SESSION, Target, opened

if TYPE_CHECKING:
    from pathlib import Path

    from capabilities.cognitive import CognitiveMemory
    from fabric import Context

Cue = Annotated[
    str, typer.Argument(metavar="[CUE]", help="A few words: show what they bring to mind.", show_default=False)
]
Around = Annotated[
    str,
    typer.Argument(metavar="[CUE]", help="A name or a few words: show what is known around it.", show_default=False),
]
Conversation = Annotated[
    str, typer.Option("--session", "-s", help="Also what only this conversation sees.", show_default=False)
]
Awake = Annotated[
    bool, typer.Option("--awake", help="The memory counts only the time in which it was in use, as its profile says.")
]


def traces(
    ctx: typer.Context,
    file: FileArgument = None,
    cue: Cue = "",
    named: NamedFile = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="At most this many.")] = 20,
    user: User = "",
    session: Conversation = "",
    agent: Agent = "",
    org: Org = "",
    awake: Awake = False,
    consolidation: Annotated[
        bool, typer.Option("--consolidation", help="Show what the last consolidation did, and why.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show how traces stand: their strength now and in a week, and what keeps each; with CUE what it brings to mind.

    Traces are what a cognitive memory and the six memory tools keep. With CUE also its best trace's ties to others.
    """
    path, words = _arguments(ctx, file, cue, named)
    target = Target(path, user, org=org, session=session)
    if consolidation:
        _show_consolidation(target, agent, limit, as_json=as_json)
    elif words:
        _show_neighbourhood(target, agent, words, limit, awake=awake, as_json=as_json)
    else:
        _show_outlook(target, agent, limit, awake=awake, as_json=as_json)


def _arguments(ctx: typer.Context, file: "Path | None", cue: str, named: "Path | None") -> "tuple[Path, str]":
    """Return the file and the cue; behind ``--file`` a single argument is the cue."""
    source = ctx.get_parameter_source("named")
    if source is not None and source.name == "COMMANDLINE" and file is not None and not cue:
        return one_file(ctx, None, named), str(file)
    return one_file(ctx, file, named), cue


def _show_outlook(target: Target, agent: str, limit: int, *, awake: bool, as_json: bool) -> None:
    from ..trace_tables import show_outlook

    found, now = _do(target, agent, lambda memory: memory.outlook(), awake=awake)
    if as_json:
        write_json(found[:limit])
    if not found:
        raise nothing_found(_nothing_of(target))
    if not as_json:
        show_outlook(found[:limit], now)
    if len(found) > limit:
        note(f"{len(found) - limit} weaker ones are not shown; see --limit")


def _show_consolidation(target: Target, agent: str, limit: int, *, as_json: bool) -> None:
    from ..trace_tables import show_consolidation, told_changes

    lines, now = _do(target, agent, lambda memory: memory.last_consolidation(), awake=False)
    if as_json:
        write_json(lines)
    if not lines:
        raise nothing_found(f"there was no consolidation; {_nothing_of(target)}")
    if not as_json:
        told, _ = _do(target, agent, lambda memory: told_changes(memory, lines, limit), awake=False)
        show_consolidation(lines, told, now)


def _show_neighbourhood(target: Target, agent: str, cue: str, limit: int, *, awake: bool, as_json: bool) -> None:
    from ..trace_tables import neighbourhood, show_neighbourhood

    found, now = _do(target, agent, lambda memory: neighbourhood(memory, cue, limit), awake=awake)
    if as_json:
        write_json(found)
    if not found.retrieval.results:
        raise nothing_found(f"nothing comes to mind; {_nothing_of(target)}")
    if not as_json:
        show_neighbourhood(found, now)


def _nothing_of(target: Target) -> str:
    return f"no trace is seen by {target.whose}; name another with --user, --session, --agent or --org"


def _do(target: Target, agent: str, work: "Callable[[CognitiveMemory], Awaitable[Any]]", *, awake: bool) -> Any:
    """Return what ``work`` gives for the memory of a target, and when that was."""
    from capabilities.cognitive import PROFILES, create_cognition
    from fabric import handler

    profile = PROFILES["daily"].model_copy(update={"time": "awake" if awake else "wall"})
    mind = create_cognition({"profile": profile}, embedder=target.embedder or "default").capability

    @handler(name="traces", uses=[mind])
    async def look(_: object, ctx: "Context") -> Any:
        return await work(ctx[mind]), ctx.clock.now()

    with opened(target) as at:
        return at.fabric.session(target.session or NO_SESSION, **target.owner, agent=agent or None).run(look).output


def communities(
    ctx: typer.Context,
    file: FileArgument = None,
    cue: Around = "",
    named: NamedFile = None,
    build: Annotated[
        bool, typer.Option("--build", help="First read what is new, without a model, and group it.")
    ] = False,
    over_all: Annotated[
        bool, typer.Option("--global", help="With CUE: the summaries of communities that fit it best.")
    ] = False,
    user: User = "",
    session: Conversation = "",
    agent: Agent = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Show the communities of what traces and facts name, level by level; with CUE what is known around it.

    A community is a group of people, places and things that are named together. An agent builds them with
    mem.communities.build.
    """
    path, words = _arguments(ctx, file, cue, named)
    target = Target(path, user, org=org, session=session)
    if words:
        _show_search(target, agent, words, build=build, over_all=over_all, as_json=as_json)
    else:
        _show_levels(target, agent, build=build, as_json=as_json)


def _show_levels(target: Target, agent: str, *, build: bool, as_json: bool) -> None:
    from ..community_tables import show_communities

    found = _communities(target, agent, build=build)
    if as_json:
        write_json(found)
    if not found:
        raise nothing_found(_no_community(target))
    if not as_json:
        show_communities(found)


def _show_search(target: Target, agent: str, cue: str, *, build: bool, over_all: bool, as_json: bool) -> None:
    from ..community_tables import show_found

    found = _communities(target, agent, cue, build=build, over_all=over_all)
    if as_json:
        write_json(found)
    if not found.text:
        others = "read what is new with --build, or name another with --user, --session, --agent or --org"
        raise nothing_found(f"nothing is known around it by {target.whose}; {others}")
    if not as_json:
        show_found(found)


def _no_community(target: Target) -> str:
    return (
        f"no community is seen by {target.whose}; build them with --build, or name another with --user, --session, "
        "--agent or --org"
    )


def _communities(target: Target, agent: str, cue: str = "", *, build: bool, over_all: bool = False) -> Any:
    """Return the communities of a target, or what a cue finds in them."""
    from capabilities.cognitive import create_cognition
    from capabilities.communities import create_communities
    from fabric import handler

    memory = create_communities(create_cognition(embedder=target.embedder or "default"))

    @handler(name="communities", uses=[memory])
    async def look(_: object, ctx: "Context") -> Any:
        mine = ctx[memory]
        if build:
            await mine.read()
            await mine.group()
        if not cue:
            return await mine.all()
        return await (mine.global_search(cue) if over_all else mine.local_search(cue))

    with opened(target) as at:
        return at.fabric.session(target.session or NO_SESSION, **target.owner, agent=agent or None).run(look).output
