"""The index check of a file: silent on whatever the store wrote, and what it finds is put right from the rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric.scope import Scope
from fabric.store.base import Row, RowVectors, Table
from fabric.store.duckdb.check.index_check import AT_ONCE, Rules, index_findings, tally_of
from fabric.store.duckdb.check.scan import FileScan
from fabric.store.duckdb.file.opening import reading
from fabric.store.duckdb.store import DuckDBStore
from fabric.store.finding import Finding
from tests.soak import examples

from .test_formats import FORMAT_1


def letters(row: Row) -> list[str]:
    return sorted(set(str(row["content"]).split()))


NOTES = Table(
    "notes",
    {"n": "integer", "share": "real", "kind": "text", "at": "time", "done": "boolean"},
    "content",
    terms=letters,
    kept=("kind", "at"),
    thread="kind",
    packed=("at",),
)
PLAIN = Table("plain", {"n": "integer"})
USERS = [Scope("user", name) for name in ("jake", "eve")]
SPACE = "stub/4/00ff"
cells: dict[str, Any] = {
    "n": st.none() | st.integers(-(2**63), 2**63 - 1),
    "share": st.none() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False),
    "kind": st.none() | st.text(st.characters(exclude_categories=[]), max_size=4),
    "at": st.none() | st.datetimes().map(lambda one: one.isoformat()),
    "done": st.none() | st.booleans(),
    "content": st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    "id": st.text(st.characters(exclude_categories=[]), max_size=6),
}
rows = st.lists(st.fixed_dictionaries(cells), max_size=8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.duckdb"


def opened(path: Path) -> DuckDBStore:
    store = DuckDBStore(path)
    store.open()
    for table in (NOTES, PLAIN):
        store.define(table)
    return store


def unit(count: int) -> Any:
    made = np.random.default_rng(0).normal(size=(count, 4))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def write(store: DuckDBStore, owner: Scope, found: Sequence[Row]) -> None:
    ids = [row["id"] for row in found]
    vectors = RowVectors(SPACE, dict(zip(ids, unit(len(ids)), strict=True))) if ids else None
    store.transact_sync(lambda rows: rows.put(NOTES, owner, found, vectors))
    store.transact_sync(lambda rows: rows.put(PLAIN, owner, [{"id": one} for one in ids]))


def made(path: Path, count: int) -> None:
    store = opened(path)
    some = [{"id": f"r{n}", "content": f"pizza word{n}", "n": n, "kind": f"k{n % 3}"} for n in range(count)]
    for owner in USERS:
        write(store, owner, some)
    store.close()


def flaws(path: Path, *tables: Table) -> dict[str, Counter[str]]:
    """Return what is wrong, by collection."""
    with reading(path) as sql:
        held = FileScan(sql)
        rules = Rules(sql, held.scopes.keys(), tables or (NOTES, PLAIN))
        found = {name: tally_of(sql, known, rules) for name, known in held.tables.items()}
    return {name: +tally.flaws for name, tally in found.items() if +tally.flaws or tally.missing}


def findings(path: Path) -> Iterator[Finding]:
    with reading(path) as sql:
        yield from index_findings(FileScan(sql), [NOTES, PLAIN], "mend", lambda _: None)


def change(path: Path, statement: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(first=rows, second=rows)
def test_whatever_the_store_wrote_and_changed_is_well(
    tmp_path_factory: pytest.TempPathFactory, first: list[Row], second: list[Row]
) -> None:
    path = tmp_path_factory.mktemp("well") / "notes.duckdb"
    store = opened(path)
    for owner in USERS:
        write(store, owner, first)
        write(store, owner, second)
    store.transact_sync(lambda rows: rows.delete(NOTES, USERS[0], [row["id"] for row in first[:3]]))
    store.close()
    assert flaws(path) == {}


def test_each_row_that_is_wrong_is_counted_once_for_each_flaw_and_only_those_are_written(path: Path) -> None:
    made(path, AT_ONCE)
    change(path, "UPDATE notes SET _terms = 'x', n = 7, _key = _key + 1 WHERE _seq IN (1, 5000, 7000)")
    change(path, "UPDATE notes SET _vector = 'ab'::BLOB WHERE _seq IN (2, 7000)")
    assert flaws(path) == {"notes": Counter(terms=3, column=3, key=3, vector=2)}
    store = opened(path)
    try:
        assert store.rebuild([NOTES, PLAIN]) == {"notes": 4}
        assert store.rebuild([NOTES, PLAIN]) == {}
        for n in (1, 5000, 7000):
            owner, row_id = USERS[n // AT_ONCE], f"r{n % AT_ONCE}"
            (found,) = store.transact_sync(lambda rows, of=owner, one=row_id: rows.get(NOTES, of, [one]))
            assert found["n"] == n % AT_ONCE
            words = [f"word{n % AT_ONCE}"]
            matched = store.transact_sync(lambda rows, of=owner, asked=words: rows.match(NOTES, of, asked, 3))
            assert [one.id for one in matched] == [row_id]
        assert store.transact_sync(lambda rows: rows.spaces(NOTES, USERS[0])) == {"": 1, SPACE: AT_ONCE - 1}
    finally:
        store.close()
    assert flaws(path) == {}


def test_vectors_of_passages_that_cannot_be_used_are_found_and_dropped_with_that_of_their_row(path: Path) -> None:
    made(path, 4)
    change(path, "UPDATE notes SET _parts = _vector || _vector WHERE _seq IN (0, 3)")
    assert flaws(path) == {}
    change(path, "UPDATE notes SET _parts = 'abc'::BLOB WHERE _seq = 1")
    change(path, "UPDATE notes SET _parts = repeat('\\xFF\\x7F', 4)::BLOB WHERE _seq = 2")
    change(path, "UPDATE notes SET _space = NULL, _vector = NULL WHERE _seq = 3")
    assert flaws(path) == {"notes": Counter(vector=3)}
    store = opened(path)
    try:
        assert store.rebuild([NOTES, PLAIN]) == {"notes": 3}
        assert store.transact_sync(lambda rows: rows.spaces(NOTES, USERS[0])) == {"": 3, SPACE: 1}
    finally:
        store.close()
    assert flaws(path) == {}


def test_what_an_open_store_knows_is_true_again_after_a_rebuild(path: Path) -> None:
    made(path, 20)
    change(path, "UPDATE notes SET _terms = 'x'")
    store = opened(path)
    try:
        assert store.transact_sync(lambda rows: rows.match(NOTES, USERS[0], ["word3"], 3)) == []
        assert store.rebuild([NOTES]) == {"notes": 40}
        found = store.transact_sync(lambda rows: rows.match(NOTES, USERS[0], ["word3"], 3))
        assert [one.id for one in found] == ["r3"]
    finally:
        store.close()


def test_the_terms_of_a_collection_that_nobody_here_knows_stay_as_they_are(path: Path) -> None:
    made(path, 5)
    change(path, "UPDATE notes SET _terms = 'of its own making', n = 99")
    assert flaws(path, PLAIN) == {"notes": Counter(column=10)}
    store = opened(path)
    assert store.rebuild([PLAIN]) == {"notes": 10}
    store.close()
    assert flaws(path, PLAIN) == {}
    assert flaws(path) == {"notes": Counter(terms=10)}


def test_rows_of_an_earlier_form_wait_for_their_terms_and_are_not_wrong(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(FORMAT_1)
    store = DuckDBStore(path)
    store.open()
    store.close()
    assert set(flaws(path, Table("notes", {"n": "integer"}, "content"))["notes"]) == {"key"}


def test_an_index_of_the_database_that_is_missing_is_made_again(path: Path) -> None:
    made(path, 5)
    change(path, "DROP INDEX _plain_scope")
    (found,) = findings(path)
    assert (found.state, found.mend) == ("problem", "mend")
    assert found.found == "plain: its rows are well, the database's own index is missing: _plain_scope"
    store = opened(path)
    assert store.rebuild([NOTES, PLAIN]) == {}
    store.close()
    (found,) = findings(path)
    assert (found.state, found.found) == (
        "ok",
        "20 rows in 2 collections: keys, columns, terms and vectors agree",
    )
