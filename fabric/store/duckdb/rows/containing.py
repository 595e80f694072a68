"""Rows by a text that their JSON holds, wherever in it that stands."""

import json
from collections.abc import Sequence
from typing import Any

from fabric.slices import chunks

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


def spelled(text: str) -> list[str]:
    """Return how a text stands in ASCII JSON, by itself and inside a string of JSON that is in it.

    >>> spelled("plain"), len(spelled('a "b"'))
    (['plain'], 2)
    """
    once = json.dumps(text)[1:-1]
    unescaped = json.dumps(text, ensure_ascii=False)[1:-1]
    return list(dict.fromkeys([once, json.dumps(once)[1:-1], json.dumps(unescaped)[1:-1]]))
