"""Commands about the mind of an agent: show and recall look, complete and unpin change one entry."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import DEFAULT_FILE, File, Json, Org, Project, User
from ..output import nothing_found, plain, say, write_json
from ..target import NO_SESSION, Target, opened

if TYPE_CHECKING:
    from capabilities.mind import Mind
    from fabric import Capability, Context, Session

commands = typer.Typer(
    name="mind",
    help="See what an agent has in mind, recall from it, complete a goal, unpin a standing rule.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Owner(StrEnum):
    """Who owns the entries of a mind."""

    user = "user"
    agent = "agent"
    project = "project"
    org = "org"


Agent = Annotated[
    str,
    typer.Option(
        "--agent",
        "-a",
        help="The agent, or the block that declares the mind. Default: the only mind there is.",
        show_default=False,
    ),
]
Namespace = Annotated[str, typer.Option("--namespace", help="The mind by the name it was given.", show_default=False)]
Scope = Annotated[Owner, typer.Option("--scope", help="Who owns the mind: user, agent, project or org.")]


@dataclass(frozen=True, slots=True)
class Whose:
    """Which mind the options mean."""

    target: Target
    agent: str
    namespace: str
    scope: Owner

    def __post_init__(self) -> None:
        needed = {Owner.agent: self.agent, Owner.project: self.target.project, Owner.org: self.target.org}
        if not needed.get(self.scope, "the login name"):
            raise typer.BadParameter(f"--scope {self.scope} needs --{self.scope}")
        if self.agent and self.namespace and self.scope is not Owner.agent:
            raise typer.BadParameter("expected at most one of --agent and --namespace")

    def do(self, work: "Callable[[Mind], Awaitable[Any]]") -> Any:
        """Return what ``work`` gives for the mind; nothing found when there is none, or several and none is named."""
        with opened(self.target) as at:
            session = at.fabric.session(NO_SESSION, **self.target.owner, agent=self.agent or None)
            namespace = self.namespace or (f"mind/{self.agent}" if self.agent else self._only(session))
            return _run(session, self._capability(namespace), lambda ctx: work(ctx.cap.mind))

    def _capability(self, namespace: str | None = None) -> "Capability[Mind]":
        from capabilities.mind import mind

        return mind(self.target.embedder or "default", namespace=namespace, scope=self.scope.value)

    def _only(self, session: "Session") -> str:
        """Return the name of the only mind that the owner has."""
        names = _run(session, self._capability(), _names)
        if len(names) == 1:
            return str(names[0])
        if names:
            raise typer.BadParameter(f"name one with --namespace: {', '.join(map(plain, names))}")
        raise nothing_found(
            f"nothing is in mind for {self.target.whose}; name another with --user, --project or --scope"
        )


def _run(session: "Session", capability: "Capability[Mind]", work: "Callable[[Context], Awaitable[Any]]") -> Any:
    from fabric import handler

    return session.run(handler(work, name="mind", uses=[capability])).output


async def _names(ctx: "Context") -> list[str]:
    """Return the names of all minds that the owner has."""
    return sorted(await ctx.cap.mind.namespaces())


@commands.command()
def show(
    file: File = DEFAULT_FILE,
    user: User = "",
    agent: Agent = "",
    namespace: Namespace = "",
    scope: Scope = Owner.user,
    project: Project = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Show the goals, standing rules, beliefs and reflections, expired and completed ones too."""
    from ..minds import show_mind

    entries = Whose(Target(file, user, project, org), agent, namespace, scope).do(lambda mind: mind.entries())
    if as_json:
        write_json(entries)
    if not entries:
        raise nothing_found("nothing is in this mind")
    if not as_json:
        show_mind(entries)


@commands.command()
def recall(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A few words on what it is about.", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most this many.")] = 10,
    file: File = DEFAULT_FILE,
    user: User = "",
    agent: Agent = "",
    namespace: Namespace = "",
    scope: Scope = Owner.user,
    project: Project = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Recall what the mind holds about QUERY, as the agent would, with the parts of each score."""
    from ..minds import show_found

    whose = Whose(Target(file, user, project, org), agent, namespace, scope)
    found = whose.do(lambda mind: mind.recall(query, limit=limit))
    if as_json:
        write_json(found)
    if not found:
        raise nothing_found("nothing in this mind answers; show lists everything")
    if not as_json:
        show_found(found)


@commands.command()
def complete(
    goal_id: Annotated[str, typer.Argument(metavar="ID", help="Of an active goal.", show_default=False)],
    outcome: Annotated[str, typer.Option("--outcome", help="What came of it.", show_default=False)] = "",
    file: File = DEFAULT_FILE,
    user: User = "",
    agent: Agent = "",
    namespace: Namespace = "",
    scope: Scope = Owner.user,
    project: Project = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Mark a goal as completed. It leaves the agent's prompt and stays in the file."""
    whose = Whose(Target(file, user, project, org), agent, namespace, scope)
    done = whose.do(lambda mind: mind.complete_goal(goal_id, outcome=outcome or None))
    _told(done, f"{plain(goal_id)} is completed.", as_json=as_json)


@commands.command()
def unpin(
    reflection_id: Annotated[str, typer.Argument(metavar="ID", help="Of a standing rule.", show_default=False)],
    file: File = DEFAULT_FILE,
    user: User = "",
    agent: Agent = "",
    namespace: Namespace = "",
    scope: Scope = Owner.user,
    project: Project = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Make a standing rule an ordinary reflection again."""
    whose = Whose(Target(file, user, project, org), agent, namespace, scope)
    done = whose.do(lambda mind: mind.unpin_reflection(reflection_id))
    _told(done, f"{plain(reflection_id)} is no standing rule any more.", as_json=as_json)


def _told(done: Any, line: str, *, as_json: bool) -> None:
    if as_json:
        write_json(done)
    else:
        say(line)
