"""Rows written twice by one process: the second writing knows from memory the place, tokens and vector of the first."""

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest

from fabric.scope import Scope
from fabric.store.base import Row, Rows, RowVectors, Table
from fabric.store.duckdb.store import DuckDBStore

NOTES = Table("notes", {"place": "text"}, text="text", kept=("place",))
ANN = Scope("user", "ann")


def note(row_id: str, text: str, place: str = "") -> Row:
    return {"id": row_id, "text": text, "place": place}


def vector(*cells: float) -> RowVectors:
    return RowVectors("space", {"1": np.array(cells, np.float32)})


def opened(path: Path) -> DuckDBStore:
    store = DuckDBStore(path)
    store.open()
    store.define(NOTES)
    return store


def put(store: DuckDBStore, rows: Sequence[Row], vectors: RowVectors | None = None) -> None:
    store.transact_sync(lambda tx: tx.put(NOTES, ANN, rows, vectors))


def held(path: Path) -> list[tuple[str, str, list[float]]]:
    """Return what the closed file holds: id, place and vector of each row, in order."""
    with duckdb.connect(str(path)) as file:
        found = file.execute("SELECT id, place, _vector FROM notes ORDER BY _seq").fetchall()
    return [(row_id, place, np.frombuffer(cells or b"", np.float16).tolist()) for row_id, place, cells in found]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.duckdb"


def test_a_row_that_is_written_again_keeps_its_place_and_its_vector(path: Path) -> None:
    store = opened(path)
    put(store, [note("1", "tea"), note("2", "ice")], vector(1, 0))
    put(store, [note("1", "tea", "Rome")])
    store.close()
    assert held(path) == [("1", "Rome", [1, 0]), ("2", "", [])]


def test_a_vector_that_was_given_in_between_stays(path: Path) -> None:
    store = opened(path)
    put(store, [note("1", "tea")], vector(1, 0))
    store.transact_sync(lambda tx: tx.set_vectors(NOTES, ANN, vector(0, 1)))
    put(store, [note("1", "tea", "Rome")])
    store.close()
    assert held(path) == [("1", "Rome", [0, 1])]


def test_another_text_drops_the_vector(path: Path) -> None:
    store = opened(path)
    put(store, [note("1", "tea")], vector(1, 0))
    put(store, [note("1", "coffee")])
    store.close()
    assert held(path) == [("1", "", [])]


def test_what_is_rolled_back_is_not_remembered(path: Path) -> None:
    store = opened(path)
    put(store, [note("1", "tea")], vector(1, 0))

    def fail(tx: Rows) -> None:
        tx.put(NOTES, ANN, [note("1", "tea"), note("2", "ice")], vector(0, 1))
        tx.delete(NOTES, ANN, ["1"])
        raise KeyError

    with pytest.raises(KeyError):
        store.transact_sync(fail)
    put(store, [note("1", "tea", "Rome")])
    store.close()
    assert held(path) == [("1", "Rome", [1, 0])]


def test_a_row_is_deleted_and_found_by_nothing(path: Path) -> None:
    store = opened(path)
    put(store, [note("1", "tea"), note("2", "ice tea")])
    assert store.transact_sync(lambda tx: len(tx.match(NOTES, ANN, ["tea"], 5))) == 2
    assert store.transact_sync(lambda tx: tx.delete(NOTES, ANN, ["1", "3"])) == 1
    assert store.transact_sync(lambda tx: [match.id for match in tx.match(NOTES, ANN, ["tea"], 5)]) == ["2"]
    store.close()
    assert held(path) == [("2", "", [])]


def test_rows_of_a_collection_that_is_searched_only_later(path: Path) -> None:
    plain = Table("notes", {"place": "text"})
    store = DuckDBStore(path)
    store.open()
    store.define(plain)
    store.transact_sync(lambda tx: tx.put(plain, ANN, [note("1", "tea")]))
    store.define(NOTES)
    assert store.transact_sync(lambda tx: [match.id for match in tx.match(NOTES, ANN, ["tea"], 5)]) == ["1"]
    put(store, [note("1", "coffee")])
    assert store.transact_sync(lambda tx: tx.match(NOTES, ANN, ["tea"], 5)) == []
    store.close()
