"""The command that looks at reminders, puts them off and settles them. It brings none back: what is due stays due."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from ..options import Agent, FileArgument, Json, NamedFile, Org, User, one_file
from ..output import nothing_found, table, write_json
from ..target import NO_SESSION, Target, opened
from ..tiers import shortened

if TYPE_CHECKING:
    from capabilities.prospective import Intention, ProspectiveMemory
    from fabric import Context

    Work = Callable[[ProspectiveMemory], Awaitable[list[Intention]]]

Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="'in 2 hours', 'tomorrow at 9', or a time in ISO form.")
]
Conversation = Annotated[
    str, typer.Option("--session", "-s", help="Also what only this conversation sees.", show_default=False)
]


def reminders(
    ctx: typer.Context,
    file: FileArgument = None,
    named: NamedFile = None,
    due: Annotated[bool, typer.Option("--due", help="Only those that are due now.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Those that were told, done or cancelled, too.")] = False,
    done: Annotated[str | None, typer.Option(metavar="ID", help="It was done: of one that recurs, this time.")] = None,
    cancel: Annotated[str | None, typer.Option(metavar="ID", help="End it, one that recurs too.")] = None,
    snooze: Annotated[
        str | None, typer.Option(metavar="ID", help="Put it off until the time that --until names.")
    ] = None,
    until: Until = None,
    zone: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The time zone, such as Europe/Berlin; UTC, and for --until the reminder's own."
        ),
    ] = None,
    user: User = "",
    session: Conversation = "",
    agent: Agent = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """List what is to be done later, by when it is due; settle one with --done, --cancel or --snooze.

    The prompt of an agent's next turn tells what is due, once; this command only looks.
    """
    settled = [reminder_id for reminder_id in (done, cancel, snooze) if reminder_id is not None]
    if len(settled) > 1 or (snooze is None) != (until is None):
        raise typer.BadParameter("give one of --done, --cancel, and --snooze with --until")
    if not all(reminder_id.strip() for reminder_id in settled):
        raise typer.BadParameter("the id is blank: take it from the list of reminders")
    target = Target(one_file(ctx, file, named), user, org=org, session=session)

    async def work(memory: "ProspectiveMemory") -> "list[Intention]":
        if settled:
            return [await _settled(memory, settled[0], until, zone, cancels=cancel is not None)]
        ids = {intention.id for intention in await memory.due()} if due else None
        found = await (memory.all() if every else memory.pending())
        return [intention for intention in found if ids is None or intention.id in ids]

    _show(target, agent, zone, work, as_json=as_json)


async def _settled(
    memory: "ProspectiveMemory", intention_id: str, until: str | None, zone: str | None, *, cancels: bool
) -> "Intention":
    if until is None:
        return await (memory.cancel(intention_id) if cancels else memory.done(intention_id))
    held = await memory.get(intention_id) if zone is None else None
    return await memory.snooze(intention_id, until, zone=None if held is None else held.zone)


def _show(target: Target, agent: str, zone: str | None, work: "Work", *, as_json: bool) -> None:
    found, shown_in = _do(target, agent, zone, work)
    if as_json:
        write_json(found)
    if not found:
        raise nothing_found(f"nothing waits for {target.whose}; name another with --user, --session, --agent or --org")
    if not as_json:
        _write_table(found, shown_in)


def _do(target: Target, agent: str, zone: str | None, work: "Work") -> Any:
    from capabilities.prospective import create_prospective
    from fabric import handler

    memory = create_prospective(zone=zone, embedder=None)

    @handler(name="reminders", uses=[memory])
    async def look(_: object, ctx: "Context") -> Any:
        return await work(ctx[memory]), ctx[memory].zone

    with opened(target) as at:
        return at.fabric.session(target.session or NO_SESSION, **target.owner, agent=agent or None).run(look).output


def _write_table(found: "Sequence[Intention]", zone: ZoneInfo) -> None:
    """Write reminders, each with what brings it back and its id; times are those of the zone."""
    rows = [
        (
            _when(intention, zone),
            intention.rule or ("again and again" if intention.recurring else ""),
            f"{intention.importance:.2f}",
            intention.status,
            f"{shortened(intention.content)} | {intention.id}",
        )
        for intention in found
    ]
    columns = [f"due ({zone.key})", "recurs", "importance", "status", "what, and its id"]
    table(f"Reminders: {len(rows)}", columns, rows)


def _when(intention: "Intention", zone: ZoneInfo) -> str:
    if intention.next_at is not None:
        return f"{intention.next_at.astimezone(zone):%a %Y-%m-%d %H:%M}"
    if intention.trigger == "event_based":
        return f"on {', '.join(intention.events)}"
    return f"about {shortened(intention.cue)}" if intention.cue else ""
