"""Re-embedding in place: a switch of the model, a cut in the middle, rows that change meanwhile, a failing embedder."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabric.embedding import embed_texts, identity
from fabric.errors import EmbedderError
from fabric.scope import Scope
from fabric.store.base import Row, Rows, RowVectors, Table
from fabric.store.duckdb.store import DuckDBStore
from fabric.store.renewal import Coverage, Embedded, coverage, renew

from .fakes import HashEmbedder

NOTES = Table("notes", {}, "text")
ANN, BO = Scope("user", '["user",null,"ann"]'), Scope("user", '["user",null,"bo"]')


NOTES_OF_ANN = Embedded(NOTES, ANN)


def note(number: int, text: str = "") -> Row:
    return {"id": f"n{number}", "text": text or f"note number {number} about tea"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.duckdb"


@pytest.fixture
def store(path: Path) -> Iterator[DuckDBStore]:
    opened = begin(path)
    opened.transact_sync(lambda rows: rows.put(NOTES, ANN, [note(number) for number in range(25)]))
    opened.transact_sync(lambda rows: rows.put(NOTES, BO, [note(number) for number in range(3)]))
    yield opened
    opened.close()


def begin(path: Path) -> DuckDBStore:
    opened = DuckDBStore(str(path))
    opened.open()
    opened.define(NOTES)
    return opened


def seen(store: DuckDBStore, space: str, scope: Scope = ANN) -> Coverage:
    return coverage(store.transact_sync(lambda rows: rows.spaces(NOTES, scope)), space)


def nearest(store: DuckDBStore, space: str, asked: Any) -> str:
    def look(rows: Rows) -> str:
        index = rows.index(NOTES, ANN, space)
        assert index is not None
        assert index.vectors is not None
        return index.ids[int(np.argmax(index.vectors.quick(asked)))]

    return store.transact_sync(look)


async def test_rows_without_vectors_get_them_in_batches(store: DuckDBStore):
    embedder = HashEmbedder(16)
    space = await identity(embedder)
    embedder.calls.clear()
    told: list[int] = []
    assert await renew(store.transact, NOTES_OF_ANN, embedder, space, batch=10, moved=told.append) == 25
    assert told == [10, 10, 5]
    assert [len(call) for call in embedder.calls] == [10, 10, 5]
    assert seen(store, space) == Coverage(25, 25)
    assert seen(store, space, BO) == Coverage(3, 0, (), 3)
    asked = (await embed_texts(embedder, [note(17)["text"]]))[0]
    assert nearest(store, space, asked) == "n17"


async def test_nothing_is_left_to_do_the_second_time(store: DuckDBStore):
    embedder = HashEmbedder(16)
    space = await identity(embedder)
    await renew(store.transact, NOTES_OF_ANN, embedder, space)
    embedder.calls.clear()
    assert await renew(store.transact, NOTES_OF_ANN, embedder, space) == 0
    assert embedder.calls == []


@pytest.mark.parametrize("new", [HashEmbedder(768), HashEmbedder(384, seed="other")])
async def test_a_switch_of_the_model_converts_in_place(store: DuckDBStore, path: Path, new: HashEmbedder):
    old = HashEmbedder(384)
    await renew(store.transact, NOTES_OF_ANN, old, await identity(old))
    space = await identity(new)
    assert seen(store, space) == Coverage(25, 0, ((await identity(old), 25),), 0)
    await renew(store.transact, NOTES_OF_ANN, new, space)
    assert seen(store, space) == Coverage(25, 25)
    asked = (await embed_texts(new, [note(3)["text"]]))[0]
    assert nearest(store, space, asked) == "n3"
    store.close()
    again = begin(path)
    assert nearest(again, space, asked) == "n3"
    again.close()


async def test_what_was_done_before_a_failure_is_kept_and_the_rest_follows(store: DuckDBStore):
    class Failing(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            self.down = len(self.calls) == 3
            return super().embed(texts)

    embedder = Failing(16)
    space = await identity(embedder)
    with pytest.raises(EmbedderError, match="no route to host"):
        await renew(store.transact, NOTES_OF_ANN, embedder, space, batch=10)
    assert seen(store, space) == Coverage(25, 20, (), 5)
    assert await renew(store.transact, NOTES_OF_ANN, embedder, space, batch=10) == 5
    assert seen(store, space).left == 0


async def test_only_so_many_rows_as_asked(store: DuckDBStore):
    embedder = HashEmbedder(16)
    space = await identity(embedder)
    assert await renew(store.transact, NOTES_OF_ANN, embedder, space, batch=10, most=12) == 12
    assert seen(store, space).left == 13


async def test_a_row_that_changes_or_goes_meanwhile_is_not_given_an_old_vector(store: DuckDBStore):
    class Meddling(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            if note(4)["text"] in texts:
                store.transact_sync(lambda rows: rows.put(NOTES, ANN, [note(4, "all about coffee")]))
                store.transact_sync(lambda rows: rows.delete(NOTES, ANN, ["n5"]))
            return super().embed(texts)

    embedder = Meddling(16)
    space = await identity(embedder)
    await renew(store.transact, NOTES_OF_ANN, embedder, space)
    assert seen(store, space) == Coverage(24, 24)
    asked = (await embed_texts(embedder, ["all about coffee"]))[0]
    assert nearest(store, space, asked) == "n4"


async def test_blank_texts_are_done_and_found_by_nothing(store: DuckDBStore):
    store.transact_sync(lambda rows: rows.put(NOTES, ANN, [note(30, " ")]))
    embedder = HashEmbedder(16)
    space = await identity(embedder)
    assert await renew(store.transact, NOTES_OF_ANN, embedder, space) == 26
    assert seen(store, space).left == 0


async def test_rows_of_the_old_model_are_left_out_until_their_turn_comes(store: DuckDBStore):
    old, new = HashEmbedder(16), HashEmbedder(16, seed="other")
    await renew(store.transact, NOTES_OF_ANN, old, await identity(old))
    space = await identity(new)
    await renew(store.transact, NOTES_OF_ANN, new, space, batch=10, most=10)

    def look(rows: Rows) -> tuple[list[str], list[str]]:
        index = rows.index(NOTES, ANN, space)
        assert index is not None
        assert index.vectors is not None
        present = [index.ids[position] for position in np.flatnonzero(index.vectors.present).tolist()]
        return present, [one.id for one in rows.match(NOTES, ANN, ["24"], 5)]

    with_vectors, by_words = store.transact_sync(look)
    assert with_vectors == [f"n{number}" for number in range(10)]
    assert by_words == ["n24"]


def test_a_model_that_rounds_otherwise_is_the_same_model(store: DuckDBStore):
    vector = {"n1": np.ones(4, np.float32) / 2}
    store.transact_sync(lambda rows: rows.set_vectors(NOTES, ANN, RowVectors("m/4/7f00", vector)))
    assert seen(store, "m/4/7e01").done == 1
    assert seen(store, "m/4/007f").done == 0
    assert store.transact_sync(lambda rows: len(rows.outside_space(NOTES, ANN, "m/4/7e01", 100))) == 24
    store.transact_sync(lambda rows: rows.set_vectors(NOTES, ANN, RowVectors("m/4/7e01", {"n2": vector["n1"]})))
    assert store.transact_sync(lambda rows: rows.spaces(NOTES, ANN)) == {"": 23, "m/4/7f00": 2}


def test_coverages_add():
    one, other = Coverage(5, 1, (("a", 2), ("b", 1)), 1), Coverage(3, 0, (("b", 3),), 0)
    assert one + other == Coverage(8, 1, (("a", 2), ("b", 4)), 1)
    assert (one + other).left == 7
    assert coverage({"": 2, "a": 1}, "") == Coverage(3, 0, (("a", 1),), 2)
