"""Finds in which turn a message was said, a named run ended, or a job was left."""

from itertools import product
from typing import Any

from fabric.jobs.job import JOBS, TURNS
from fabric.jobs.reach import Reach
from fabric.record.log import ITEMS
from fabric.store.base import SYSTEM


def done_in(reach: Reach, identity: str) -> list[dict[str, Any]]:
    """Return the session and number of each turn in which something with an id was said or done."""
    sessions = [(scope, name) for scope, name in reach.scopes.items() if name]
    found = [
        (name, row)
        for (scope, name), table in product(sessions, (ITEMS, TURNS))
        for row in reach.rows.get(table, scope, [identity])
    ]
    jobs = [row for row in reach.rows.get(JOBS, SYSTEM, [identity]) if reach.has_work(row)]
    found += [(row["ids"]["session"], row) for row in jobs]
    return [{"turn": row["turn"], "session": name, "user": None} for name, row in found]
