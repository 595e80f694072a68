"""Jobs: background work as rows of the store, so that it outlives the process that asked for it."""

import hashlib
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, TypeVar

from pydantic import ConfigDict, TypeAdapter

from ..clock import utc
from ..errors import SchemaError, WorkError
from ..scope import Scope, ScopeIds
from ..store.base import SYSTEM, Row, Rows, Table, Where
from ..telling import message_of

T = TypeVar("T")
JobStatus = Literal["pending", "running", "failed"]
JOBS = Table(
    "fabric_jobs",
    {"seq": "integer", "status": "text", "session": "text", "user": "text", "root": "text", "error": "text"},
)
EFFECTS = Table("fabric_effects", {"owner": "text", "session": "text", "user": "text"})
TURNS = Table("fabric_turns", {"turn": "integer"})
UNKNOWN_HINT = "waits until its pipeline is known: run it again, or fabric.register(pipeline)"
MODEL = "model"
READER_HINT = "was to be read by a model, and waits for one: open the file with a model, or retry it without one"
MISSING_HINT = "its pipeline is known but has no such block any more: register the one it was made with"


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of background work that is not done yet.

    ``block`` is the path of its block, ``root`` the name of the pipeline; ``turn`` is the turn it was made for,
    ``input`` the connected value as JSON. ``attempts`` counts tries begun; a pending job with ``not_before`` waits
    for a later try. ``hint`` says what a job waits for that cannot run as things are. ``trace`` is the span that
    asked for it, as a W3C traceparent, "" when nobody traced. ``said`` is the id of the user's message that it is
    about, "" where there was none.
    """

    id: str
    ids: ScopeIds
    root: str
    block: str
    turn: int
    input: Any
    created_at: datetime
    seq: int
    status: JobStatus = "pending"
    attempts: int = 0
    error: str = ""
    not_before: datetime | None = None
    hint: str = ""
    trace: str = ""
    reader: str = ""
    """"model" when what the job does was to be done by a model; nobody else does it unless that is asked for."""
    cause: str = ""
    """"model" when the last try failed because of the model: one that works does the job when the file is opened."""
    said: str = ""
    deaths: int = 0
    """How often the process ended while this job ran alone."""
    is_suspect: bool = False
    """Whether the process ended while it ran: it runs alone until a try of it ends."""

    @property
    def outcome_id(self) -> str:
        """The id of the item that will say what the job did."""
        return f"item_{self.id}"


def job_id(key: str) -> str:
    """Return the id that the same work of the same turn always gets.

    >>> job_id("a") == job_id("a") != job_id("b")
    True
    """
    return f"job_{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def next_job_id(key: str, marks: str, taken: Container[str]) -> str:
    """Return the id that the same work of a run of this name always gets: by its place, not by when it comes."""
    number = 1
    while (found := job_id(f"{key}|{number}|{marks}" if marks else f"{key}|{number}")) in taken:
        number += 1
    return found


def owner_columns(ids: ScopeIds) -> dict[str, str]:
    """Return the columns by which the engine's rows of a session, or of a user, are found."""
    return {"session": ids.scope("session").key, "user": ids.scope("user").key if ids.has("user") else ""}


def job_row(job: Job) -> Row:
    """Return the job as JSON values."""
    return {
        "id": job.id,
        "ids": job.ids.as_dict(),
        **owner_columns(job.ids),
        "root": job.root,
        "block": job.block,
        "turn": job.turn,
        "input": job.input,
        "created_at": utc(job.created_at).isoformat(),
        "seq": job.seq,
        "status": job.status,
        "attempts": job.attempts,
        "error": job.error,
        "not_before": utc(job.not_before).isoformat() if job.not_before is not None else None,
        "trace": job.trace,
        "reader": job.reader,
        "cause": job.cause,
        "said": job.said,
        "deaths": job.deaths,
        "is_suspect": job.is_suspect,
    }


def job_of(row: Row) -> Job:
    """Return the job that a row was made from."""
    later = row["not_before"]
    return Job(
        id=row["id"],
        ids=ScopeIds(**row["ids"]),
        root=row["root"],
        block=row["block"],
        turn=row["turn"],
        input=row["input"],
        created_at=datetime.fromisoformat(row["created_at"]),
        seq=row["seq"],
        status=row["status"],
        attempts=row["attempts"],
        error=row["error"],
        not_before=datetime.fromisoformat(later) if later else None,
        trace=row.get("trace", ""),
        reader=row.get("reader", ""),
        cause=row.get("cause", ""),
        said=row.get("said", ""),
        deaths=row.get("deaths", 0),
        is_suspect=row.get("is_suspect", False),
    )


