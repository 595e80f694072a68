"""Tokens kept as numbers beside the rows: they give the index that the rows give, and go with the rows' words."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric.scope import Scope
from fabric.search.coding import Coded, coded, decoded
from fabric.store.base import Row, Rows, Table
from fabric.store.duckdb.rows.searching import BATCH, Indexes
from fabric.store.duckdb.rows.token_runs import LEAST, MOST, WORTH, Run, fitting, parts
from fabric.store.duckdb.store import DuckDBStore
from fabric.text.terms import terms
from tests.soak import examples

from .test_formats import FORMAT_1
from .test_index import picture
from .test_index_check import change

NOTES = Table("notes", {"session": "text", "n": "integer"}, "content", lambda row: terms(row["content"]), ("n",))
JAKE, RUTH = Scope("user", "jake"), Scope("user", "ruth")
BLOCK = 600


def some(block: int, count: int = BLOCK, said: str = "running dogs") -> list[Row]:
    return [{"id": f"{block}-{n}", "content": f"{said} word{n % 50} of {block}", "n": n} for n in range(count)]


def opened(path: Path) -> DuckDBStore:
    store = DuckDBStore(path)
    store.open()
    store.define(NOTES)
    return store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.duckdb"


def put(store: DuckDBStore, rows: list[Row], owner: Scope = JAKE) -> None:
    store.transact_sync(lambda inside: inside.put(NOTES, owner, rows))


def index(store: DuckDBStore, owner: Scope = JAKE) -> dict[str, Any]:
    """Return the picture of an index that is made now."""
    grown, store._indexes = store._indexes.grown, Indexes()
    store._indexes.grown = grown
    return store.transact_sync(lambda rows: picture(rows.index(NOTES, owner)))


def words_of_runs(path: Path) -> list[tuple[int, set[str]]]:
    """Return how many rows each run of a closed file has, and its words."""
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.execute("SELECT rows, tokens FROM _token_runs ORDER BY first").fetchall()
    return [(rows, set(tokens.replace("\t", " ").split())) for rows, tokens in found]


def test_an_index_is_made_of_runs_where_they_hold_all_rows_of_the_scope(path: Path):
    store = opened(path)
    put(store, some(1))
    put(store, some(2, MOST + BLOCK))
    due = index(store)
    store.close()
    assert [rows for rows, _ in words_of_runs(path)] == [MOST, 2 * BLOCK]
    change(path, "UPDATE notes SET _terms = 'not read'")
    store = opened(path)
    assert index(store) == due
    put(store, [{"id": "one more", "content": "sushi"}])
    assert index(store)["rows"]["1-0"][0] == {"not": 1, "read": 1}, "with a row in no run, all rows are read"
    store.close()


def test_few_rows_at_once_make_no_run(path: Path):
    store = opened(path)
    for n in range(3):
        put(store, some(n, LEAST - 1))
    store.close()
    assert words_of_runs(path) == []


@pytest.mark.parametrize("gone", ["delete", "replace"])
def test_the_words_of_a_run_go_with_any_of_its_rows(path: Path, gone: str):
    store = opened(path)
    put(store, some(1, said="hunter2"))
    put(store, some(2, MOST))
    store.close()
    store = opened(path)

    def work(rows: Rows) -> None:
        if gone == "delete":
            rows.delete(NOTES, JAKE, ["1-7"])
        else:
            rows.put(NOTES, JAKE, [{"id": "1-7", "content": "sushi", "n": 7}])

    store.transact_sync(work)
    store.close()
    (left,) = words_of_runs(path)
    assert left[0] == BLOCK
    assert "hunter2" not in left[1]


def test_a_row_that_changes_without_its_words_leaves_its_run(path: Path):
    store = opened(path)
    put(store, some(1))
    store.close()
    store = opened(path)
    put(store, [{**row, "session": "s", "n": 99} for row in some(1)[:3]])
    store.close()
    assert [rows for rows, _ in words_of_runs(path)] == [BLOCK]


@pytest.mark.parametrize("verb", ["clear", "purge"])
def test_the_runs_of_a_scope_go_with_it_and_no_others(path: Path, verb: str):
    store = opened(path)
    put(store, some(1, said="secret"))
    put(store, some(2), RUTH)
    due = index(store, RUTH)
    store.close()
    store = opened(path)
    store.transact_sync(lambda rows: rows.clear(NOTES, JAKE) if verb == "clear" else rows.purge(JAKE))
    assert index(store, RUTH) == due
    store.close()
    (left,) = words_of_runs(path)
    assert "secret" not in left[1]


def test_what_is_rolled_back_leaves_the_runs_that_were_there(path: Path):
    store = opened(path)
    put(store, some(1))
    store.close()
    store = opened(path)
    due = index(store)

    def work(rows: Rows) -> None:
        rows.put(NOTES, JAKE, some(2))
        rows.delete(NOTES, JAKE, ["1-3"])
        raise KeyError

    with pytest.raises(KeyError):
        store.transact_sync(work)
    assert index(store) == due
    store.transact_sync(lambda rows: rows.delete(NOTES, JAKE, ["1-3"]))
    assert index(store)["rows"].keys() == due["rows"].keys() - {"1-3"}
    store.close()
    assert [rows for rows, _ in words_of_runs(path)] == [BLOCK - 1]


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM notes WHERE id = '1-3'",
        "UPDATE _token_runs SET numbers = 'abc'::BLOB",
        "UPDATE _token_runs SET sizes = 'abc'::BLOB",
        "UPDATE _token_runs SET tokens = 'running'",
        "UPDATE _token_runs SET rows = 599",
    ],
)
def test_a_run_that_cannot_be_right_is_not_read(path: Path, damage: str):
    store = opened(path)
    put(store, some(1))
    due = index(store)["rows"]
    store.close()
    change(path, damage)
    store = opened(path)
    found = index(store)["rows"]
    store.close()
    assert found == {row_id: row for row_id, row in due.items() if row_id in found}
    assert len(found) in (BLOCK, BLOCK - 1)


def test_the_runs_of_many_others_are_not_read_for_a_few_rows(path: Path):
    for others, is_read in ((WORTH - 1, True), (1, False)):
        store = opened(path)
        for block in range(others):
            put(store, some(block + (not is_read) * WORTH))
        put(store, some(0), RUTH) if is_read else None
        store.close()
        change(path, "UPDATE notes SET _terms = 'from_rows'")
        store = opened(path)
        assert ("from_rows" in index(store, RUTH)["frequencies"]) is not is_read
        store.close()


def test_a_big_file_of_an_earlier_format_gets_runs_when_it_is_closed(path: Path):
    with duckdb.connect(str(path)) as connection:
        connection.execute(FORMAT_1.replace("range(3000)", f"range({BATCH + 3_000})"))
    table = Table("notes", {"n": "integer"}, "content")

    def asked(store: DuckDBStore, *words: str) -> list[str]:
        store.define(table)
        return [one.id for one in store.transact_sync(lambda rows: rows.match(table, JAKE, words, 2))]

    store = DuckDBStore(path)
    store.open()
    assert asked(store, "pizza", "word22999") == ["r22999", "r0"]
    store.close()
    kept = words_of_runs(path)
    assert sum(rows for rows, _ in kept) > BATCH
    change(path, "UPDATE notes SET _terms = 'pizza ' || id WHERE _seq % 2000 = 1999")
    for _ in range(2):
        store = DuckDBStore(path)
        store.open()
        assert asked(store, "pizza", "word3999") == ["r3999", "r0"], "it is read from its run"
        store.transact_sync(lambda rows: rows.put(table, JAKE, [{"id": "new", "content": "sushi"}]))
        assert asked(store, "sushi") == ["new"]
        store.close()
    assert words_of_runs(path) == kept


CHANGES = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 3), st.sampled_from([1, LEAST, BLOCK, MOST + 1])),
    st.tuples(st.just("say"), st.integers(0, 3), st.integers(0, BLOCK)),
    st.tuples(st.just("delete"), st.integers(0, 3), st.integers(0, BLOCK)),
    st.tuples(st.sampled_from(["purge", "reopen", "look", "fail"])),
)


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(st.tuples(CHANGES, st.sampled_from([JAKE, RUTH])), max_size=10))
def test_the_index_is_what_the_rows_say_whatever_was_done(tmp_path_factory: pytest.TempPathFactory, steps: list[Any]):
    path = tmp_path_factory.mktemp("runs") / "notes.duckdb"
    store = opened(path)
    for step, owner in steps:
        match step:
            case ("put", block, count):
                put(store, some(block, count), owner)
            case ("say", block, n):
                put(store, [{"id": f"{block}-{n}", "content": "sushi 寿司"}], owner)
            case ("delete", block, n):
                store.transact_sync(lambda rows, of=owner, one=f"{block}-{n}": rows.delete(NOTES, of, [one]))
            case ("purge",):
                store.transact_sync(lambda rows, of=owner: rows.purge(of))
            case ("reopen",):
                store.close()
                store = opened(path)
            case ("fail",):
                with pytest.raises(KeyError):
                    store.transact_sync(lambda rows, of=owner: (rows.purge(of), {}["x"]))
            case _:
                store.transact_sync(lambda rows, of=owner: rows.index(NOTES, of))
    made = [index(store, owner) for owner in (JAKE, RUTH)]
    store.close()
    change(path, "DELETE FROM _token_runs")
    store = opened(path)
    assert made == [index(store, owner) for owner in (JAKE, RUTH)]
    store.close()


@given(rows=st.lists(st.lists(st.text("ab\t🍕寿", min_size=1, max_size=3), max_size=5)))
def test_coded_tokens_are_the_tokens(rows: list[list[str]]):
    made = coded([" ".join(own) for own in rows])
    again = decoded(made.joined, made.sizes.tobytes(), made.numbers.tobytes())
    assert isinstance(again, Coded)
    tokens = iter([again.different[number] for number in again.numbers])
    assert [[next(tokens) for _ in range(size)] for size in again.sizes] == rows


def test_more_different_tokens_than_two_bytes_count_are_coded_too():
    made = coded([" ".join(f"w{n}" for n in range(70_000))])
    again = decoded(made.joined, made.sizes.tobytes(), made.numbers.tobytes())
    assert again is not None
    assert np.array_equal(again.numbers, np.arange(70_000))


@given(sizes=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6)), max_size=8), step=st.integers(1, 9))
def test_parts_have_every_place_once(sizes: list[tuple[int, int]], step: int):
    runs, at = list[Run](), 2
    for gap, rows in sizes:
        runs.append(Run(at + gap, at + gap + rows - 1, rows))
        at += gap + rows
    found = list(parts(runs, 2, at + 3, step, 7, whole=False))
    places = [place for part in found for place in range(part.start, part.end)]
    assert places == list(range(2, at + 3))
    assert [run for part in found for run in part.runs] == runs
    assert fitting(runs, {}, np.arange(3)) is None or not runs
