"""Backups: consistent while others write, read through, and never over something that is there."""

import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fabric import Fabric
from fabric.errors import StoreError
from fabric.store.base import Rows
from fabric.store.duckdb.backup import back_up, backup_findings, rows_of
from fabric.store.duckdb.store import DuckDBStore
from pipelines import Memory
from tests import forkserver
from tests.fabric.store.test_duckdb_log import JAKE, NOTES, held

WRITER = """
import sys
from tests.fabric.store.test_duckdb_log import JAKE, NOTES
from fabric.store.duckdb.store import DuckDBStore
store = DuckDBStore(sys.argv[1])
store.open()
store.define(NOTES)
for number in range(100_000):
    store.transact_sync(lambda rows: rows.put(NOTES, JAKE, [{"id": str(number), "n": number, "content": "x" * 2000}]))
    print(number, flush=True)
"""


def written(store: DuckDBStore, numbers: range) -> None:
    for number in numbers:
        note = {"id": str(number), "n": number, "content": "x" * 500}
        store.transact_sync(partial(_put, note))


def _put(note: dict[str, Any], rows: Rows) -> None:
    rows.put(NOTES, JAKE, [note])


def test_backups_hold_all_that_was_committed_before_while_a_thread_writes(tmp_path: Path) -> None:
    store = DuckDBStore(tmp_path / "m.duckdb")
    store.open()
    store.define(NOTES)
    done, count = threading.Event(), 0

    def write() -> None:
        nonlocal count
        while not done.is_set():
            written(store, range(count, count + 1))
            count += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            before = count
            made = back_up(tmp_path / "m.duckdb", tmp_path / f"copy{number}.duckdb")
            found = sorted(held(made.path))
            assert found == list(range(len(found)))
            assert len(found) >= before
            assert made.rows["notes"] == len(found)
    finally:
        done.set()
        writer.join()
        store.close()
    assert sorted(held(tmp_path / "m.duckdb")) == list(range(count))


def test_a_file_that_another_process_writes_can_be_backed_up(tmp_path: Path) -> None:
    file = tmp_path / "m.duckdb"
    with forkserver.popen([sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        said = 0
        while said < 20:
            said = int(writer.stdout.readline())
        made = back_up(file, tmp_path / "copy.duckdb")
        writer.kill()
    found = sorted(held(made.path))
    assert found == list(range(len(found)))
    assert len(found) > said


def test_the_holder_still_holds_its_file_after_a_backup(tmp_path: Path) -> None:
    file = tmp_path / "m.duckdb"
    store = DuckDBStore(file)
    store.open()
    back_up(file, tmp_path / "copy.duckdb")
    code = f"from fabric.store.duckdb.store import DuckDBStore; DuckDBStore({str(file)!r}).open()"
    other = forkserver.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    store.close()
    assert "in use by another process" in other.stderr


def test_nothing_is_overwritten_and_nothing_is_left_behind(tmp_path: Path) -> None:
    file, there = tmp_path / "m.duckdb", tmp_path / "there"
    DuckDBStore(file).open()
    there.write_text("precious")
    for to, says in (
        (there, "exists already"),
        (tmp_path / "no" / "copy", "no directory"),
        ("/", "exists already"),
        ("copy\0", "cannot be a path"),
        ("copy\udc80", "cannot be a path"),
        ("copy" * 100, "cannot be a path"),
    ):
        with pytest.raises(StoreError, match=says):
            back_up(file, to)
    with pytest.raises(StoreError, match="no such file"):
        back_up(tmp_path / "nothing", tmp_path / "copy")
    (tmp_path / "text").write_text("Dear diary. " * 2_000)
    with pytest.raises(StoreError, match="not a thought-fabric file"):
        back_up(tmp_path / "text", tmp_path / "copy")
    assert there.read_text() == "precious"
    assert not [one.name for one in tmp_path.iterdir() if "copy" in one.name]


def test_a_backup_is_compared_with_its_file(tmp_path: Path) -> None:
    file, copy = tmp_path / "m.duckdb", tmp_path / "copy.duckdb"
    store = DuckDBStore(file)
    store.open()
    store.define(NOTES)
    written(store, range(3))
    store.close()
    back_up(file, copy)
    assert [one.state for one in backup_findings(file, copy)] == ["ok"]
    store.open()
    written(store, range(3, 5))
    store.close()
    (found,) = backup_findings(file, copy)
    assert (found.state, "notes 3 of 5" in found.found) == ("warning", True)
    damaged = bytearray(copy.read_bytes())
    damaged[len(damaged) // 2 :] = bytes(len(damaged) - len(damaged) // 2)
    copy.write_bytes(damaged)
    assert [one.state for one in backup_findings(file, copy)] == ["problem"]
    assert rows_of(file)["notes"] == 5


def test_what_is_in_memory_only_has_no_file_to_back_up(tmp_path: Path) -> None:
    with Fabric() as fabric, pytest.raises(StoreError, match="in memory only"):
        fabric.backup(tmp_path / "copy")


def test_a_memory_backs_up_its_file(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.duckdb", user="jake", embedder=None) as memory:
        memory.remember("Lives in Oslo")
        made = memory.backup(tmp_path / "copy.duckdb")
        memory.remember("Likes tea")
    with Memory(made.path, user="jake", embedder=None) as memory:
        assert [one.content for one in memory.recall(tiers=["semantic"])] == ["Lives in Oslo"]
