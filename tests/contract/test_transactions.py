"""Transactions: whole or not at all, one after the other, from any thread or task."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fabric.errors import StoreError
from fabric.store.base import Rows, Store

from .conftest import Factory
from .samples import JAKE, NOTES, RUTH, ids, note, put, run

PATIENCE = 60


@pytest.fixture(autouse=True)
def _notes(store: Store) -> None:
    store.define(NOTES)


def test_an_exception_undoes_everything_and_reaches_the_caller(store: Store):
    put(store, note("a", n=1))
    run(store, lambda tx: tx.write("d", JAKE, 1))

    def work(tx: Rows) -> None:
        tx.put(NOTES, JAKE, [note("a", n=2), note("b")])
        tx.delete(NOTES, JAKE, ["a"])
        tx.write("d", JAKE, None)
        tx.put(NOTES, RUTH, [note("x")])
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        run(store, work)
    assert run(store, lambda tx: tx.find(NOTES, JAKE)) == [note("a", n=1)]
    assert run(store, lambda tx: tx.read("d", JAKE)) == 1
    assert store.scopes(NOTES) == [JAKE]


def test_even_a_request_to_exit_undoes_everything(store: Store):
    def work(tx: Rows) -> None:
        tx.put(NOTES, JAKE, [note("a")])
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        run(store, work)
    assert run(store, lambda tx: tx.count(NOTES, JAKE)) == 0


def test_what_comes_afterwards_is_called_after_the_commit_and_never_after_a_rollback(store: Store):
    called: list[str] = []

    def work(name: str, error: Exception | None) -> Callable[[Rows], list[str]]:
        def write(tx: Rows) -> list[str]:
            tx.afterwards(lambda: called.append(name))
            tx.put(NOTES, JAKE, [note(name)])
            if error is not None:
                raise error
            return list(called)

        return write

    assert run(store, work("a", None)) == []
    with pytest.raises(LookupError):
        run(store, work("b", LookupError()))
    assert run(store, work("c", None)) == ["a"]
    assert called == ["a", "c"]
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE))) == called


def test_an_error_caught_inside_the_work_does_not_spoil_it(store: Store):
    def work(tx: Rows) -> None:
        tx.put(NOTES, JAKE, [note("a")])
        with pytest.raises(StoreError):
            tx.put(NOTES, JAKE, [note("b", n="many")])
        tx.put(NOTES, JAKE, [note("c")])

    run(store, work)
    assert ids(run(store, lambda tx: tx.find(NOTES, JAKE))) == ["a", "c"]


def _add_one(tx: Rows) -> int:
    value = (tx.read("counter", JAKE) or 0) + 1
    tx.write("counter", JAKE, value)
    row = (tx.get(NOTES, JAKE, ["shared"]) or [note("shared", n=0)])[0]
    tx.put(NOTES, JAKE, [row | {"n": row["n"] + 1}, note(f"own{value}", n=value, content=f"word{value}")])
    return value


def test_sixteen_threads_and_their_loops_lose_no_update(store: Store):
    def thread(number: int) -> list[int]:
        if number % 2:
            return [store.transact_sync(_add_one) for _ in range(10)]

        async def tasks() -> list[int]:
            return list(await asyncio.gather(*(store.transact(_add_one) for _ in range(10))))

        return asyncio.run(tasks())

    with ThreadPoolExecutor(16) as pool:
        values = [value for found in pool.map(thread, range(16)) for value in found]
    assert sorted(values) == list(range(1, 161))
    assert run(store, lambda tx: (tx.read("counter", JAKE), tx.get(NOTES, JAKE, ["shared"])[0]["n"])) == (160, 160)
    assert run(store, lambda tx: tx.count(NOTES, JAKE)) == 161
    assert [found.id for found in run(store, lambda tx: tx.match(NOTES, JAKE, ["word77"], 5))] == ["own77"]


async def test_writes_of_two_owners_interleaved_by_tasks_stay_apart(store: Store):
    async def task(number: int) -> None:
        owner = (JAKE, RUTH)[number % 2]
        for step in range(5):
            await store.transact(lambda tx, step=step: tx.put(NOTES, owner, [note(f"{number}-{step}", n=number % 2)]))
            found = await store.transact(lambda tx: tx.find(NOTES, owner))
            assert {row["n"] for row in found} == {number % 2}

    await asyncio.gather(*(task(number) for number in range(8)))
    assert await store.transact(lambda tx: tx.count(NOTES, JAKE)) == 20


async def test_a_cancelled_call_is_done_whole_or_not_at_all(store: Store):
    entered, leave = threading.Event(), threading.Event()

    def slow(tx: Rows) -> None:
        tx.put(NOTES, JAKE, [note("a")])
        entered.set()
        leave.wait(PATIENCE)
        tx.put(NOTES, JAKE, [note("b")])

    running = asyncio.ensure_future(store.transact(slow))
    waiting = asyncio.ensure_future(store.transact(lambda tx: tx.put(NOTES, JAKE, [note("never")])))
    await asyncio.to_thread(entered.wait, PATIENCE)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    running.cancel()
    await asyncio.sleep(0.01)
    assert not running.done()  # its caller is told when nothing of it comes any more
    leave.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ids(await store.transact(lambda tx: tx.find(NOTES, JAKE))) == ["a", "b"]


async def test_the_loop_goes_on_while_a_transaction_runs(store: Store):
    leave = threading.Event()
    task = asyncio.ensure_future(store.transact(lambda _: leave.wait(PATIENCE)))
    await asyncio.sleep(0.01)
    leave.set()
    assert await task is True


def test_a_transaction_inside_a_transaction_is_refused_and_does_not_hang(store: Store):
    for inner in (
        lambda: store.transact_sync(lambda _: None),
        lambda: store.define(NOTES),
        lambda: store.scopes(NOTES),
        store.close,
    ):
        with pytest.raises(StoreError, match="inside a transaction"):
            run(store, lambda _, inner=inner: inner())
    assert run(store, lambda tx: tx.count(NOTES, JAKE)) == 0


def test_the_rows_are_refused_once_their_transaction_is_over(store: Store):
    kept = run(store, lambda tx: tx)
    with pytest.raises(StoreError, match="over"):
        kept.put(NOTES, JAKE, [note("a")])
    assert run(store, lambda tx: tx.count(NOTES, JAKE)) == 0


def test_async_work_is_refused_and_undone(store: Store):
    async def work(tx: Rows) -> None:
        tx.put(NOTES, JAKE, [note("a")])

    with pytest.raises(StoreError, match="plain function"):
        run(store, work)


def test_a_closed_store_refuses_and_closing_twice_is_harmless(factory: Factory, tmp_path: Path):
    (tmp_path / "own").mkdir()
    store = factory(tmp_path / "own")
    with pytest.raises(StoreError, match="open"):
        store.transact_sync(lambda _: None)
    store.close()
    store.open()
    with pytest.raises(StoreError, match="open already"):
        store.open()
    store.close()
    store.close()
    with pytest.raises(StoreError, match="not open"):
        store.transact_sync(lambda _: None)
    with pytest.raises(StoreError, match="not open"):
        store.define(NOTES)


def test_closing_finishes_what_was_begun(factory: Factory, tmp_path: Path):
    (tmp_path / "own").mkdir()
    store = factory(tmp_path / "own")
    store.open()
    store.define(NOTES)
    entered, leave, done = threading.Event(), threading.Event(), []

    def slow(tx: Rows) -> None:
        tx.put(NOTES, JAKE, [note("a")])
        entered.set()
        leave.wait(PATIENCE)
        done.append(tx.count(NOTES, JAKE))

    with ThreadPoolExecutor(2) as pool:
        begun = pool.submit(store.transact_sync, slow)
        entered.wait(PATIENCE)
        closing = pool.submit(store.close)
        leave.set()
        begun.result(PATIENCE)
        closing.result(PATIENCE)
    assert done == [1]


def test_eight_threads_may_write_while_one_closes(factory: Factory, tmp_path: Path):
    (tmp_path / "own").mkdir()
    store = factory(tmp_path / "own")
    store.open()
    store.define(NOTES)
    start = threading.Barrier(9, timeout=60)

    def write(number: int) -> int:
        start.wait()
        done = 0
        try:
            for step in range(1000):
                store.transact_sync(lambda tx, step=step: tx.put(NOTES, JAKE, [note(f"{number}-{step}")]))
                done += 1
        except StoreError:
            return done
        return done

    with ThreadPoolExecutor(8) as pool:
        counts = [pool.submit(write, number) for number in range(8)]
        start.wait()
        while not store.transact_sync(lambda tx: tx.count(NOTES, JAKE)):
            pass
        store.close()
        assert sum(count.result(PATIENCE) for count in counts) > 0
