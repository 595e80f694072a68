"""Rows by a text that their JSON holds, wherever in it that stands."""

from collections.abc import Sequence
from typing import Any

from fabric.slices import chunks
from fabric.text.json_text import spelled

from ..sql import Sql, among

AT_ONCE = 50
"""How many texts one statement looks for."""


def containing(
    sql: Sql, table: str, column: str, owners: Sequence[int], texts: Sequence[str], more: str = ""
) -> list[tuple[Any, ...]]:
    """Return scope, JSON and the column ``more`` of the rows of these scopes that hold one of the texts, each once."""
    within, values = among(owners)
    order = more or "_seq"
    found: dict[tuple[Any, ...], None] = {}
    for some in chunks(dict.fromkeys(piece for text in texts for piece in spelled(text)), AT_ONCE):
        holds = " OR ".join([f"contains({column}, ?)"] * len(some))
        query = f"SELECT _scope, {column}, {order} FROM {table} WHERE _scope IN {within} AND ({holds}) ORDER BY {order}"
        found |= dict.fromkeys(sql.rows(query, [*values, *some]))
    return list(found) if more else [(owner, text) for owner, text, _ in found]
