"""Definitions: a table may be defined again and widened, never bent."""

from pathlib import Path

import pytest

from fabric.errors import ResourceConflictError, StoreError
from fabric.store.base import Store, Table, Where

from .conftest import Factory
from .samples import JAKE, NOTES, RUTH, ids, note, put, run


def test_the_same_definition_twice_is_harmless(store: Store):
    store.define(NOTES)
    put(store, note("a"))
    store.define(NOTES)
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE))) == ["a"]


def test_a_new_column_knows_the_rows_that_were_there(store: Store):
    narrow = Table("notes", {}, "content")
    store.define(narrow)
    rows = [note(f"r{n}", n=n, content=f"word{n}", at="2026-01-01T00:00:00Z") for n in range(1200)]
    put(store, *rows, table=narrow)
    put(store, note("r3", n="not a number at all"), table=narrow, scope=RUTH)
    run(store, lambda tx: tx.delete(narrow, RUTH, ["r3"]))
    put(store, note("r3", n=-1), table=narrow, scope=RUTH)
    wide = Table("notes", {"n": "integer", "at": "time"}, "content")
    store.define(wide)
    assert run(store, lambda tx: tx.find(wide, JAKE)) == rows
    assert ids(run(store, lambda tx: tx.find(wide, JAKE, [Where("n", ">", 1197)], "-n"))) == ["r1199", "r1198"]
    assert run(store, lambda tx: tx.count(wide, RUTH, [Where("n", "=", -1)])) == 1
    assert [found.id for found in run(store, lambda tx: tx.match(wide, JAKE, ["word7"], 2))] == ["r7"]
    put(store, note("last", n=5000), table=wide)
    assert ids(run(store, lambda tx: tx.find(wide, JAKE)))[-1] == "last"


def test_a_narrow_definition_after_a_wide_one_still_fills_every_column(store: Store):
    store.define(NOTES)
    narrow = Table("notes", {"label": "text"}, "content")
    store.define(narrow)
    put(store, note("a", n=7), table=narrow)
    assert run(store, lambda tx: tx.count(NOTES, JAKE, [Where("n", "=", 7)])) == 1


def test_widening_that_does_not_fit_the_rows_changes_nothing(store: Store):
    narrow = Table("notes", {}, "content")
    store.define(narrow)
    put(store, note("a", n="many"), table=narrow)
    with pytest.raises(StoreError, match=r"notes\.n"):
        store.define(Table("notes", {"n": "integer"}, "content"))
    assert run(store, lambda tx: tx.find(narrow, JAKE)) == [note("a", n="many")]
    put(store, note("b"), table=narrow)
    assert run(store, lambda tx: tx.count(narrow, JAKE)) == 2


@pytest.mark.parametrize(
    "other", [Table("notes", {"n": "text"}, "content"), Table("notes", {}, "label")], ids=["column", "text"]
)
def test_another_type_or_text_is_a_conflict(store: Store, other: Table):
    store.define(NOTES)
    with pytest.raises(ResourceConflictError, match="notes"):
        store.define(other)


@pytest.mark.parametrize(
    "table",
    [
        Table("", {}),
        Table('a"b', {}),
        Table("x; DROP TABLE notes", {}),
        Table("_meta", {}),
        Table("fine", {'n" INTEGER, "m': "integer"}),
        Table("fine", {"_seq": "integer"}),
        Table("fine", {"n": "VARCHAR"}),  # type: ignore[dict-item]
        Table("x" * 64, {}),
    ],
    ids=lambda table: table.name[:12],
)
def test_names_that_cannot_be_stored_are_refused(store: Store, table: Table):
    with pytest.raises(StoreError):
        store.define(table)
    store.define(Table("fine", {"n": "integer"}))


def test_words_of_the_database_are_good_names(store: Store):
    table = Table("order", {"select": "text", "at": "time", "row": "integer", "key": "text", "value": "text"}, "group")
    store.define(table)
    put(store, note("a", select="x", row=1, group="pizza"), table=table)
    assert ids(run(store, lambda tx: tx.find(table, JAKE, [Where("select", "=", "x")], "-row"))) == ["a"]


def test_everything_is_there_after_reopening(factory: Factory, tmp_path: Path):
    (tmp_path / "own").mkdir()
    store = factory(tmp_path / "own")
    store.open()
    if store.location == ":memory:":
        store.close()
        pytest.skip("nothing outlives memory")
    store.define(NOTES)
    put(store, note("a", n=1, content="pizza \ud83d"), note("b", n=2))
    run(store, lambda tx: tx.write("d", JAKE, {"n": 1}))
    store.close()
    again = factory(tmp_path / "own")
    again.open()
    try:
        put(again, note("c", n=3), note("a", n=9, content="pizza"))
        assert ids(run(again, lambda tx: tx.find(NOTES, JAKE, order="-n"))) == ["a", "c", "b"]
        assert ids(run(again, lambda tx: tx.find(NOTES, JAKE))) == ["a", "b", "c"]
        assert [found.id for found in run(again, lambda tx: tx.match(NOTES, JAKE, ["pizza"], 5))] == ["a"]
        assert run(again, lambda tx: tx.read("d", JAKE)) == {"n": 1}
        assert run(again, lambda tx: tx.purge(JAKE)) == {"notes": 3, "documents": 1}
    finally:
        again.close()
