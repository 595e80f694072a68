"""The index in memory is what the rows say, after anything that can happen to them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric.scope import Scope
from fabric.search.index import Batch, TextIndex
from fabric.store.base import Rows, RowVectors, Table
from fabric.store.duckdb.rows.searching import Indexes
from fabric.store.duckdb.store import DuckDBStore
from fabric.text.terms import terms
from tests.soak import examples

NOTES = Table(
    "notes",
    {"session": "text", "at": "time", "done": "boolean"},
    "content",
    terms=lambda row: terms(row["content"]),
    kept=("session", "at", "done"),
    thread="session",
)
JAKE, RUTH = Scope("user", "jake"), Scope("user", "ruth")
SPACE = "model/3/00ff"
WORDS = st.sampled_from(
    ["running dogs", "the dog ran", "Löwen in Köln", "v2.3.1 failed", "寿司が好き", "🍕", "", "a a a"]
)
ROWS = st.fixed_dictionaries(
    {
        "id": st.sampled_from("abcdef"),
        "content": WORDS,
        "session": st.sampled_from(["s1", "s2", None]),
        "at": st.sampled_from(["2026-01-01T00:00:00Z", None]),
        "done": st.sampled_from([True, False, None]),
    }
)
CHANGES = st.one_of(
    st.tuples(st.just("put"), st.lists(ROWS, min_size=1, max_size=3), st.booleans()),
    st.tuples(st.just("delete"), st.sampled_from("abcdef")),
    st.tuples(st.just("vector"), st.sampled_from("abcdef"), st.sampled_from([SPACE, "other/3/ff00"])),
    st.tuples(st.sampled_from(["clear", "purge", "look", "reopen"])),
)


def picture(index: TextIndex | None) -> dict[str, Any]:
    """Return what an index says about every row, and about the whole, without positions and numbers."""
    if index is None or not len(index):
        return {}
    held: dict[str, dict[str, int]] = {row_id: {} for row_id in index.positions}
    for term, number in index.postings.terms.items():
        for position, count in zip(*index.postings.of(number), strict=True):
            if index.alive[position]:
                held[index.ids[position]][term] = int(count)
    names = [*index.ids, None]
    return {
        "frequencies": {
            term: int(index.postings.frequencies[number])
            for term, number in index.postings.terms.items()
            if index.postings.frequencies[number]
        },
        "tokens": {
            token: int(index.postings.token_counts[number])
            for token, number in index.postings.tokens.items()
            if index.postings.token_counts[number]
        },
        "length": index.total_length,
        "rows": {
            row_id: (
                held[row_id],
                int(index.lengths[position]),
                int(index.different[position]),
                names[index.before[position]],
                names[index.after[position]],
                [cells(column, position) for column in index.columns.values()],
                vector(index, position),
            )
            for row_id, position in index.positions.items()
        },
    }


def cells(column: Any, position: int) -> Any:
    value = column.values[position]
    if column.is_text:
        return next((name for name, number in column.names.items() if number == value), None)
    return None if np.isnan(value) else float(value)


def vector(index: TextIndex, position: int) -> list[float]:
    if index.vectors is None or not index.vectors.present[position]:
        return []
    return [round(float(one), 3) for one in index.vectors.exact(np.eye(3, dtype=np.float32)[0], np.array([position]))]


def unit(seed: int) -> Any:
    made = np.random.default_rng(seed).normal(size=3).astype(np.float32)
    return made / np.linalg.norm(made)


def apply(rows: Rows, change: tuple[Any, ...]) -> None:
    match change:
        case ("put", new, embedded):
            by_id = {row["id"]: unit(len(row["content"])) for row in new}
            rows.put(NOTES, JAKE, new, RowVectors(SPACE, by_id) if embedded else None)
        case ("delete", row_id):
            rows.delete(NOTES, JAKE, [row_id])
        case ("vector", row_id, space):
            rows.set_vectors(NOTES, JAKE, RowVectors(space, {row_id: unit(9)}))
        case ("clear",):
            rows.clear(NOTES, JAKE)
        case ("purge",):
            rows.purge(JAKE)
        case _:
            rows.index(NOTES, JAKE, SPACE)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DuckDBStore]:
    opened = DuckDBStore(tmp_path / "index.duckdb")
    opened.open()
    opened.define(NOTES)
    yield opened
    opened.close()


def pictures(store: DuckDBStore) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the picture of the index in memory, and of one that is built from the rows."""
    kept = store.transact_sync(lambda rows: picture(rows.index(NOTES, JAKE, SPACE)))
    store._indexes = Indexes()
    return kept, store.transact_sync(lambda rows: picture(rows.index(NOTES, JAKE, SPACE)))


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(CHANGES, st.booleans()), max_size=12))
def test_the_index_is_what_the_rows_say_whatever_was_done(store: DuckDBStore, steps: list[tuple[Any, bool]]):
    store.transact_sync(lambda rows: rows.purge(JAKE))
    for change, fails in steps:
        if change == ("reopen",):
            store.close()
            store.open()
            store.define(NOTES)
            continue

        def work(rows: Rows, change: Any = change, fails: bool = fails) -> None:
            apply(rows, change)
            if fails:
                raise LookupError

        if fails:
            with pytest.raises(LookupError):
                store.transact_sync(work)
        else:
            store.transact_sync(work)
    kept, fresh = pictures(store)
    assert kept == fresh


