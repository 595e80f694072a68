"""Commands that talk: demo, chat and replay send messages through the chat pipeline."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import (
    DEFAULT_FILE,
    ApiBase,
    ApiKey,
    Conversations,
    File,
    Form,
    From,
    Json,
    Model,
    NameForNameless,
    Org,
    Project,
    SourceUser,
    User,
)
from ..output import counted, list_left_out, list_problems, nothing_found, progress, say, write_json
from ..target import Opened, Target, opened

if TYPE_CHECKING:
    from fabric import Job
    from pipelines.importing import ChatFile
    from pipelines.replay import ReplayClock, Replayed

    from ..holdings import Holdings, Recalled

DEMO_FILE = Path("demo.duckdb")
DEMO_USER = "jake"
DEMO_CUES = ("works at", "moved to", "allergic")


def demo(
    file: Annotated[Path, typer.Option("--file", "-f", help="The file to fill.")] = DEMO_FILE,
    model: Model = "",
    api_base: ApiBase = "",
    api_key: ApiKey = "",
    as_json: Json = False,
) -> None:
    """Replay a conversation of five sessions, and show what is remembered of it and why."""
    from pipelines.importing import ChatFile
    from pipelines.replay import ReplayClock

    clock = ReplayClock()
    with (
        as_file(files("pipelines") / "demo" / "conversation.jsonl") as path,
        opened(
            Target(file, DEMO_USER, model=model, api_base=api_base, api_key=api_key), create=True, clock=clock
        ) as at,
    ):
        recorded = _Recorded(ChatFile(path=path))
        before = at.holdings().counts()
        done = _replay(at, recorded, clock, answering=bool(model), shown=not as_json)
        left = at.fabric.drain()
        holdings = at.holdings(done.sessions[-1])
        recalled = {cue: _recalled(at, holdings.session, cue) for cue in DEMO_CUES}
    if as_json:
        write_json(
            {
                "file": str(file),
                **_counted(done, recorded, left),
                "before": before,
                "holds": holdings.counts(),
                "working": holdings.working,
                "facts": holdings.facts,
                "recalled": recalled,
            }
        )
        return
    _show_demo(holdings, recalled)
    _report(done, left)
    counts = holdings.counts()
    if not done.added:
        same = before == counts
        say("Nothing was added twice." if same else f"The memory changed: {before} before, {counts} now.")
    say(f"\nThe memory is in {file}. Look again: thought-fabric show --file {file} --user {DEMO_USER}")


def _recalled(at: Opened, session: str, cue: str) -> "list[Recalled]":
    from capabilities.memory.recall.recall import RecallRequest

    from ..holdings import recalled_block

    found: list[Recalled] = at.session(session).run(recalled_block(at.mem), RecallRequest(cue=cue, limit=1)).output
    return found


def _show_demo(holdings: "Holdings", recalled: "dict[str, list[Recalled]]") -> None:
    from ..tiers import show_episodes, show_facts, show_recalled, show_working

    show_working(holdings)
    show_episodes(holdings)
    show_facts(holdings)
    for cue, found in recalled.items():
        say(f'Recall "{cue}":')
        show_recalled(found)


def replay(
    conversation: Conversations,
    form: From = Form.auto,
    source_user: SourceUser = "",
    file: File = DEFAULT_FILE,
    user: User = "",
    session: NameForNameless = "",
    project: Project = "",
    org: Org = "",
    model: Model = "",
    api_base: ApiBase = "",
    api_key: ApiKey = "",
    as_json: Json = False,
) -> None:
    """Send what was said through the memory, each turn at the time it was said and only once, and learn from it.

    Formats are those of import, and a turn that was imported is kept once; memories and documents are import's.
    """
    from pipelines.importing import ChatFile
    from pipelines.replay import ReplayClock

    recorded = _Recorded(
        ChatFile(path=conversation, format=form.value, source_user=source_user, session=session),
    )
    if recorded.turns:
        clock = ReplayClock()
        with opened(
            Target(file, user, project, org, model=model, api_base=api_base, api_key=api_key), create=True, clock=clock
        ) as at:
            done = _replay(at, recorded, clock, answering=False, shown=not as_json)
            left = at.fabric.drain()
        if as_json:
            write_json({"file": str(file), **_counted(done, recorded, left)})
        else:
            _report(done, left)
    if not as_json:
        list_left_out(recorded.report.left_out)
    list_problems(recorded.report.problems, recorded.report.refused)
    if recorded.report.refused:
        raise typer.Exit(1)
    if not recorded.turns:
        raise nothing_found(f"{conversation}: no user message in it")


class _Recorded:
    """A file of chats, read through once to know how many turns there are and what cannot be read."""

    def __init__(self, asked: "ChatFile") -> None:
        from pipelines.importing import FileReport
        from pipelines.replay import file_turns

        self.asked = asked
        self.report = FileReport(file=str(asked.path))
        self.turns = sum(1 for _ in file_turns(asked, self.report))


def _replay(at: Opened, recorded: _Recorded, clock: "ReplayClock", *, answering: bool, shown: bool) -> "Replayed":
    from pipelines.chat import chat_pipeline, replay_pipeline
    from pipelines.importing import FileReport
    from pipelines.replay import file_turns
    from pipelines.replay import replay as replay_all

    pipeline = chat_pipeline(at.mem, at.target.model) if answering else replay_pipeline(at.mem)
    with progress("remembering", recorded.turns, shown=shown) as advance:
        return replay_all(
            at.fabric,
            pipeline,
            file_turns(recorded.asked, FileReport(file=recorded.report.file)),
            ids=at.session("replay").ids,
            clock=clock,
            value=(lambda turn: turn.user) if answering else (lambda turn: turn),
            progress=lambda: advance(1),
        )


def _counted(done: "Replayed", recorded: _Recorded, left: "list[Job]") -> dict[str, Any]:
    return {
        "sessions": len(set(done.sessions)),
        "turns": done.turns,
        "added": done.added,
        "replayed": done.known,
        "jobs_left": len(left),
        "format": recorded.report.format,
        "left_out": recorded.report.left_out,
        "refused": recorded.report.refused,
        "problems": recorded.report.problems,
    }


def _report(done: "Replayed", left: "list[Job]") -> None:
    sessions = len(set(done.sessions))
    turns = counted(done.turns, "turns")
    say(f"{turns} of {counted(sessions, 'sessions')}: {done.added} new, {done.known} were there already.")
    if left:
        say(f"{len(left)} pieces of background work wait for another try: thought-fabric jobs")
