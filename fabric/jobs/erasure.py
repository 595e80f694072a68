"""Erasing: a session's turns, single items and jobs, or everything that a scope owns, out of the engine's tables."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

from ..record.erased import Erased
from ..record.forgotten import ERASED, blanked_row
from ..record.log import ITEMS
from ..record.meanwhile import Gone
from ..scope import Scope, ScopeIds, ScopeKind
from ..store.base import SYSTEM, Row, Rows, Where
from .job import EFFECTS, JOBS, TURNS, drop_effects, forget_jobs, job_of, put_jobs

GONE_KINDS = ("outcome", "error")
"""Kinds of items that are deleted where others are blanked: the form of a conversation does not need them."""


def erase_turns(rows: Rows, ids: ScopeIds, turns: Collection[int], erased: Erased) -> None:
    """Take what was said and done in these turns of a session out of the engine's tables.

    Messages stay as empty places, marked ``[forgotten]``, so that a conversation keeps its form and is known when it is
    sent again; outcomes, waiting jobs
    and journals go altogether. A named turn stays known, without its output, so that it is not run again.
    """
    scope = ids.scope("session")
    found = [row for turn in turns for row in rows.find(ITEMS, scope, [Where("turn", "=", turn)])]
    erase_items(rows, scope, found, erased)
    erase_outputs(
        rows, scope, [row for turn in turns for row in rows.find(TURNS, scope, [Where("turn", "=", turn)])], erased
    )
    erased.turns[scope] = erased.turns.get(scope, set()) | set(turns)
    jobs = [job_of(row) for row in rows.find(JOBS, SYSTEM, [Where("session", "=", scope.key)])]
    _drop_jobs(rows, [job.id for job in jobs if job.turn in turns], erased)


def erase_items(rows: Rows, scope: Scope, items: Iterable[Row], erased: Erased) -> None:
    """Take these rows of a session's items out: outcomes and errors altogether, the others to their empty places."""
    fresh = [row for row in items if row["text"] != ERASED]
    if not fresh:
        return
    rows.delete(ITEMS, scope, [row["id"] for row in fresh if row["kind"] in GONE_KINDS])
    messages = [row for row in fresh if row["kind"] not in GONE_KINDS]
    rows.put(ITEMS, scope, [blanked_row(row) for row in messages])
    erased.count("items", len(fresh))
    erased.items[scope] = (erased.items.get(scope) or set()) | {row["id"] for row in fresh}


def erase_outputs(rows: Rows, scope: Scope, named: Iterable[Row], erased: Erased) -> None:
    """Take the outputs out of these rows of named turns; the turns stay known."""
    fresh = [row for row in named if row["output"] != ERASED]
    rows.put(TURNS, scope, [{**row, "output": ERASED} for row in fresh])
    erased.count("turns' outputs", len(fresh))


def erase_work(
    rows: Rows, row: Row, cut: Callable[[Any], Any], is_clean: Callable[[Any], bool], erased: Erased
) -> None:
    """Take out of a job what must go: ``cut`` does so of its input, and if that ``is_clean`` then, the job goes on.

    Otherwise it is dropped, with its journal, and stores nothing any more if it runs. An error that is not clean is
    blanked.
    """
    job = job_of(row)
    job = replace(job, input=cut(job.input), error=job.error if is_clean(job.error) else ERASED)
    if is_clean(job.input):
        put_jobs(rows, [job])
        erased.count("jobs' inputs", 1)
    else:
        _drop_jobs(rows, [job.id], erased)


def erase_effects(rows: Rows, effects: Collection[str], erased: Erased) -> None:
    """Take results out of the journal of effects that are done; a job that is tried again does them anew."""
    erased.count("journaled effects", rows.delete(EFFECTS, SYSTEM, list(effects)))


def erase_scope(rows: Rows, ids: ScopeIds, kind: ScopeKind, erased: Erased) -> None:
    """Take everything out that a session, a user or a project owns; a user's sessions are the user's.

    Raises ScopeError when the session was opened without an id of that kind.
    """
    owner = ids.scope(kind)
    erased.gone.append(Gone(ids, owner))
    for table, number in rows.purge(owner).items():
        erased.count(table, number)
    if owner.kind == "session":
        erased.items[owner] = None
        erased.count("jobs", forget_jobs(rows, owner))


def _drop_jobs(rows: Rows, gone: list[str], erased: Erased) -> None:
    drop_effects(rows, gone)
    erased.count("jobs", rows.delete(JOBS, SYSTEM, gone))
