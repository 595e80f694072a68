"""The log beside a file: where the two are apart, nothing is opened, nothing deleted, and it is said what to do."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from fabric.errors import StoreError, StoreLockedError
from fabric.scope import Scope
from fabric.store.base import Table
from fabric.store.duckdb.file.log import log_of
from fabric.store.duckdb.file.log_entries import broken_entry
from fabric.store.duckdb.file.opening import reading
from fabric.store.duckdb.store import DuckDBStore
from tests import forkserver

NOTES = Table("notes", {"n": "integer"}, "content")
JAKE = Scope("user", "jake")
KILLED = """
import os, sys
from tests.fabric.store.test_duckdb_log import JAKE, NOTES
from fabric.store.duckdb.store import DuckDBStore
store = DuckDBStore(sys.argv[1])
store.open()
store.define(NOTES)
store.transact_sync(lambda rows: rows.put(NOTES, JAKE, [{"id": "a", "n": 7}]))
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A file whose writer was killed, so that all it holds stands in its log."""
    path = tmp_path / "m.duckdb"
    forkserver.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert log_of(path).stat().st_size > 0
    return path


def held(path: Path) -> list[int]:
    store = DuckDBStore(path)
    store.open()
    store.define(NOTES)
    found = store.transact_sync(lambda rows: rows.find(NOTES, JAKE))
    store.close()
    return [int(row["n"]) for row in found]


def refused(path: Path, *says: str) -> None:
    """Check that neither a store nor a check-up opens it, and that no byte of the folder changes."""
    before = {one.name: one.read_bytes() for one in path.parent.iterdir()}
    with pytest.raises(StoreError) as told:
        DuckDBStore(path).open()
    assert all(words in str(told.value) for words in says)
    with pytest.raises(StoreError), reading(path):
        pass
    assert {one.name: one.read_bytes() for one in path.parent.iterdir()} == before


@pytest.mark.parametrize("size", [-1, 0, 5_000])
def test_a_log_whose_file_is_gone_or_cut_off_is_kept(killed: Path, size: int) -> None:
    whole = killed.read_bytes()
    killed.unlink()
    if size >= 0:
        killed.write_bytes(whole[:size])
    refused(killed, "holds what was committed last", "put that file, or a backup, back beside it")
    killed.write_bytes(whole)
    assert held(killed) == [7]


def test_a_log_of_another_file_is_refused(killed: Path) -> None:
    other = killed.with_name("other.duckdb")
    store = DuckDBStore(other)
    store.open()
    store.close()
    log_of(killed).rename(log_of(other))
    refused(other, "belongs to another file", "move the log away")
    log_of(other).rename(log_of(killed))
    assert (held(killed), held(other)) == ([7], [])


def test_a_renamed_file_is_not_opened_without_its_log(killed: Path) -> None:
    renamed = killed.rename(killed.with_name("renamed.duckdb"))
    refused(renamed, f"{killed.name}.wal is the log of", f"rename it to {renamed.name}.wal")
    log_of(killed).rename(log_of(renamed))
    assert held(renamed) == [7]


def test_a_hard_link_is_not_opened_without_the_log_of_the_file(killed: Path) -> None:
    linked = killed.with_name("linked.duckdb")
    os.link(killed, linked)
    refused(linked, "under another name")
    assert held(killed) == [7]


def test_a_link_is_opened_with_the_log_of_the_file(killed: Path) -> None:
    linked = killed.with_name("linked.duckdb")
    linked.symlink_to(killed)
    assert held(linked) == [7]


def test_a_log_of_something_else_in_the_folder_is_no_matter(killed: Path) -> None:
    killed.unlink()
    assert held(killed.with_name("fresh.duckdb")) == []
    assert held(killed.with_name("fresh.duckdb")) == []
    assert log_of(killed).exists()


def test_closing_merges_the_log_also_where_nothing_was_written(killed: Path) -> None:
    store = DuckDBStore(killed)
    store.open()
    store.close()
    assert not log_of(killed).exists()
    copy = Path(shutil.copy(killed, killed.with_name("copy.duckdb")))
    assert held(copy) == [7]


def test_a_path_may_begin_with_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert held(Path("~/m.duckdb")) == []
    assert (tmp_path / "m.duckdb").exists()


def sizes(log: bytes) -> list[int]:
    """Return where the sizes of the entries of a log stand."""
    begin = log.index(b"\xff\xff") + 2
    found = []
    while begin < len(log):
        found.append(begin)
        begin += 16 + int.from_bytes(log[begin : begin + 8], "little")
    return found


def test_a_log_with_a_broken_size_is_not_taken_for_one_that_ends_there(killed: Path) -> None:
    whole = log_of(killed).read_bytes()
    for at in sizes(whole):
        for byte in (2, 7):  # one that stays within the log leaves a wrong checksum, which the driver sees
            damaged = bytearray(whole)
            damaged[at + byte] ^= 49
            log_of(killed).write_bytes(damaged)
            assert broken_entry(log_of(killed)) is not None, (at, byte)
    refused(killed, "is damaged at byte", "put back a backup")
    for header in (bytes([whole[0] ^ 255]), bytes(64), bytes(len(whole))):
        log_of(killed).write_bytes(header + whole[len(header) :])
        assert broken_entry(log_of(killed)) == 0
    log_of(killed).write_bytes(whole[:-3])  # as a killed process leaves it
    assert broken_entry(log_of(killed)) is None
    log_of(killed).write_bytes(whole)
    assert held(killed) == [7]


def test_a_file_under_a_second_name_is_one_file(tmp_path: Path) -> None:
    store, other = DuckDBStore(tmp_path / "m.duckdb"), tmp_path / "other.duckdb"
    store.open()
    other.hardlink_to(tmp_path / "m.duckdb")
    with pytest.raises(StoreLockedError):
        DuckDBStore(other).open()
    store.close()
