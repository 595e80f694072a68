"""The command that brings conversations in from elsewhere: import keeps them in bulk."""

from dataclasses import asdict

import typer

from .options import DEFAULT_FILE, Conversations, Embedder, File, Json, NameForNameless, Org, Project, User
from .output import list_problems, note, nothing_found, plain, progress, say, write_json
from .place import NO_SESSION, Place, opened


def import_(
    conversations: Conversations,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: NameForNameless = "",
    project: Project = "",
    org: Org = "",
    embedder: Embedder = "",
    as_json: Json = False,
) -> None:
    """Keep recorded conversations in bulk, to be recalled; no fact is drawn from them. Run it again to finish one."""
    from fabric.clock import SystemClock  # noqa: PLC0415

    from ..conversations import read_conversations  # noqa: PLC0415
    from ..importing import import_conversations, imported_turns  # noqa: PLC0415

    recorded, now = read_conversations(conversations, session), SystemClock().now()
    total = sum(1 for _ in imported_turns(recorded.conversations, now))
    if total:
        place = Place(file, user, project, org, NO_SESSION, embedder=embedder)
        with opened(place, create=True) as at, progress("importing", total, shown=not as_json) as advance:
            done = import_conversations(at.session(), at.mem, recorded.conversations, now=now, progress=advance)
        sessions = len({one.session for one in recorded.conversations})
        if as_json:
            problems = [str(problem) for problem in recorded.problems]
            counted = {"file": str(file), "sessions": sessions, "messages": total, **asdict(done)}
            write_json({**counted, "problems": problems})
        else:
            say(f"{total} messages of {sessions} sessions: {done.added} new, {done.known} were there already.")
        if done.degraded:
            note(f"not embedded: {plain(done.degraded)}; thought-fabric reembed makes up for it")
    list_problems(recorded.problems)
    if recorded.problems:
        raise typer.Exit(1)
    if not total:
        raise nothing_found(f"{conversations}: no message of a user in it")
