"""Backups: a copy of what is committed, made while others write."""

from pathlib import Path

import pytest

from fabric.errors import StoreError
from fabric.store.base import Store

from .conftest import Factory
from .samples import JAKE, NOTES, note, put, run


@pytest.fixture(autouse=True)
def _notes(store: Store) -> None:
    store.define(NOTES)


def test_a_backup_opens_as_a_store_of_its_own(store: Store, factory: Factory, tmp_path: Path) -> None:
    put(store, note("a", n=1), note("b"))
    if store.location == ":memory:":
        with pytest.raises(StoreError, match="no file to back up"):
            store.backup(tmp_path / "copy")
        return
    folder = tmp_path / "copy"
    folder.mkdir()
    made = store.backup(folder / Path(store.location).name)
    assert (made.size, made.rows[NOTES.name]) == (made.path.stat().st_size, 2)
    put(store, note("a", n=2), note("c"))
    with pytest.raises(StoreError, match="exists already"):
        store.backup(made.path)
    copy = factory(folder)
    copy.open()
    copy.define(NOTES)
    assert run(copy, lambda tx: tx.find(NOTES, JAKE)) == [note("a", n=1), note("b")]
    copy.close()
    assert run(store, lambda tx: tx.count(NOTES, JAKE)) == 3
