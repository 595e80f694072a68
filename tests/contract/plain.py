"""The contract in its plainest form: the verbs over dictionaries, for comparing a back end with."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from fabric.clock import utc
from fabric.scope import Scope
from fabric.search.base import Match
from fabric.store.base import Row, Table, Where
from fabric.text.words import words as words_of


class PlainRows:
    """`Rows` in memory, without types, errors or rollback."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, Scope], dict[str, Row]] = {}
        self.documents: dict[tuple[str, Scope], Any] = {}

    def own(self, table: Table, scope: Scope) -> dict[str, Row]:
        return self.rows.setdefault((table.name, scope), {})

    def get(self, table: Table, scope: Scope, ids: Sequence[str]) -> list[Row]:
        own = self.own(table, scope)
        return [own[wanted] for wanted in ids if wanted in own]

    def find(
        self,
        table: Table,
        scope: Scope,
        where: Sequence[Where] = (),
        order: str = "",
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Row]:
        rows = [row for row in self.own(table, scope).values() if all(_meets(table, row, one) for one in where)]
        if order:
            column = order.removeprefix("-")
            with_value = [row for row in rows if row.get(column) is not None]
            without = [row for row in rows if row.get(column) is None]
            # A reversed sort keeps ties in order too.
            with_value.sort(key=lambda row: _value(table, row, column), reverse=order.startswith("-"))
            rows = with_value + without
        return rows[offset:] if limit is None else rows[offset : offset + limit]

    def count(self, table: Table, scope: Scope, where: Sequence[Where] = ()) -> int:
        return len(self.find(table, scope, where))

    def put(self, table: Table, scope: Scope, rows: Iterable[Row]) -> None:
        self.own(table, scope).update({row["id"]: row for row in rows})

    def delete(self, table: Table, scope: Scope, ids: Sequence[str]) -> int:
        own = self.own(table, scope)
        return len([own.pop(wanted) for wanted in set(ids) if wanted in own])

    def clear(self, table: Table, scope: Scope) -> int:
        return len(self.rows.pop((table.name, scope), {}))

    def purge(self, scope: Scope) -> dict[str, int]:
        gone = {name: len(self.rows.pop((name, owner))) for name, owner in list(self.rows) if owner == scope}
        keys = [key for key in self.documents if key[1] == scope]
        gone["documents"] = len([self.documents.pop(key) for key in keys])
        return {name: number for name, number in gone.items() if number}

    def tables(self) -> list[str]:
        return [*dict.fromkeys(name for name, _ in self.rows), "documents"]

    def scan(self, scope: Scope, table: str) -> Iterator[Row]:
        if table == "documents":
            keyed = sorted((key, value) for (key, owner), value in self.documents.items() if owner == scope)
            return iter([{"id": key, "value": value} for key, value in keyed])
        return iter(list(self.rows.get((table, scope), {}).values()))

    def containing(self, scopes: Sequence[Scope], table: str, texts: Sequence[str]) -> Iterator[tuple[Scope, Row]]:
        for scope in scopes:
            yield from ((scope, row) for row in self.scan(scope, table) if any(_holds(row, text) for text in texts))

    def match(self, table: Table, scope: Scope, words: Sequence[str], limit: int) -> list[Match]:
        found: list[Match] = []
        for row in self.own(table, scope).values():
            held = set(words_of(str(row.get(table.text) or "")))
            found.append(Match(row["id"], len(held & set(words)), len(held)))
        return sorted((one for one in found if one.shared), key=lambda one: -one.shared)[:limit]

    def read(self, key: str, scope: Scope) -> Any:
        return self.documents.get((key, scope))

    def write(self, key: str, scope: Scope, value: Any) -> None:
        if value is None:
            self.documents.pop((key, scope), None)
        else:
            self.documents[key, scope] = value


def _value(table: Table, row: Row, column: str) -> Any:
    return _comparable(table, column, row.get(column))


def _comparable(table: Table, column: str, value: Any) -> Any:
    if table.columns.get(column) == "time" and value is not None:
        return utc(datetime.fromisoformat(value))
    return value


def _meets(table: Table, row: Row, where: Where) -> bool:
    held = _value(table, row, where.field)
    match where.op:
        case "null":
            return (held is None) == where.value
        case "in":
            return held in [_comparable(table, where.field, value) for value in where.value]
    asked = _comparable(table, where.field, where.value)
    if where.op in ("=", "!="):
        return (held == asked) == (where.op == "=")
    if held is None:
        return False
    return {"<": held < asked, "<=": held <= asked, ">": held > asked, ">=": held >= asked}[where.op]


def _holds(value: Any, text: str) -> bool:
    if isinstance(value, str):
        return text in value
    inside: Iterable[Any] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_holds(one, text) for one in inside)
