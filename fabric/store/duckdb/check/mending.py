"""Making anew what rows are found by, from the rows themselves: only what disagrees with its row is written."""

from collections.abc import Callable, Sequence
from typing import Any

from ..catalog import PACKED, StoredCollection, indexed, indexes
from ..columns import SQL_TYPES, storable
from ..sql import Sql
from .index_check import MENDABLE, Checked, Rules, checked


def mend_rows(
    sql: Sql, collection: StoredCollection, rules: Rules, moved: Callable[[int], object] = lambda _: None
) -> int:
    """Write the key, columns and terms of rows where they are wrong, and drop unusable vectors; how many rows."""
    mended = 0
    for some in checked(sql, collection, rules):
        wrong = [row for row in some if row.due is not None and not MENDABLE.keys().isdisjoint(row.flaws)]
        if wrong:
            _write(sql, collection, wrong)
            mended += len(wrong)
        moved(len(some))
    return mended


def remake_indexes(sql: Sql, every: Sequence[StoredCollection]) -> None:
    """Make the database's own indexes of collections again."""
    for collection in every:
        for name in indexes(collection):
            sql.run(f'DROP INDEX IF EXISTS "{name}"')
        for statement in indexed(collection):
            sql.run(statement)


def _write(sql: Sql, collection: StoredCollection, wrong: Sequence[Checked]) -> None:
    rows = [(row, row.due) for row in wrong if row.due is not None]
    cells: dict[str, tuple[str, list[Any]]] = {
        "_key": ("HUGEINT", [due.key for _, due in rows]),
        "id": ("VARCHAR", [storable(due.id) for _, due in rows]),
        "_terms": ("VARCHAR", [row.stored.tokens if due.tokens is None else due.tokens for row, due in rows]),
        "_space": ("INTEGER", [None if "vector" in row.flaws else row.stored.space for row, _ in rows]),
        "_vector": ("BLOB", [None if "vector" in row.flaws else row.stored.vector for row, _ in rows]),
    }
    cells["_parts"] = ("BLOB", [None if "vector" in row.flaws else row.stored.parts for row, _ in rows])
    if collection.packs:
        together = [row.stored.packed if due.packed is None else due.packed for row, due in rows]
        cells[PACKED] = ("VARCHAR", together)
    for place, name in enumerate(collection.columns):
        column, kind = collection.column(name)
        cells[column] = (SQL_TYPES[kind], [due.cells[place] for _, due in rows])
    taken = ", ".join(f"unnest(?::{kind}[]) AS c{place}" for place, (kind, _) in enumerate(cells.values()))
    changed = ", ".join(f"{column} = new.c{place}" for place, column in enumerate(cells))
    sql.run(
        f"UPDATE {collection.sql} SET {changed} FROM (SELECT unnest(?::BIGINT[]) AS place, {taken}) AS new "
        f"WHERE {collection.sql}.rowid = new.place",
        [[row.stored.place for row, _ in rows], *(values for _, values in cells.values())],
    )
