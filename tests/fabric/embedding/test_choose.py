"""What may be written as ``embedder=``, and what a mistake is answered."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from fabric.embedding import default_embedder, embed_texts, embedder_of, word_table
from fabric.embedding.callable import CallableEmbedder
from fabric.embedding.files import is_installed
from fabric.embedding.joined import STATIC_SHARE, JoinedEmbedder
from fabric.embedding.minilm import PACKAGES, MiniLMEmbedder
from fabric.embedding.remote import RemoteEmbedder
from fabric.embedding.static import PACKAGE, StaticEmbedder
from fabric.errors import ConfigurationError
from fabric.models.litellm import embedding_models

from .fakes import HashEmbedder


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


async def lengths_later(texts: list[str]) -> list[list[float]]:
    return lengths(texts)


@pytest.mark.parametrize("choice", [None, "none"])
def test_none_means_no_embedder(choice: str | None):
    assert embedder_of(choice) is None


@pytest.mark.skipif(not is_installed(PACKAGE), reason="the static model has no wheel for this platform")
def test_the_default_is_the_static_model_loaded_once_for_all():
    assert isinstance(embedder_of("default"), StaticEmbedder)
    assert embedder_of("default") is default_embedder()


@pytest.mark.skipif(not all(map(is_installed, (PACKAGE, *PACKAGES))), reason="needs the extra minilm")
async def test_minilm_stands_beside_the_static_model_and_cosines_mix():
    joined = embedder_of("minilm")
    assert isinstance(joined, JoinedEmbedder)
    assert joined.dimension == 256 + 384
    assert joined.tokens.vector("tea") is not None
    texts = ["What does she do for a living?", "Ann is a nurse.", ""]
    both, static, minilm = [await embed_texts(one, texts) for one in (joined, StaticEmbedder(), MiniLMEmbedder())]
    assert both[0] @ both[1] == pytest.approx(
        STATIC_SHARE * static[0] @ static[1] + (1 - STATIC_SHARE) * minilm[0] @ minilm[1], abs=1e-5
    )
    assert not both[2].any()


@pytest.mark.parametrize("name", ["openai/text-embedding-3-small", "my-server/any", "text-embedding-3-small"])
def test_a_name_with_its_provider_or_on_the_list_of_litellm_is_a_model_of_a_provider(name: str):
    embedder = embedder_of(f" {name} ")
    assert isinstance(embedder, RemoteEmbedder)
    assert embedder.name == name


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("foo", 'with its provider it may be "<provider>/foo"'),
        ("minillm", "did you mean 'minilm'?"),
        ("text-embeding-3-small", "did you mean 'text-embedding-3-small'?"),
        ("gpt-5", "expected"),
    ],
)
def test_a_name_that_nobody_knows_is_refused_with_a_hint(name: str, hint: str):
    with pytest.raises(ConfigurationError, match=f"embedder '{name}' is unknown, .*{re.escape(hint)}"):
        embedder_of(name)


def test_the_list_of_litellm_holds_the_names_of_embedding_models_alone():
    assert {"text-embedding-3-large", "text-embedding-ada-002"} <= embedding_models()
    assert "gpt-4o" not in embedding_models()


def test_an_embedder_is_taken_as_it_is():
    embedder = HashEmbedder()
    assert embedder_of(embedder) is embedder


@pytest.mark.parametrize("function", [lengths, lengths_later])
async def test_a_function_plain_or_async(function: Any):
    embedder = embedder_of(function)
    assert isinstance(embedder, CallableEmbedder)
    vectors = await embed_texts(embedder, ["", "abc"])
    assert np.allclose(vectors, [[0, 0], np.array([3, 1]) / np.sqrt(10)])
    assert (embedder.name, embedder.dimension) == (function.__qualname__, 2)


async def test_an_object_that_is_called():
    class Model:
        def __call__(self, texts: Sequence[str]) -> Any:
            return np.ones((len(texts), 4), np.float32)

    embedder = embedder_of(Model())
    assert embedder is not None
    assert "Model" in embedder.name
    assert (await embed_texts(embedder, ["a"])).tolist() == [[0.5] * 4]


@pytest.mark.parametrize("wrong", ["", "  ", 3, {"model": "x"}, True])
def test_anything_else_is_a_configuration_error(wrong: Any):
    with pytest.raises(ConfigurationError, match=r'embedder is .*; expected "default", "minilm", a litellm model id'):
        embedder_of(wrong)


@pytest.mark.skipif(not is_installed(PACKAGE), reason="the static model has no wheel for this platform")
def test_words_are_compared_by_the_static_model_beside_any_embedder():
    static = default_embedder()
    assert static is not None
    assert word_table(static) is word_table(HashEmbedder()) is static.tokens
    assert word_table(None) is None
