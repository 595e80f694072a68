"""A file that is deleted, moved or replaced while open: nothing more is acknowledged, and what it held is saved."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fabric.errors import StoreError
from fabric.scope import Scope
from fabric.store.base import Rows, Table
from fabric.store.duckdb.backup import back_up
from fabric.store.duckdb.file.log import log_of
from fabric.store.duckdb.store import DuckDBStore

NOTES, JAKE = Table("notes", {}), Scope("user", '["user",null,"jake"]')


def opened(file: Path) -> DuckDBStore:
    store = DuckDBStore(file)
    store.open()
    store.define(NOTES)
    return store


def put(store: DuckDBStore, name: str) -> None:
    store.transact_sync(lambda rows: rows.put(NOTES, JAKE, [{"id": name, "text": name}]))


def held(rows: Rows) -> list[str]:
    return sorted(row["id"] for row in rows.find(NOTES, JAKE))


def notes_in(file: Path) -> list[str]:
    store = opened(file)
    try:
        return store.transact_sync(held)
    finally:
        store.close()


def deleted(file: Path) -> None:
    file.unlink()


def deleted_with_its_log(file: Path) -> None:
    file.unlink()
    log_of(file).unlink(missing_ok=True)


def replaced(file: Path) -> None:
    other = file.with_name("other")
    shutil.copyfile(file, other)
    other.replace(file)


@pytest.mark.parametrize("lose", [deleted, deleted_with_its_log, replaced])
def test_what_a_lost_file_held_is_written_beside_it_when_it_is_closed(
    lose: Callable[[Path], None], tmp_path: Path
) -> None:
    file = tmp_path / "m.duckdb"
    store = opened(file)
    put(store, "a")
    lose(file)
    stood = file.read_bytes() if file.exists() else None
    with pytest.raises(StoreError, match=r"was deleted while it was open.*nothing more is kept in it.*backup\(TO\)"):
        put(store, "b")
    assert store.transact_sync(held) == ["a"]
    assert back_up(file, tmp_path / "copy.duckdb").rows["notes"] == 1
    with pytest.raises(StoreError, match=r"was deleted while it was open.*written to .*m\.duckdb\.rescued"):
        store.close()
    store.close()
    assert (file.read_bytes() if file.exists() else None) == stood
    assert notes_in(tmp_path / "m.duckdb.rescued") == notes_in(tmp_path / "copy.duckdb") == ["a"]


def test_a_file_that_was_moved_is_whole_under_its_new_name_and_goes_on_when_it_is_put_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, other = tmp_path / "m.duckdb", tmp_path / "other.duckdb"
    store = opened(file)
    put(store, "a")
    file.rename(other)
    with pytest.raises(StoreError, match="was moved or renamed while it was open"):
        put(store, "b")
    other.rename(file)
    put(store, "c")
    file.rename(other)
    store.close()
    assert "file moved while open" in "".join(capsys.readouterr())
    assert notes_in(other) == ["a", "c"]
    assert [one.name for one in tmp_path.iterdir()] == ["other.duckdb"]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """Make a folder the one for temporary files."""
    (tmp_path / "elsewhere").mkdir()
    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path / "elsewhere")
    yield tmp_path / "elsewhere"
    tempfile.tempdir = before


def test_where_the_folder_is_gone_too_it_is_written_to_the_temporary_one(tmp_path: Path, elsewhere: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    store = opened(folder / "m.duckdb")
    put(store, "a")
    shutil.rmtree(folder)
    with pytest.raises(StoreError, match="elsewhere"):
        store.close()
    assert notes_in(elsewhere / "m.duckdb.rescued") == ["a"]
