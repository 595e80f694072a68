"""Columns that are kept in memory and packed in the file: found like others, also when the file was opened again."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fabric.errors import StoreError
from fabric.store.base import Rows, Store, Table, Where

from .conftest import Factory
from .samples import HOSTILE, JAKE, NOTES, ids, note, put, run
from .test_find import CONDITIONS, ORDERS, REFUSED, ROWS

PACKED = replace(NOTES, kept=tuple(NOTES.columns), packed=tuple(NOTES.columns))
HALF = replace(PACKED, name="half", packed=("label", "n"))


def found(rows: Rows, table: Table, *where: Where, **more: Any) -> str:
    held = ids(rows.find(table, JAKE, where, **more))
    assert more or rows.count(table, JAKE, where) == len(held)
    return "".join(held)


def answered(table: Table, rows: Rows) -> None:
    assert [found(rows, table, where) for where, _ in CONDITIONS] == [expected for _, expected in CONDITIONS]
    assert [found(rows, table, order=order) for order, _ in ORDERS] == [expected for _, expected in ORDERS]
    assert found(rows, table, Where("done", "=", True), Where("n", "<", 3)) == "c"
    assert found(rows, table, order="-n", limit=2, offset=1) == "cb"


def refused(table: Table, rows: Rows, *, where: Where | None = None, **more: Any) -> None:
    rows.find(table, JAKE, [where] if where else [], **more)


def test_all_that_can_be_asked_is_answered_the_same_way(store: Store) -> None:
    for table in (PACKED, HALF):
        store.define(table)
        put(store, *ROWS, table=table)
        run(store, partial(answered, table))
        for where in REFUSED:
            with pytest.raises(StoreError):
                run(store, partial(refused, table, where=where))
        with pytest.raises(StoreError, match="negative"):
            run(store, partial(refused, table, order="n", limit=-1))


def test_numbers_and_texts_that_an_index_rounds_are_told_apart(store: Store) -> None:
    store.define(PACKED)
    put(store, *(note(f"{n}", n=2**53 + n, label=text) for n, text in enumerate(HOSTILE)), table=PACKED)
    assert run(store, lambda tx: found(tx, PACKED, Where("n", "=", 2**53 + 1))) == "1"
    told = run(store, lambda tx: [found(tx, PACKED, Where("label", "=", text)) for text in HOSTILE])
    assert told == [str(number) for number in range(len(HOSTILE))]


def test_a_file_that_is_opened_again_knows_them_whatever_was_declared_meanwhile(
    factory: Factory, tmp_path: Path
) -> None:
    store = factory(tmp_path)
    store.open()
    if store.location == ":memory:":
        store.close()
        pytest.skip("nothing outlives memory")
    narrow, plain = replace(PACKED, packed=("n", "at"), kept=("n", "at")), Table("notes", {}, "content")
    for declared, name in ((narrow, "a"), (plain, "b"), (PACKED, "c"), (NOTES, "d")):
        store.define(declared)
        put(store, note(name, n=ord(name), label=name, at="2026-01-02"), table=declared)
        store.close()
        store.open()
    typed = replace(NOTES, name="half", kept=tuple(NOTES.columns))  # as an earlier version made it
    for declared, name in ((typed, "a"), (HALF, "b")):
        store.define(declared)
        put(store, note(name, n=3, label=name), table=declared)
        store.close()
        store.open()
    store.define(HALF)
    assert run(store, lambda tx: found(tx, HALF, Where("n", "=", 3), Where("label", "!=", None))) == "ab"
    store.define(PACKED)
    asked: Sequence[Where] = [Where("n", ">", 97), Where("label", "!=", "c"), Where("at", ">", "2026-01-01")]
    assert run(store, lambda tx: found(tx, PACKED, *asked)) == "bd"
    with store.snapshot() as rows:
        assert found(rows, PACKED, *asked) == "bd"
    store.close()