def read_job(rows: Rows, identity: str) -> Job | None:
    """Return the job with this id, or None when it is done or was never made."""
    found = rows.get(JOBS, SYSTEM, [identity])
    return job_of(found[0]) if found else None


def troubled(rows: Rows, ids: ScopeIds) -> tuple[int, str]:
    """Return how many jobs of the user, or of the session without one, failed or were put off, and why the last was."""
    column = "user" if ids.has("user") else "session"
    where = [Where(column, "=", owner_columns(ids)[column]), Where("error", "!=", "")]
    last = rows.find(JOBS, SYSTEM, where, order="-seq", limit=1)
    return (rows.count(JOBS, SYSTEM, where), last[0]["error"]) if last else (0, "")


def put_jobs(rows: Rows, jobs: Sequence[Job]) -> None:
    """Insert or replace jobs."""
    if jobs:
        rows.put(JOBS, SYSTEM, [job_row(job) for job in jobs])


def drop_effects(rows: Rows, owners: Sequence[str], known: Sequence[str] | None = None) -> None:
    """Delete the journal of effects of jobs or turns that are done; ``known`` are its rows where no others can be."""
    if known:
        rows.delete(EFFECTS, SYSTEM, known)
    for owner in owners if known is None else ():
        found = rows.find(EFFECTS, SYSTEM, [Where("owner", "=", owner)])
        if found:
            rows.delete(EFFECTS, SYSTEM, [row["id"] for row in found])


def forget_jobs(rows: Rows, scope: Scope) -> int:
    """Delete the jobs and journaled effects of a session's or a user's scope; return how many jobs there were.

    A job of it that runs meanwhile stores nothing any more.
    """
    where = [Where("user" if scope.kind == "user" else "session", "=", scope.key)]
    jobs, effects = rows.find(JOBS, SYSTEM, where), rows.find(EFFECTS, SYSTEM, where)
    rows.delete(EFFECTS, SYSTEM, [row["id"] for row in effects])
    return rows.delete(JOBS, SYSTEM, [row["id"] for row in jobs])


def interrupted(running: Sequence[Job], max_attempts: int) -> list[Job]:
    """Return the jobs that ran when their process ended: to be tried again alone, or given up after so many deaths.

    Which of several that ran side by side ended the process nobody knows, so that none of these tries counts. From then
    on each runs alone, until a try of it ends: what happens then is its own doing.
    """
    return [_interrupted(job, max_attempts, was_alone=job.is_suspect or len(running) == 1) for job in running]


def _interrupted(job: Job, max_attempts: int, *, was_alone: bool) -> Job:
    if not was_alone:
        return replace(job, status="pending", attempts=job.attempts - 1, is_suspect=True)
    job = replace(job, status="pending", deaths=job.deaths + 1, is_suspect=True)
    if job.deaths < max_attempts:
        return job
    return replace(job, status="failed", error=f"the process ended while it ran alone, in {job.deaths} of its tries")


def put_back_job(rows: Rows, identity: str) -> Job:
    """Make a failed or waiting job one to be tried now; WorkError when it runs or there is none of that id."""
    job = read_job(rows, identity)
    if job is None:
        raise WorkError(f"no job {identity!r} is left to retry: it is done, or never was; see fabric.jobs()")
    if job.status == "running":
        raise WorkError(f"job {identity!r} ({job.block}) runs right now: wait for it with fabric.drain()")
    job = replace(job, status="pending", attempts=0, deaths=0, not_before=None)
    put_jobs(rows, [job])
    return job


_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any, config=ConfigDict(defer_build=True))


def to_json(value: Any, where: str, what: str) -> Any:
    """Return ``value`` as JSON values; SchemaError when it cannot be stored."""
    try:
        return _ANYTHING.dump_python(value, mode="json")
    except Exception as error:  # pydantic's, or what a value's own code raises while it is read
        raise SchemaError(
            f"{where}: {what} must be kept in the store, so it must be JSON, a pydantic model or a dataclass; "
            f"got {type(value).__name__}: {message_of(error)}"
        ) from error
