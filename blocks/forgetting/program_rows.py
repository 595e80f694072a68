"""Rows of programs: what they keep in collections and documents of their own, and forget by the ids they gave."""

from fabric.jobs.reach import KeptRow, Reach
from fabric.record.erased import Erased
from fabric.store.base import Table

from ..owned_records import DOCUMENTS, is_state, is_working, kind_of

_ENGINES = "fabric_"


def own_rows(reach: Reach, asked: str) -> list[KeptRow]:
    """Return the rows and documents of programs with an id, which is ``ID`` or ``COLLECTION/ID``.

    A document is ``document/KEY``. Where rows of several collections have the id, the collection has to be named:
    [] otherwise.
    """
    tables = [table for table in reach.rows.tables() if kind_of(table) == table and not table.startswith(_ENGINES)]
    prefixes = {table: "document/" if table == DOCUMENTS else f"{table}/" for table in tables}
    named = {table: asked.removeprefix(prefix) for table, prefix in prefixes.items() if asked.startswith(prefix)}
    found = [
        row for table, name in (named or dict.fromkeys(tables, asked)).items() for row in _rows(reach, table, name)
    ]
    return found if len({row.table for row in found}) == 1 else []


def erase_own(reach: Reach, rows: list[KeptRow], erased: Erased) -> None:
    """Delete such rows and documents."""
    for kept in rows:
        if kept.table == DOCUMENTS:
            reach.rows.write(kept.row["id"], kept.owner, None)
            erased.count(DOCUMENTS, 1)
        else:
            erased.count(kept.table, reach.rows.delete(Table(kept.table, {}), kept.owner, [kept.row["id"]]))


def _rows(reach: Reach, table: str, identity: str) -> list[KeptRow]:
    if table != DOCUMENTS:
        found = ((owner, row) for owner in reach.scopes for row in reach.rows.get(Table(table, {}), owner, [identity]))
        return [KeptRow(table, row, owner) for owner, row in found]
    if identity.startswith(_ENGINES):
        return []
    values = ((owner, reach.rows.read(identity, owner)) for owner in reach.scopes)
    documents = [
        KeptRow(table, {"id": identity, "value": value}, owner) for owner, value in values if value is not None
    ]
    return [kept for kept in documents if not is_working(kept) and not is_state(kept)]
