"""Commands that take care of the memory: consolidate, prune, and the background work that is not done."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import DEFAULT_FILE, ApiBase, ApiKey, File, Force, Json, Model, Org, Project, Session, User
from ..output import note, nothing_found, plain, progress, say, write_json
from ..target import Opened, Target, opened

if TYPE_CHECKING:
    from fabric import Job

EVERY = "all"
WAITS_FOR_MODEL = "waits for a model: name one with --model, or let rules read it with --by-rules"
WAITS = "waits until chat, replay or jobs --retry runs it"


def consolidate(
    force: Force = False,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: Session = "",
    project: Project = "",
    org: Org = "",
    model: Model = "",
    api_base: ApiBase = "",
    api_key: ApiKey = "",
    as_json: Json = False,
) -> None:
    """Distil facts from the episodes that were not looked at yet, when enough of them came together."""
    with (
        opened(Target(file, user, project, org, session, model, api_base=api_base, api_key=api_key)) as at,
        progress("consolidating", None),
    ):
        done = at.run(at.mem.consolidate, {"force": force})
    _tell(done, ("added", "reinforced", "updated", "invalidated"), as_json=as_json)


def prune(
    force: Force = False,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: Session = "",
    project: Project = "",
    org: Org = "",
    model: Model = "",
    api_base: ApiBase = "",
    api_key: ApiKey = "",
    as_json: Json = False,
) -> None:
    """Merge facts that say the same and remove what is not worth keeping, when there are many."""
    with (
        opened(Target(file, user, project, org, session, model, api_base=api_base, api_key=api_key)) as at,
        progress("pruning", None),
    ):
        done = at.run(at.mem.prune, {"force": force})
    _tell(done, ("removed", "merged"), as_json=as_json)


def _tell(done: Any, counts: tuple[str, ...], *, as_json: bool) -> None:
    if as_json:
        write_json(done)
        return
    if done.skipped:
        say(f"Nothing done: {plain(done.skipped)}.")
        return
    say("Facts: " + ", ".join(f"{getattr(done, name)} {name}" for name in counts) + ".")
    for outcome in done.outcomes:
        reason = f" ({plain(outcome.reason)})" if outcome.reason else ""
        say(f"  {outcome.status}: {plain(outcome.content or outcome.id)}{reason}")


def jobs(
    retry: Annotated[
        str, typer.Option("--retry", metavar="ID", help="Try this one again now, or all of them.", show_default=False)
    ] = "",
    by_rules: Annotated[
        bool, typer.Option("--by-rules", help="Let rules read what a model was to read, where none is named.")
    ] = False,
    file: File = DEFAULT_FILE,
    model: Model = "",
    api_base: ApiBase = "",
    api_key: ApiKey = "",
    as_json: Json = False,
) -> None:
    """List background work that is not done, of everybody in the file: waiting, running and failed."""
    with opened(Target(file, model=model, api_base=api_base, api_key=api_key)) as at:
        if retry:
            _retry(at, retry, by_rules=by_rules)
        left = at.fabric.jobs()
    if as_json:
        write_json([_described(job) for job in left])
    elif left:
        for job in left:
            _show(_described(job))
    elif not retry:
        raise nothing_found("no background work is left")
    if retry and any(retry in (EVERY, job.id) for job in left):
        raise typer.Exit(1)
    if retry and not as_json:
        say("All of it is done." if retry == EVERY else f"{retry} is done.")


def _show(job: dict[str, Any]) -> None:
    """Write a job on lines that keep its id whole, to be copied."""
    later = f", not before {job['not_before']:%Y-%m-%d %H:%M} UTC" if job["not_before"] else ""
    say(f"{job['id']}: {job['status']}, tries: {job['tries']}{later}")
    say(f"  for {plain(job['user'] or 'nobody')}, session {plain(job['session'])}, turn {job['turn']}")
    say(f"  {plain(job['block'])}")
    if job["why"]:
        say(f"  {plain(job['why'])}")


def _retry(at: Opened, job_id: str, *, by_rules: bool) -> None:
    from pipelines.chat import chat_pipeline

    every = job_id == EVERY
    if not any(every or job.id == job_id for job in at.fabric.jobs()):
        if every:
            raise nothing_found("no background work is left")
        raise nothing_found(f"no job {plain(job_id)} is left: it is done, or never was")
    at.fabric.register(chat_pipeline(at.mem, at.target.model or None))
    if every:
        at.fabric.retry_all(by_anybody=by_rules)
    else:
        at.fabric.retry(job_id, by_anybody=by_rules)
    with progress("working", None):
        at.fabric.drain()
    note(f"tried {'all of it' if every else plain(job_id)}")


def _described(job: "Job") -> dict[str, Any]:
    from fabric.jobs.job import READER_HINT, UNKNOWN_HINT

    waits = {UNKNOWN_HINT: WAITS, READER_HINT: WAITS_FOR_MODEL}.get(job.hint, job.hint)
    why = f"{job.error}; {waits}" if job.error and job.hint == READER_HINT else job.error or waits
    return {
        "id": job.id,
        "status": job.status,
        "user": job.ids.user or "",
        "session": job.ids.session,
        "turn": job.turn,
        "block": job.block,
        "tries": job.attempts,
        "not_before": job.not_before,
        "why": why,
    }
