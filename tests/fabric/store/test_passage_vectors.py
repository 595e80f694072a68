"""Vectors of passages: a row is as near as its nearest passage, and they live and die with their row."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from fabric.scope import Scope
from fabric.search.vectors import EXACT_ROWS, HEAD, Vectors
from fabric.store.base import Row, RowVectors, Table
from fabric.store.duckdb.store import DuckDBStore
from fabric.text.passages import LONG

NOTES = Table("notes", {}, "content")
JAKE = Scope("user", "jake")
SPACE = "stub/4/00ff"
EYE = np.eye(4, dtype=np.float32)
LENGTHY = "word " * LONG


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.duckdb"


@pytest.fixture
def store(path: Path) -> Iterator[DuckDBStore]:
    made = opened(path)
    yield made
    made.close()


def opened(path: Path) -> DuckDBStore:
    store = DuckDBStore(path)
    store.open()
    store.define(NOTES)
    return store


def put(store: DuckDBStore, rows: list[Row], vectors: dict[str, Any]) -> None:
    store.transact_sync(lambda tx: tx.put(NOTES, JAKE, rows, RowVectors(SPACE, vectors)))


def near(store: DuckDBStore, asked: Any, space: str = SPACE) -> dict[str, float]:
    """Return how near each row comes, by its quick cosine and by its exact one, which are the same for few."""

    def work(tx: Any) -> dict[str, float]:
        index = tx.index(NOTES, JAKE, space)
        if index is None or index.vectors is None:
            return {}
        positions = np.array(list(index.positions.values()))
        quick, exact = index.vectors.quick(asked)[positions], index.vectors.exact(asked, positions)
        assert np.array_equal(quick, exact)
        return {row_id: round(float(cosine), 3) for row_id, cosine in zip(index.positions, exact, strict=True)}

    return store.transact_sync(work)


def blobs(path: Path) -> list[tuple[str, int]]:
    with duckdb.connect(str(path)) as connection:
        return connection.execute("SELECT id, octet_length(_parts) FROM notes ORDER BY id").fetchall()


def one(row_id: str, content: str = LENGTHY) -> Row:
    return {"id": row_id, "content": content}


def test_a_row_is_as_near_as_its_nearest_passage_also_after_opening_again(store: DuckDBStore, path: Path) -> None:
    put(store, [one("long"), one("short", "tea")], {"long": EYE[:3], "short": EYE[3]})
    for _ in range(2):
        assert near(store, EYE[0]) == {"long": 1, "short": 0}
        assert near(store, EYE[2]) == {"long": 1, "short": 0}
        assert near(store, EYE[3]) == {"long": 0, "short": 1}
        store.close()
        store.open()
        store.define(NOTES)
    store.close()
    assert blobs(path) == [("long", 2 * 4 * 2), ("short", 0)]


def test_what_is_added_to_an_index_in_memory_and_given_later_is_found_too(store: DuckDBStore) -> None:
    put(store, [one("a", "tea")], {"a": EYE[3]})
    assert near(store, EYE[1]) == {"a": 0}
    put(store, [one("b"), one("c")], {"b": EYE[:2]})
    assert near(store, EYE[1]) == {"a": 0, "b": 1, "c": 0}
    given = RowVectors(SPACE, {"c": EYE[:2], "b": EYE[3]})
    store.transact_sync(lambda tx: tx.set_vectors(NOTES, JAKE, given))
    assert near(store, EYE[1]) == {"a": 0, "b": 0, "c": 1}


def test_a_changed_text_loses_its_passages_and_an_unchanged_one_keeps_them(store: DuckDBStore) -> None:
    put(store, [one("a")], {"a": EYE[:3]})
    near(store, EYE[0])
    store.transact_sync(lambda tx: tx.put(NOTES, JAKE, [{**one("a"), "seen": True}]))
    assert near(store, EYE[2]) == {"a": 1}
    store.transact_sync(lambda tx: tx.put(NOTES, JAKE, [one("a", "other")]))
    assert near(store, EYE[2]) == {"a": 0}


def test_a_deleted_row_leaves_no_passages_in_the_file_and_none_in_memory(store: DuckDBStore, path: Path) -> None:
    put(store, [one("a"), one("b")], {"a": EYE[:3], "b": EYE[[0, 3]]})
    near(store, EYE[0])
    store.transact_sync(lambda tx: tx.delete(NOTES, JAKE, ["a"]))

    def held(tx: Any) -> Any:
        return tx.index(NOTES, JAKE, SPACE).vectors.passages.full.view.copy()

    assert not np.any(store.transact_sync(held)[:, 1:3])
    assert near(store, EYE[3]) == {"b": 1}
    store.close()
    assert blobs(path) == [("b", 4 * 2)]


def test_passages_of_another_space_do_not_count(store: DuckDBStore) -> None:
    put(store, [one("a")], {"a": EYE[:3]})
    assert near(store, EYE[2]) == {"a": 1}
    assert near(store, EYE[2], "stub/4/7f00") == {}


def test_a_rolled_back_change_of_passages_is_none(store: DuckDBStore) -> None:
    put(store, [one("a")], {"a": EYE[:3]})
    near(store, EYE[0])

    def work(tx: Any) -> None:
        tx.set_vectors(NOTES, JAKE, RowVectors(SPACE, {"a": EYE[3]}))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.transact_sync(work)
    assert near(store, EYE[2]) == {"a": 1}


def test_long_rows_of_the_format_before_are_found_as_before_and_wait_to_be_embedded_again(path: Path) -> None:
    store = opened(path)
    put(store, [one("long"), one("short", "tea")], {"long": EYE[0], "short": EYE[1]})
    store.close()
    with duckdb.connect(str(path)) as connection:  # what the file was before
        connection.execute('DROP INDEX "_notes_key"; DROP INDEX "_notes_scope"; ALTER TABLE notes DROP COLUMN _parts')
        connection.execute('CREATE INDEX "_notes_key" ON notes (_key); CREATE INDEX "_notes_scope" ON notes (_scope)')
        connection.execute("UPDATE _meta SET value = '3' WHERE name = 'format'")
        connection.execute("DELETE FROM _migrations WHERE number = 4")
    store = opened(path)
    try:
        assert near(store, EYE[0]) == {"long": 1, "short": 0}
        assert store.transact_sync(lambda tx: tx.without_passages(NOTES, JAKE, SPACE)) == 1
        waiting = store.transact_sync(lambda tx: tx.outside_space(NOTES, JAKE, SPACE, 9))
        assert [row["id"] for row in waiting] == ["long"]
        store.transact_sync(lambda tx: tx.set_vectors(NOTES, JAKE, RowVectors(SPACE, {"long": EYE[:3]})))
        assert near(store, EYE[2]) == {"long": 1, "short": 0}
        assert store.transact_sync(lambda tx: tx.without_passages(NOTES, JAKE, SPACE)) == 0
        assert store.transact_sync(lambda tx: tx.outside_space(NOTES, JAKE, SPACE, 9)) == []
    finally:
        store.close()


def test_a_row_that_only_looks_long_waits_for_nothing(store: DuckDBStore) -> None:
    put(store, [{**one("a", "tea"), "note": LENGTHY}], {"a": EYE[0]})
    assert store.transact_sync(lambda tx: tx.outside_space(NOTES, JAKE, SPACE, 9)) == []


def units(count: int, dimension: int, seed: int) -> Any:
    made = np.random.default_rng(seed).normal(size=(count, dimension))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16)


def test_many_passages_are_compared_by_their_first_numbers_and_then_exactly() -> None:
    vectors = Vectors(1, 2 * HEAD, 3)
    vectors.put([0, 1, 2], units(3, 2 * HEAD, 0))
    vectors.put_passages(1, units(EXACT_ROWS, 2 * HEAD, 1))
    assert not vectors.is_exact
    parts = units(EXACT_ROWS, 2 * HEAD, 1).astype(np.float32)
    assert float(vectors.exact(parts[77], np.array([2, 1]))[1]) == pytest.approx(1, abs=1e-3)
    assert float(vectors.quick(parts[77])[1]) == pytest.approx(1, abs=1e-3)
    assert int(vectors.passage_cosines(1, parts[77]).argmax()) == 77


def test_parts_that_are_replaced_over_and_over_take_no_more_room() -> None:
    vectors = Vectors(1, 8, 4)
    vectors.put(range(4), units(4, 8, 0))
    for round_ in range(50):
        for position in range(4):
            vectors.put_passages(position, units(3, 8, 4 * round_ + position))
    assert vectors.passages is not None
    assert len(vectors.passages) <= 2 * 4 * 3 + 3
    for position in range(4):
        expected = units(3, 8, 4 * 49 + position).astype(np.float32)
        assert vectors.passage_cosines(position, expected[1]).argmax() == 1
        assert float(vectors.exact(expected[2], np.array([position]))[0]) == pytest.approx(1, abs=1e-2)
    vectors.drop(2)
    assert len(vectors.passage_cosines(2, np.ones(8, np.float32))) == 0
    assert not vectors.present[2]