def test_tokens_are_read_back_from_the_file_and_not_made_again(tmp_path: Path):
    asked: list[str] = []

    def noted(row: Any) -> list[str]:
        asked.append(row["id"])
        return terms(row["content"])

    table = Table("notes", {}, "content", terms=noted)
    store = DuckDBStore(tmp_path / "tokens.duckdb")
    store.open()
    store.define(table)
    store.transact_sync(lambda rows: rows.put(table, JAKE, [{"id": "a", "content": "two dogs"}]))
    store.close()
    store.open()
    store.define(table)
    found = store.transact_sync(lambda rows: rows.match(table, JAKE, ["dog"], 5))
    store.close()
    assert [one.id for one in found] == ["a"]
    assert asked == ["a"]


def test_rows_of_a_file_that_knew_no_tokens_are_found(store: DuckDBStore):
    store.transact_sync(lambda rows: rows.put(NOTES, JAKE, [{"id": "a", "content": "two dogs"}]))

    def forget_tokens(rows: Any) -> None:
        rows._sql.run('UPDATE "notes" SET _terms = NULL')

    store.transact_sync(forget_tokens)
    store._indexes = Indexes()
    assert [one.id for one in store.transact_sync(lambda rows: rows.match(NOTES, JAKE, ["dog"], 5))] == ["a"]


def test_a_row_keeps_its_vector_until_its_text_changes(store: DuckDBStore):
    def put(content: str, **more: Any) -> None:
        row = {"id": "a", "content": content, **more}
        store.transact_sync(lambda rows: rows.put(NOTES, JAKE, [row]))

    put("two dogs")
    store.transact_sync(lambda rows: rows.set_vectors(NOTES, JAKE, RowVectors(SPACE, {"a": unit(1), "zz": unit(2)})))
    assert spaces(store) == {SPACE: 1}
    put("two dogs", done=True)
    assert spaces(store) == {SPACE: 1}
    put("three dogs")
    assert spaces(store) == {"": 1}
    assert [row["id"] for row in store.transact_sync(lambda rows: rows.outside_space(NOTES, JAKE, SPACE, 5))] == ["a"]
    assert store.transact_sync(lambda rows: rows.outside_space(NOTES, RUTH, SPACE, 5)) == []


def spaces(store: DuckDBStore) -> dict[str, int]:
    return store.transact_sync(lambda rows: rows.spaces(NOTES, JAKE))


def test_many_replacements_leave_an_index_of_few_positions(store: DuckDBStore):
    for number in range(400):
        row = {"id": "a", "content": f"word{number} pizza", "session": "s1"}
        store.transact_sync(lambda rows, row=row: rows.put(NOTES, JAKE, [row]))
    index = store.transact_sync(lambda rows: rows.index(NOTES, JAKE))
    assert index is not None
    assert len(index) == 1
    assert len(index.ids) < 200


def test_the_least_recently_used_indexes_are_dropped_over_the_bound():
    def rows(count: int) -> TextIndex:
        return TextIndex({}, "", [Batch([f"r{n}" for n in range(count)], range(count), ["pizza"] * count, [])])

    indexes = Indexes(max_rows=10)
    indexes.add("t", 1, rows(4))
    indexes.add("t", 2, rows(4))
    assert indexes.get("t", 1) is not None
    indexes.add("t", 3, rows(4))
    assert [indexes.get("t", scope) is not None for scope in (1, 2, 3)] == [True, False, True]
    indexes.add("t", 4, rows(50))
    assert [indexes.get("t", scope) is not None for scope in (1, 2, 3, 4)] == [False, False, False, True]
