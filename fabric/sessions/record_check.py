"""Background work and records as a check sees them: what waits or failed, and which rows are no record any more."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..flow import resource
from ..jobs.job import JOBS, MODEL, Job, job_of
from ..store.duckdb.check.file_check import BACKUP
from ..store.finding import Finding, Scan, several
from ..telling import error_text

M = TypeVar("M", bound=BaseModel)
SHOWN = 3
"""How many failed jobs are named one by one."""


def job_findings(scan: Scan, roots: Collection[str], retry: str) -> Iterator[Finding]:
    """Say what background work is left; ``roots`` are the pipelines known here, ``retry`` begins the command."""
    try:
        jobs = [job_of(row) for _, row in scan.rows(JOBS.name)]
    except (KeyError, TypeError, ValueError) as error:
        yield Finding("jobs", "problem", f"a job cannot be read: {error_text(error)}", BACKUP)
        return
    if not jobs:
        yield Finding("jobs", "ok", "no background work is left")
        return
    for failed in [job for job in jobs if job.status == "failed"][:SHOWN]:
        yield _failed(failed, _mend(failed, roots, retry))
    counts = Counter(job.status for job in jobs)
    if counts["failed"] > SHOWN:
        found = f"{several(counts['failed'] - SHOWN, 'more job')} failed"
        yield Finding("jobs", "problem", found, f"list them with: {retry.partition(' --retry')[0]}")
    waiting = [job for job in jobs if job.status != "failed"]
    if waiting:
        yield _waiting(waiting, roots, retry)


def _failed(job: Job, mend: str) -> Finding:
    found = f"{job.id} failed, {several(job.attempts, 'try', 'tries')}: {job.block}: {job.error}"
    return Finding("jobs", "problem", found, mend)


def _waiting(jobs: list[Job], roots: Collection[str], retry: str) -> Finding:
    oldest = min(jobs, key=lambda job: job.created_at)
    cut = sum(job.status == "running" for job in jobs)
    found = f"{several(len(jobs), 'job')} waiting, the oldest since {oldest.created_at:%Y-%m-%d %H:%M} UTC"
    if cut:
        found += f"; {cut} of them began and did not end"
    strange = [job for job in jobs if job.root not in roots]
    return Finding("jobs", "warning", found, _mend(strange[0] if strange else oldest, roots, retry))


def _mend(job: Job, roots: Collection[str], retry: str) -> str:
    if job.root in roots:
        return f"{retry} {job.id}{' --model MODEL' if job.reader == MODEL else ''}"
    return f"run the program whose pipeline is {job.root!r}, which alone knows this work, and call fabric.retry there"


def records(scan: Scan, collection: resource.Collection[M]) -> Iterator[tuple[int, M]]:
    """Yield the records of a collection with the numbers of their owners; rows that are none are left out."""
    for owner, row in scan.rows(collection.key):
        if _fits(collection, row):
            yield owner, collection.schema.model_validate(row)


def record_findings(scan: Scan, collections: Sequence[resource.Collection[Any]]) -> Iterator[Finding]:
    """Say which rows are not what their collection holds: whatever reads them fails."""
    for collection in collections:
        broken = [row["id"] for _, row in scan.rows(collection.key) if not _fits(collection, row)]
        if broken:
            schema = collection.schema.__name__
            found = f"{collection.key}: {several(len(broken), 'row')} not readable as {schema}, such as {broken[0]}"
            yield Finding("rows", "problem", found, BACKUP)


def _fits(collection: resource.Collection[Any], row: dict[str, Any]) -> bool:
    try:
        collection.schema.model_validate(row)
    except ValidationError:
        return False
    return True
