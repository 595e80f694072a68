"""Opening a file: ours is opened, anything else is refused in one clear line and left as it was."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from fabric.errors import NewerFileError, NotOurFileError, StoreError, StoreLockedError
from fabric.scope import Scope
from fabric.store.base import Table
from fabric.store.duckdb.migrations import MIGRATIONS, SYSTEM_TABLES
from fabric.store.duckdb.store import DuckDBStore
from tests import forkserver

NOTES = Table("notes", {"n": "integer"}, "content")
JAKE = Scope("user", "jake")
ROOT = Path(__file__).parents[3]


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    path = tmp_path / "ours.duckdb"
    store = DuckDBStore(path)
    store.open()
    store.define(NOTES)
    store.transact_sync(lambda rows: rows.put(NOTES, JAKE, [{"id": "a", "n": 1}]))
    store.close()
    return path


def _text(path: Path) -> None:
    path.write_text("Dear diary, this is longer than a header. " * 500)


def _short_text(path: Path) -> None:
    path.write_text("Hi")


def _sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (id TEXT)")
    connection.commit()
    connection.close()


def _duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE _meta AS SELECT 'application' AS name, 'someone else' AS value")
        for name in SYSTEM_TABLES - {"_meta"}:
            connection.sql("SELECT 1 AS x").create(name)


def _other_duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE notes AS SELECT 1 AS id")


def _other_meta(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE _meta AS SELECT 1 AS x")


def _duckdb_with_a_log(path: Path) -> None:
    code = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); c.execute('CREATE TABLE notes AS SELECT 1 AS id'); "
        "c.execute('CREATE TABLE more AS SELECT 2 AS id'); os._exit(0)"
    )
    forkserver.run([sys.executable, "-c", code, str(path)], check=True)
    assert path.with_name(path.name + ".wal").exists()


def _broken(path: Path) -> None:
    _duckdb(path)
    path.write_bytes(path.read_bytes()[:20] + b"\xff" * 30_000)


@pytest.mark.parametrize(
    "make",
    [_text, _short_text, _sqlite, _duckdb, _other_duckdb, _other_meta, _duckdb_with_a_log, _broken],
    ids=lambda make: make.__name__,
)
def test_a_file_that_is_not_ours_is_refused_and_untouched(tmp_path: Path, make: Callable[[Path], None]):
    path = tmp_path / "theirs"
    make(path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(StoreError, match="theirs") as caught:
        DuckDBStore(path).open()
    assert isinstance(caught.value, NotOurFileError) or make is _broken
    assert "\n" not in str(caught.value)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "name", ["folder", "nowhere/file.duckdb", "bad\x00name", "bad\ud83dname", os.fsdecode(b"bad\x80name"), "", "pipe"]
)
def test_a_path_that_cannot_be_a_file_is_refused(tmp_path: Path, name: str):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError) as caught:
        DuckDBStore(f"{tmp_path}/{name}").open()
    assert "\n" not in str(caught.value)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "pipe"]


def test_the_root_of_all_directories_is_refused_as_one():
    with pytest.raises(StoreError, match="is a directory"):
        DuckDBStore("/").open()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_read_only_place_is_refused(tmp_path: Path):
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError):
        DuckDBStore(tmp_path / "new.duckdb").open()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no directory here that nobody can write to")
def test_a_place_where_nothing_can_be_written_is_refused():
    with pytest.raises(StoreError, match="cannot be opened"):
        DuckDBStore("/proc/self/new.duckdb").open()


@pytest.mark.parametrize("size", [0, 4096, 8192])
def test_a_file_whose_making_was_cut_short_is_made_again(tmp_path: Path, size: int):
    path = tmp_path / "cut.duckdb"
    duckdb.connect(str(path)).close()
    path.write_bytes(path.read_bytes()[:size])
    store = DuckDBStore(path)
    store.open()
    store.define(NOTES)
    store.close()


def test_a_newer_file_is_refused_and_untouched(ours: Path):
    with duckdb.connect(str(ours)) as connection:
        connection.execute("UPDATE _meta SET value = '99' WHERE name = 'format'")
    before = ours.read_bytes()
    with pytest.raises(NewerFileError, match=f"format 99.*up to {len(MIGRATIONS)}"):
        DuckDBStore(ours).open()
    assert ours.read_bytes() == before


def test_the_identity_is_in_the_file_and_not_in_its_name(ours: Path, tmp_path: Path):
    store = DuckDBStore(ours)
    store.open()
    identity = store.identity
    store.close()
    moved = shutil.move(ours, tmp_path / "moved.db")
    store = DuckDBStore(moved)
    store.open()
    assert store.identity == identity
    assert store.transact_sync(lambda rows: rows.delete(NOTES, JAKE, ["a"])) == 1
    store.close()
    other = DuckDBStore(":memory:")
    other.open()
    assert other.identity not in ("", identity)
    other.close()


def test_migrations_are_recorded(ours: Path):
    with duckdb.connect(str(ours), read_only=True) as connection:
        recorded = connection.execute("SELECT number, name FROM _migrations ORDER BY number").fetchall()
        form = connection.execute("SELECT value FROM _meta WHERE name = 'format'").fetchone()
    assert recorded == [(number, step.__name__) for number, step in enumerate(MIGRATIONS, start=1)]
    assert form == (str(len(MIGRATIONS)),)


def test_nothing_is_loaded_or_reached_from_outside(ours: Path, tmp_path: Path):
    (tmp_path / "secret.csv").write_text("a\n1\n")
    store = DuckDBStore(ours)
    store.open()

    for query in (f"FROM read_csv('{tmp_path}/secret.csv')", "LOAD fts"):
        with pytest.raises(StoreError):
            store.transact_sync(lambda rows, query=query: rows._sql.rows(query))
    store.close()


HOLDER = """
import sys
from fabric.store.duckdb.store import DuckDBStore
store = DuckDBStore(sys.argv[1])
store.open()
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(ours: Path) -> Iterator[subprocess.Popen[str]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = forkserver.popen([sys.executable, "-c", HOLDER, str(ours)], cwd=ROOT, text=True, **pipes)
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_process_is_told_who_holds_the_file(ours: Path, holder: subprocess.Popen[str]):
    with pytest.raises(StoreLockedError, match=f"PID {holder.pid}.*another file") as caught:
        DuckDBStore(ours).open()
    assert caught.value.pid == holder.pid
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    store = DuckDBStore(ours)
    store.open()
    assert store.transact_sync(lambda rows: rows.count(NOTES, JAKE)) == 1
    store.close()


def test_a_file_that_is_held_for_a_moment_is_waited_for(ours: Path, holder: subprocess.Popen[str]):
    ending = threading.Timer(0.2, holder.kill)
    ending.start()
    store = DuckDBStore(ours)
    store.open()
    store.close()
    ending.join()


def test_a_second_store_in_one_process_is_refused(ours: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to(ours)
    first = DuckDBStore(ours)
    first.open()
    for path in (ours, tmp_path / "link"):
        with pytest.raises(StoreLockedError, match=r"this process has it open already.*close") as caught:
            DuckDBStore(path).open()
        assert "End that process" not in str(caught.value)
        assert caught.value.pid == os.getpid()
    first.close()
    second = DuckDBStore(tmp_path / "link")
    second.open()
    second.close()


FORGETFUL = """
import sys, threading
from fabric.scope import Scope
from fabric.store.base import Table
from fabric.store.duckdb.store import DuckDBStore
table, jake = Table("notes", {"n": "integer"}, "content"), Scope("user", "jake")
store = DuckDBStore(sys.argv[1])
store.open()
store.define(table)
store.transact_sync(lambda rows: rows.put(table, jake, [{"id": "b", "n": 2}]))
"""


def test_a_process_that_forgets_to_close_ends_and_loses_nothing(ours: Path):
    forkserver.run([sys.executable, "-c", FORGETFUL, str(ours)], cwd=ROOT, check=True, timeout=300)
    store = DuckDBStore(ours)
    store.open()
    assert store.transact_sync(lambda rows: rows.count(NOTES, JAKE)) == 2
    store.close()


FULL = """
import resource, sys
from fabric.errors import StoreError
from fabric.scope import Scope
from fabric.store.base import Table
from fabric.store.duckdb.store import DuckDBStore
table, jake = Table("notes", {"n": "integer"}, "content"), Scope("user", "jake")
store = DuckDBStore(sys.argv[1])
store.open()
store.define(table)
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
import random
written = 0
try:
    for n in range(1000):
        text = random.Random(n).randbytes(20_000).hex()
        both = [{"id": f"x{n}-{i}", "n": n, "content": text} for i in range(2)]
        store.transact_sync(lambda rows: rows.put(table, jake, both))
        written += 2
except StoreError as error:
    assert "\\n" not in str(error), error
    print(written, error, flush=True)
try:
    store.close()
except StoreError as error:
    pass
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the size limit of files is set as Linux has it")
def test_a_full_disk_is_a_store_error_and_what_was_committed_stays(ours: Path):
    found = forkserver.run(
        [sys.executable, "-c", FULL, str(ours)], cwd=ROOT, check=True, timeout=300, capture_output=True, text=True
    )
    written = int(found.stdout.split()[0])
    assert written > 0
    assert "make room" in found.stdout
    store = DuckDBStore(ours)
    store.open()
    assert store.transact_sync(lambda rows: rows.count(NOTES, JAKE)) == written + 1
    store.close()
