"""Making anew what rows are found by, from the rows themselves: only what disagrees with its row is written."""

from collections.abc import Callable, Sequence
from typing import Any

from ..catalog import Known, create_indexes, indexes
from ..columns import SQL_TYPES, storable
from ..sql import Sql
from .index_check import MENDABLE, Checked, Rules, checked


def mend_rows(sql: Sql, known: Known, rules: Rules, moved: Callable[[int], object] = lambda _: None) -> int:
    """Write the key, columns and terms of rows where they are wrong, and drop unusable vectors; how many rows."""
    mended = 0
    for some in checked(sql, known, rules):
        wrong = [one for one in some if one.due is not None and not MENDABLE.keys().isdisjoint(one.flaws)]
        if wrong:
            _write(sql, known, wrong)
            mended += len(wrong)
        moved(len(some))
    return mended


def remake_indexes(sql: Sql, every: Sequence[Known]) -> None:
    """Make the database's own indexes of collections again."""
    for known in every:
        for name in indexes(known):
            sql.run(f'DROP INDEX IF EXISTS "{name}"')
        create_indexes(sql, known)


def _write(sql: Sql, known: Known, wrong: Sequence[Checked]) -> None:
    rows = [(one, one.due) for one in wrong if one.due is not None]
    cells: dict[str, tuple[str, list[Any]]] = {
        "_key": ("HUGEINT", [due.key for _, due in rows]),
        "id": ("VARCHAR", [storable(due.id) for _, due in rows]),
        "_terms": ("VARCHAR", [one.stored.tokens if due.tokens is None else due.tokens for one, due in rows]),
        "_space": ("INTEGER", [None if "vector" in one.flaws else one.stored.space for one, _ in rows]),
        "_vector": ("BLOB", [None if "vector" in one.flaws else one.stored.vector for one, _ in rows]),
    }
    cells["_parts"] = ("BLOB", [None if "vector" in one.flaws else one.stored.parts for one, _ in rows])
    for place, name in enumerate(known.columns):
        column, kind = known.column(name)
        cells[column] = (SQL_TYPES[kind], [due.cells[place] for _, due in rows])
    taken = ", ".join(f"unnest(?::{kind}[]) AS c{place}" for place, (kind, _) in enumerate(cells.values()))
    changed = ", ".join(f"{column} = new.c{place}" for place, column in enumerate(cells))
    sql.run(
        f"UPDATE {known.sql} SET {changed} FROM (SELECT unnest(?::BIGINT[]) AS place, {taken}) AS new "
        f"WHERE {known.sql}.rowid = new.place",
        [[one.stored.place for one, _ in rows], *(values for _, values in cells.values())],
    )
