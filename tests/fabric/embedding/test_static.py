"""The default model: what it finds alike, odd texts, no network, no trace in the caller's program."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fabric.embedding import embed_texts, identity, same_model
from fabric.embedding.files import is_installed, model_file
from fabric.embedding.static import ADVICE, PACKAGE, TERM_DIMENSION, TERMS_KEPT, WEIGHTS, StaticEmbedder, TokenTable
from fabric.errors import EmbedderError

pytestmark = pytest.mark.skipif(not is_installed(PACKAGE), reason="the static model has no wheel for this platform")
IDENTITY = "wordllama-l2-supercat-256/256/23322409f509e801d0051c0bf0d530c7"
OFFLINE = """
import logging, socket, sys
def refuse(*args, **options):
    raise AssertionError(f"a connection was tried: {args}")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from fabric.embedding.static import StaticEmbedder
from fabric.embedding.choose import default_embedder
assert "numpy" not in sys.modules
print(StaticEmbedder().embed(["tea"]).shape, logging.getLogger().handlers, "wordllama" in sys.modules)
"""


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder()


async def test_texts_of_like_meaning_are_nearer_than_others(static: StaticEmbedder):
    dog, puppy, tax = await embed_texts(static, ["a dog barks", "the puppy is loud", "income tax law"])
    assert dog @ puppy > 0.2 > dog @ tax


async def test_the_model_is_the_one_that_was_measured(static: StaticEmbedder):
    assert same_model(await identity(static), IDENTITY)


async def test_odd_texts_have_finite_vectors(static: StaticEmbedder):
    odd = ["", " ", "\x00", "😀", "caf\ud83d", "?", "\u200b", "word " * 200_000, "x" * 1_000_000, "安全" * 300_000]
    vectors = await embed_texts(static, odd)
    assert np.isfinite(vectors).all()
    assert set(np.linalg.norm(vectors, axis=1).round(4).tolist()) <= {0.0, 1.0}
    assert np.linalg.norm(vectors[3:], axis=1).round(4).tolist() == [1.0] * 7


def test_the_static_model_itself_takes_empty_texts(static: StaticEmbedder):
    assert not static.embed([""]).any()


async def test_a_text_has_the_same_vector_alone_and_in_a_batch(static: StaticEmbedder):
    texts = [f"note {number} about {'tea' * number}" for number in range(100)]
    together = await embed_texts(static, texts)
    alone = [(await embed_texts(StaticEmbedder() if n == 0 else static, [text]))[0] for n, text in enumerate(texts)]
    assert np.array_equal(together, np.stack(alone))


def test_it_needs_no_network_and_leaves_no_trace_in_the_program():
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "(1, 256) [] False", done.stderr


def test_words_of_like_meaning_have_near_vectors(static: StaticEmbedder):
    def cosine(one: str, other: str) -> float:
        a, b = static.tokens.vectors([one, other])
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    assert cosine("job", "work") > 0.3 > cosine("job", "banana")


def test_a_word_vector_is_the_mean_of_its_pieces(static: StaticEmbedder):
    word = "unbelievability"
    (pieces,) = static._loaded().ids([word])
    assert len(pieces) > 1
    vector = static.tokens.vector(word)
    assert vector is not None
    assert vector.shape == (TERM_DIMENSION,)
    assert np.allclose(vector, static._loaded().table[pieces, :TERM_DIMENSION].mean(0), atol=1e-6)
    assert static.tokens.vector("") is None


def test_only_words_in_latin_script_have_vectors(static: StaticEmbedder):
    found = static.tokens.vectors(["größe", "naïve", "gpt4", "2022", "собака", "قهوة", "咖啡", "ねこ"])
    assert found.any(axis=1).tolist() == [True] * 4 + [False] * 4


def test_the_table_of_words_stays_small_and_answers_the_same(static: StaticEmbedder):
    table = TokenTable(static)
    before = table.vectors(["tea", "tea", "coffee"])
    table.vectors([f"word{number}" for number in range(TERMS_KEPT + 5)])
    table.vectors([f"more{number}" for number in range(TERMS_KEPT - 5)])
    assert len(table._kept) <= TERMS_KEPT
    assert np.array_equal(table.vectors(["tea", "tea", "coffee"]), before)
    assert table.vectors([]).shape == (0, TERM_DIMENSION)


def test_another_weight_file_is_refused_with_what_to_do(tmp_path: Path, static: StaticEmbedder):
    path = model_file(PACKAGE, *WEIGHTS, ADVICE)
    with pytest.raises(EmbedderError, match=rf"{path.name}: its sha256 is 64b4\w+, expected 0000: install the static"):
        model_file(PACKAGE, WEIGHTS[0], "0000", ADVICE)
    with pytest.raises(EmbedderError, match=r"none: cannot be read \(No such file"):
        model_file(PACKAGE, "none", "0000", ADVICE)
    with pytest.raises(EmbedderError, match="package 'no_such_package' is not installed: install the static model"):
        model_file("no_such_package", *WEIGHTS, ADVICE)


@pytest.mark.parametrize("word", ["чай", "茶", "お茶", "شاي", "τσάι", "teaчай"])
def test_a_word_of_another_script_has_no_vector(static: StaticEmbedder, word: str):
    assert static.tokens.vector(word) is None


def test_a_word_with_accents_has_one(static: StaticEmbedder):
    assert static.tokens.vector("größer") is not None
