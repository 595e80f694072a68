"""What every embedder is held to, whoever wrote it: shape, length, errors, and being told apart from others."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.embedding import Embedder, embed_and_identify, embed_texts, identity, same_model
from fabric.embedding.base import AT_ONCE, LONGEST, unit_rows
from fabric.errors import EmbedderError
from tests.soak import examples

from .fakes import Answering, HashEmbedder, hashed


async def test_vectors_have_length_one_and_blank_texts_are_zeros():
    embedder = HashEmbedder(8)
    vectors = await embed_texts(embedder, ["tea", "", " \n\t", "coffee"])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1).round(5).tolist() == [1, 0, 0, 1]
    assert embedder.calls == [["tea", "coffee"]]
    assert np.allclose(vectors[0], hashed("tea", 8) / np.linalg.norm(hashed("tea", 8)))


async def test_nothing_to_embed_asks_nobody():
    embedder = HashEmbedder(8)
    assert (await embed_texts(embedder, [])).shape == (0, 8)
    assert (await embed_texts(embedder, ["", " "])).tolist() == [[0.0] * 8] * 2
    assert embedder.calls == []


async def test_texts_reach_the_embedder_in_a_form_that_can_be_sent():
    embedder = HashEmbedder(8)
    await embed_texts(embedder, ["caf\ud83d", "a\x00b", "x" * 1_000_000])
    (sent,) = embedder.calls
    assert sent == ["caf\ufffd", "a\x00b", "x" * LONGEST]


@settings(max_examples=examples(60))
@given(st.lists(st.lists(st.floats(width=64), min_size=3, max_size=3), min_size=1, max_size=6))
def test_rows_of_any_numbers_become_unit_or_zero(rows: list[list[float]]):
    lengths = np.linalg.norm(unit_rows(np.array(rows)).astype(np.float64), axis=1)
    usable = [all(map(np.isfinite, row)) and any(row) for row in rows]
    assert lengths.round(4).tolist() == [1.0 if one else 0.0 for one in usable]


@pytest.mark.parametrize(
    ("answer", "dimension"),
    [
        ("no vectors", 0),
        (None, 0),
        ([[1.0, 2.0]], 3),
        ([[1.0], [2.0]], 0),
        ([1.0, 2.0, 3.0], 0),
        ([[]], 0),
        ([["a"]], 0),
        ([[1.0], [1.0, 2.0]], 0),
    ],
)
async def test_an_answer_of_another_form_is_an_embedder_error(answer: Any, dimension: int):
    with pytest.raises(EmbedderError, match=r"embedder 'answering': expected .*, got"):
        await embed_texts(Answering(answer, dimension), ["one text"])


async def test_a_failure_of_any_kind_is_an_embedder_error_with_its_cause():
    embedder = HashEmbedder()
    embedder.down = True
    with pytest.raises(EmbedderError, match="embedder 'hash' failed on 2 texts: ConnectionError: no route") as caught:
        await embed_texts(embedder, ["a", "b"])
    assert isinstance(caught.value.__cause__, ConnectionError)


class Threads:
    """Remembers on which threads it was called."""

    name = "threads"
    dimension = 2

    def __init__(self, *, quick: bool) -> None:
        self.quick = quick
        self.seen: list[threading.Thread] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.seen.append(threading.current_thread())
        return [[1.0, 0.0]] * len(texts)


async def test_only_small_batches_of_quick_embedders_run_on_the_callers_thread():
    quick, slow = Threads(quick=True), Threads(quick=False)
    await embed_texts(quick, ["a"])
    await embed_texts(quick, ["a"] * (AT_ONCE + 1))
    await embed_texts(slow, ["a"])
    here = threading.current_thread()
    assert [one is here for one in quick.seen + slow.seen] == [True, False, False]


async def test_a_slow_embedder_does_not_hold_up_the_loop():
    held = threading.Event()

    class Held(Threads):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            assert held.wait(60)
            return super().embed(texts)

    asked = asyncio.create_task(embed_texts(Held(quick=False), ["a"]))
    await asyncio.sleep(0.01)
    held.set()
    assert (await asked).tolist() == [[1.0, 0.0]]


async def test_another_model_of_equal_name_and_dimension_is_another_model():
    one, same, other = HashEmbedder(384), HashEmbedder(384), HashEmbedder(384, seed="other")
    assert same_model(await identity(one), await identity(same))
    assert not same_model(await identity(one), await identity(other))


@pytest.mark.parametrize(("name", "dimension"), [("hash", 768), ("renamed", 384)])
async def test_another_dimension_or_name_is_another_model(name: str, dimension: int):
    assert not same_model(await identity(HashEmbedder(384)), await identity(HashEmbedder(dimension, name=name)))


@pytest.mark.parametrize("dimension", [2, 8, 64, 384, 3072])
async def test_rounding_does_not_make_another_model(dimension: int):
    class Rounding(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            exact = unit_rows(super().embed(texts))
            return exact + np.random.default_rng(1).normal(0, 0.02 / np.sqrt(dimension), exact.shape)

    exact, rounded = await identity(HashEmbedder(dimension)), await identity(Rounding(dimension))
    assert exact != rounded or dimension == 2
    assert same_model(exact, rounded)


async def test_texts_and_identity_cost_one_call():
    embedder = HashEmbedder(8)
    vectors, space = await embed_and_identify(embedder, ["tea", ""])
    assert len(embedder.calls) == 1
    assert np.array_equal(vectors, await embed_texts(embedder, ["tea", ""]))
    assert space == await identity(embedder)


@pytest.mark.parametrize("text", ["", "/", "a", "a/b", "a/b/c", "a/b/zz", "a/3/7", "日/3/7f"])
def test_any_text_is_like_itself_and_unlike_an_identity(text: str):
    assert same_model(text, text)
    assert not same_model(text, "a/3/70")
    assert not same_model("a/3/70", text)


def test_a_class_with_a_name_a_dimension_and_embed_is_an_embedder():
    assert isinstance(HashEmbedder(), Embedder)
    assert not isinstance(len, Embedder)
