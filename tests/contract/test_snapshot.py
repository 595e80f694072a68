"""Snapshots: one moment of the store, read at leisure while transactions go on."""

import threading
from collections.abc import Iterator

import pytest

from fabric.errors import StoreError
from fabric.store.base import Row, Rows, Store

from .conftest import Factory
from .samples import JAKE, NOTES, OTHER, RUTH, all_held, ids, note, put, run

MANY = 5_000


@pytest.fixture(autouse=True)
def _tables(store: Store) -> None:
    store.define(NOTES)
    store.define(OTHER)


def test_it_shows_what_was_committed_when_it_was_taken(store: Store) -> None:
    put(store, note("a", n=1), note("b"))
    run(store, lambda tx: tx.write("d", JAKE, 1))
    with store.snapshot() as before:
        put(store, note("a", n=2), note("c"))
        put(store, note("x"), table=OTHER)
        put(store, note("r"), scope=RUTH)
        run(store, lambda tx: tx.delete(NOTES, JAKE, ["b"]))
        run(store, lambda tx: tx.write("d", JAKE, 2))
        assert all_held(before, JAKE) == {"notes": [note("a", n=1), note("b")], "documents": [{"id": "d", "value": 1}]}
        assert (before.get(NOTES, JAKE, ["a", "c"]), before.read("d", JAKE)) == ([note("a", n=1)], 1)
        assert (before.count(NOTES, JAKE), ids(before.find(NOTES, JAKE)), before.owners()) == (2, ["a", "b"], [JAKE])
        with store.snapshot() as after:
            assert all_held(after, RUTH) == {"notes": [note("r")]}
            assert ids(after.find(NOTES, JAKE)) == ["a", "c"]
        run(store, lambda tx: tx.purge(JAKE))
        assert before.read("d", JAKE) == 1
    assert run(store, lambda tx: all_held(tx, JAKE)) == {}


def test_what_a_transaction_did_not_commit_is_not_in_it(store: Store) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(tx: Rows) -> None:
        tx.put(NOTES, JAKE, [note("late")])
        begun.set()
        assert go_on.wait(30)

    with store.snapshot() as before:
        writer = threading.Thread(target=run, args=(store, work))
        writer.start()
        assert begun.wait(30)
        held = ids(before.find(NOTES, JAKE))  # while the store's own thread is at work
        go_on.set()
        writer.join()
        assert (held, ids(before.find(NOTES, JAKE))) == ([], [])
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE))) == ["late"]


def test_many_rows_come_in_order_and_as_they_were_though_they_change_meanwhile(store: Store) -> None:
    put(store, *(note(str(n), n=n) for n in range(MANY)), note("mine", n=-1))
    put(store, *(note(f"r{n}") for n in range(10)), scope=RUTH)
    put(store, note("17", n=17, content="again"))
    with store.snapshot() as before:
        reading: Iterator[Row] = before.scan(JAKE, "notes")
        first = [next(reading) for _ in range(10)]
        run(store, lambda tx: tx.purge(JAKE))
        put(store, *(note(f"new {n}") for n in range(MANY)))
        held = [*first, *reading]
        assert held == before.find(NOTES, JAKE)
        assert ids(held) == [*(str(n) for n in range(MANY)), "mine"]
        assert held[17] == note("17", n=17, content="again")


def test_it_writes_nothing(store: Store) -> None:
    put(store, note("a"))
    with store.snapshot() as rows, pytest.raises(StoreError):
        rows.put(NOTES, JAKE, [note("b")])
    with store.snapshot() as rows, pytest.raises(StoreError):
        rows.purge(JAKE)
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE))) == ["a"]


def test_it_ends_with_its_block_and_with_the_store(factory: Factory, tmp_path_factory: pytest.TempPathFactory) -> None:
    store = factory(tmp_path_factory.mktemp("other"))
    store.open()
    store.define(NOTES)
    put(store, *(note(str(n)) for n in range(MANY)))
    with store.snapshot() as rows:
        left = rows.scan(JAKE, "notes")
        next(left)
    with pytest.raises(StoreError, match="this snapshot is over"):
        list(left)
    with store.snapshot() as rows:
        left = rows.scan(JAKE, "notes")
        next(left)
        store.close()
        with pytest.raises(StoreError, match="its store was closed"):
            list(left)
    store.open()  # nothing holds the file any more
    store.close()
    with pytest.raises(StoreError, match="not open"):
        store.snapshot()
