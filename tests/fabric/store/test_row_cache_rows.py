"""Rows that a search keeps in memory: what is read afterwards is what the file holds, for every scope its own."""

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

import pytest

from fabric.scope import Scope
from fabric.store.base import Rows, Table
from fabric.store.duckdb.store import DuckDBStore

NOTES = Table("notes", {"place": "text"}, text="text", kept=("place",))
ANN, BEN = Scope("user", "ann"), Scope("user", "ben")


@pytest.fixture
def store() -> Generator[DuckDBStore]:
    made = DuckDBStore(":memory:")
    made.open()
    made.define(NOTES)
    for owner in (ANN, BEN):
        made.transact_sync(partial(write, owner=owner))
    yield made
    made.close()


def note(row_id: str, text: str, place: str = "") -> dict[str, object]:
    return {"id": row_id, "text": text, "place": place}


def write(rows: Rows, owner: Scope) -> None:
    rows.put(NOTES, owner, [note("1", f"tea of {owner.key}"), note("2", "ice")])


def search(rows: Rows, owner: Scope) -> None:
    rows.match(NOTES, owner, ["tea"], 5)


def searched(store: DuckDBStore) -> None:
    for owner in (ANN, BEN):
        store.transact_sync(partial(search, owner=owner))


def texts(store: DuckDBStore, owner: Scope) -> list[tuple[str, str]]:
    found = store.transact_sync(lambda rows: rows.get(NOTES, owner, ["1", "2", "3"]))
    return [(row["text"], row["place"]) for row in found]


def change_text(rows: Rows) -> None:
    rows.put(NOTES, ANN, [note("1", "tea no more")])


def change_place(rows: Rows) -> None:
    rows.put(NOTES, ANN, [note("2", "ice", "Rome")])


def delete(rows: Rows) -> None:
    rows.delete(NOTES, ANN, ["1"])


def clear(rows: Rows) -> None:
    rows.clear(NOTES, ANN)


def purge(rows: Rows) -> None:
    rows.purge(ANN)


def purge_and_write(rows: Rows) -> None:
    rows.purge(ANN)
    rows.put(NOTES, ANN, [note("3", "anew")])


CHANGES: list[tuple[Callable[[Rows], None], list[tuple[str, str]]]] = [
    (change_text, [("tea no more", ""), ("ice", "")]),
    (change_place, [("tea of ann", ""), ("ice", "Rome")]),
    (delete, [("ice", "")]),
    (clear, []),
    (purge, []),
    (purge_and_write, [("anew", "")]),
]
OLD = [("tea of ann", ""), ("ice", "")]


@pytest.mark.parametrize(("change", "expected"), CHANGES)
def test_a_change_after_a_search_is_read(
    store: DuckDBStore, change: Callable[[Rows], None], expected: list[tuple[str, str]]
) -> None:
    searched(store)
    assert texts(store, ANN) == OLD
    store.transact_sync(change)
    assert texts(store, ANN) == expected
    searched(store)
    assert texts(store, ANN) == expected
    assert texts(store, BEN) == [("tea of ben", ""), ("ice", "")]


@pytest.mark.parametrize(("change", "expected"), CHANGES)
def test_rows_of_a_file_that_were_read_twice_are_kept_until_they_change(
    tmp_path: Path, change: Callable[[Rows], None], expected: list[tuple[str, str]]
) -> None:
    for begun in (True, False):
        store = DuckDBStore(tmp_path / "notes.duckdb")
        store.open()
        store.define(NOTES)
        if begun:
            store.transact_sync(partial(write, owner=ANN))
        else:
            searched(store)
            first = store.transact_sync(lambda rows: rows.get(NOTES, ANN, ["1"]))
            assert [row["text"] for row in first] == ["tea of ann"]
            assert texts(store, ANN) == texts(store, ANN) == OLD
            with pytest.raises(KeyError):
                store.transact_sync(partial(_fail, change))
            assert texts(store, ANN) == OLD
            store.transact_sync(change)
            assert texts(store, ANN) == expected
        store.close()


def _fail(change: Callable[[Rows], None], rows: Rows) -> None:
    change(rows)
    raise KeyError("on purpose")


@pytest.mark.parametrize("change", [change for change, _ in CHANGES])
@pytest.mark.parametrize("before", [True, False])
def test_a_search_inside_a_transaction_that_fails_leaves_nothing(
    store: DuckDBStore, change: Callable[[Rows], None], before: bool
) -> None:
    if before:
        searched(store)

    def fail(rows: Rows) -> None:
        change(rows)
        rows.match(NOTES, ANN, ["tea"], 5)
        raise KeyError("on purpose")

    with pytest.raises(KeyError):
        store.transact_sync(fail)
    assert texts(store, ANN) == OLD
    searched(store)
    assert texts(store, ANN) == OLD
    assert [one.id for one in store.transact_sync(lambda rows: rows.match(NOTES, ANN, ["tea"], 5))] == ["1"]


@pytest.mark.parametrize(("change", "expected"), CHANGES)
def test_a_search_sees_the_changes_of_its_own_transaction(
    store: DuckDBStore, change: Callable[[Rows], None], expected: list[tuple[str, str]]
) -> None:
    def work(rows: Rows) -> list[tuple[str, str]]:
        change(rows)
        rows.match(NOTES, ANN, ["tea"], 5)
        return [(row["text"], row["place"]) for row in rows.get(NOTES, ANN, ["1", "2", "3"])]

    assert store.transact_sync(work) == expected
    assert texts(store, ANN) == expected
