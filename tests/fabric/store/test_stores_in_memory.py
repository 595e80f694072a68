"""Stores in memory only share what DuckDB needs to run, and nothing else."""

import gc
import os
import warnings

import pytest

from fabric.scope import Scope
from fabric.store.base import Table
from fabric.store.duckdb.file import memory as duckdb_memory
from fabric.store.duckdb.store import DuckDBStore

NOTES = Table("notes", {}, "text")
JAKE = Scope("user", '["user",null,"jake"]')


def opened(*texts: str) -> DuckDBStore:
    store = DuckDBStore(":memory:")
    store.open()
    store.define(NOTES)
    store.transact_sync(lambda rows: rows.put(NOTES, JAKE, [{"id": text, "text": text} for text in texts]))
    return store


def ids(store: DuckDBStore) -> list[str]:
    return store.transact_sync(lambda rows: [str(row["id"]) for row in rows.find(NOTES, JAKE)])


def databases() -> set[str]:
    instance = duckdb_memory._instances[0]
    instance.execute("SELECT database_name FROM duckdb_databases() WHERE NOT internal")
    return {name for (name,) in instance.fetchall()}


def test_two_stores_know_nothing_of_each_other():
    first, second = opened("a"), opened("b")
    assert first.identity != second.identity
    with first.snapshot() as rows:
        first.transact_sync(lambda writing: writing.put(NOTES, JAKE, [{"id": "c", "text": "c"}]))
        assert [row["id"] for row in rows.find(NOTES, JAKE)] == ["a"]
    second.close()
    assert ids(first) == ["a", "c"]
    first.rebuild([NOTES])
    assert ids(first) == ["a", "c"]
    first.close()


def test_what_is_closed_or_left_is_gone():
    kept = opened("a")
    gc.collect()
    before = databases()
    opened("b").close()
    opened("c")
    gc.collect()
    assert databases() == before
    kept.close()
    assert len(databases()) == len(before) - 1


def test_after_an_instance_broke_down_there_is_a_new_one():
    opened("a").close()
    broken = duckdb_memory._instances[0]
    broken.close()
    store = opened("b")
    assert ids(store) == ["b"]
    assert broken not in duckdb_memory._instances
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_has_an_instance_of_its_own():
    kept = opened("a")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are threads: none of them is waited for
        child = os.fork()
    if not child:
        store = opened("b")
        os._exit(0 if ids(store) == ["b"] and len(databases()) == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert ids(kept) == ["a"]
    kept.close()
