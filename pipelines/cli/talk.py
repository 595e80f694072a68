"""Commands that talk: demo, chat and replay send messages through the chat pipeline."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import DEFAULT_FILE, Conversations, File, Json, Model, NameForNameless, Org, Project, User
from .output import counted, list_problems, nothing_found, progress, say, write_json
from .place import Opened, Place, opened

if TYPE_CHECKING:
    from fabric import Job

    from ..conversations import ConversationFile
    from ..replay import ReplayClock, Replayed
    from .holdings import Holdings, Recalled

DEMO_FILE = Path("demo.duckdb")
DEMO_USER = "jake"
DEMO_CUES = ("works at", "moved to", "allergic")


def demo(
    file: Annotated[Path, typer.Option("--file", "-f", help="The file to fill.")] = DEMO_FILE,
    model: Model = "",
    as_json: Json = False,
) -> None:
    """Replay a conversation of five sessions, and show what is remembered of it and why."""
    from ..conversations import parse_conversations  # noqa: PLC0415
    from ..replay import ReplayClock  # noqa: PLC0415

    recorded = parse_conversations((files("pipelines") / "demo" / "conversation.jsonl").read_bytes(), "demo")
    clock = ReplayClock()
    with opened(Place(file, DEMO_USER, model=model), create=True, clock=clock) as at:
        before = at.holdings().counts()
        done = _replay(at, recorded, clock, answering=bool(model), shown=not as_json)
        left = at.fabric.drain()
        held = at.holdings(done.sessions[-1])
        recalled = {cue: _recalled(at, held.session, cue) for cue in DEMO_CUES}
    if as_json:
        write_json(
            {
                "file": str(file),
                **_counted(done, recorded, left),
                "before": before,
                "holds": held.counts(),
                "working": held.working,
                "facts": held.facts,
                "recalled": recalled,
            }
        )
        return
    _show_demo(held, recalled)
    _report(done, left)
    counts = held.counts()
    if not done.added:
        same = before == counts
        say("Nothing was added twice." if same else f"The memory changed: {before} before, {counts} now.")
    say(f"\nThe memory is in {file}. Look again: thought-fabric show --file {file} --user {DEMO_USER}")


def _recalled(at: Opened, session: str, cue: str) -> "list[Recalled]":
    from capabilities.memory.recall import RecallRequest  # noqa: PLC0415

    from .holdings import recalled_block  # noqa: PLC0415

    found: list[Recalled] = at.session(session).run(recalled_block(at.mem), RecallRequest(cue=cue, limit=1)).output
    return found


def _show_demo(held: "Holdings", recalled: "dict[str, list[Recalled]]") -> None:
    from .tiers import show_episodes, show_facts, show_recalled, show_working  # noqa: PLC0415

    show_working(held)
    show_episodes(held)
    show_facts(held)
    for cue, found in recalled.items():
        say(f'Recall "{cue}":')
        show_recalled(found)


def replay(
    conversation: Conversations,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: NameForNameless = "",
    project: Project = "",
    org: Org = "",
    model: Model = "",
    as_json: Json = False,
) -> None:
    """Send recorded conversations through the memory, each turn at the time it was said and only once."""
    from ..conversations import read_conversations  # noqa: PLC0415
    from ..replay import ReplayClock  # noqa: PLC0415

    recorded = read_conversations(conversation, session)
    if recorded.turns:
        clock = ReplayClock()
        with opened(Place(file, user, project, org, model=model), create=True, clock=clock) as at:
            done = _replay(at, recorded, clock, answering=False, shown=not as_json)
            left = at.fabric.drain()
        if as_json:
            write_json({"file": str(file), **_counted(done, recorded, left)})
        else:
            _report(done, left)
    list_problems(recorded.problems)
    if recorded.problems:
        raise typer.Exit(1)
    if not recorded.turns:
        raise nothing_found(f"{conversation}: no user message in it")


def _replay(
    at: Opened, recorded: "ConversationFile", clock: "ReplayClock", *, answering: bool, shown: bool
) -> "Replayed":
    from ..chat import chat_pipeline, replay_pipeline  # noqa: PLC0415
    from ..replay import replay as replay_all  # noqa: PLC0415

    pipeline = chat_pipeline(at.mem, at.place.model) if answering else replay_pipeline(at.mem)
    with progress("remembering", recorded.turns, shown=shown) as advance:
        return replay_all(
            at.fabric,
            pipeline,
            recorded.conversations,
            ids=at.session("replay").ids,
            clock=clock,
            value=(lambda turn: turn.user) if answering else (lambda turn: turn),
            progress=lambda: advance(1),
        )


def _counted(done: "Replayed", recorded: "ConversationFile", left: "list[Job]") -> dict[str, Any]:
    return {
        "sessions": len(set(done.sessions)),
        "turns": done.turns,
        "added": done.added,
        "replayed": done.known,
        "jobs_left": len(left),
        "problems": [str(problem) for problem in recorded.problems],
    }


def _report(done: "Replayed", left: "list[Job]") -> None:
    sessions = len(set(done.sessions))
    turns = counted(done.turns, "turns")
    say(f"{turns} of {counted(sessions, 'sessions')}: {done.added} new, {done.known} were there already.")
    if left:
        say(f"{len(left)} pieces of background work wait for another try: thought-fabric jobs")
