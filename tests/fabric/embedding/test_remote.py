"""An embedding model of a provider, over HTTP: batches, failures, retries, cost."""

import json
from typing import Any

import numpy as np
import pytest

from fabric.embedding import embed_texts, identity, same_model
from fabric.embedding.remote import BATCH, RemoteEmbedder
from fabric.errors import ConfigurationError, EmbedderError, ModelError, ModelUnavailableError
from tests.stub_server import StubReply, StubServer, failure, hang, raw, vector

from .conftest import Waits


def answer(rows: Any) -> StubReply:
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return raw(json.dumps({"object": "list", "model": "m", "data": data, "usage": usage}).encode())


async def test_one_request_for_all_texts(stub_server: StubServer, remote: RemoteEmbedder):
    assert remote.dimension == 0
    vectors = await embed_texts(remote, ["green tea", "", "black coffee"])
    assert np.allclose(vectors[0], vector("green tea"), atol=1e-6)
    assert not vectors[1].any()
    (request,) = stub_server.requests
    assert (request.path, request.body["input"]) == ("/v1/embeddings", ["green tea", "black coffee"])
    assert (remote.dimension, remote.usage.calls, remote.usage.input_tokens) == (8, 1, 4)
    assert remote.usage.cost > 0


async def test_many_texts_go_in_batches_and_keep_their_order(stub_server: StubServer, remote: RemoteEmbedder):
    texts = [f"text {number}" for number in range(2 * BATCH + 1)]
    vectors = await embed_texts(remote, texts)
    assert np.allclose(vectors, [vector(text) for text in texts], atol=1e-6)
    assert [len(request.body["input"]) for request in stub_server.requests] == [BATCH, BATCH, 1]
    assert remote.usage.calls == 3


async def test_rows_are_put_in_the_order_of_their_index(stub_server: StubServer, remote: RemoteEmbedder):
    reply = answer([[1.0, 0.0], [0.0, 1.0]])
    turned = json.loads(reply.body or b"")
    turned["data"].reverse()
    stub_server.script_embeddings([raw(json.dumps(turned).encode())])
    assert (await embed_texts(remote, ["a", "b"])).tolist() == [[1, 0], [0, 1]]


async def test_what_may_pass_is_tried_again(stub_server: StubServer, remote: RemoteEmbedder, waits: Waits):
    stub_server.script_embeddings([failure(429, retry_after=3), failure(503)])
    assert (await embed_texts(remote, ["a"])).shape == (1, 8)
    assert len(stub_server.requests) == 3
    assert waits[0] == 3


async def test_a_provider_that_stays_down_is_an_embedder_error(stub_server: StubServer, remote: RemoteEmbedder):
    stub_server.script_embeddings([failure(503)] * 3)
    with pytest.raises(EmbedderError, match="text-embedding-3-small' is not available now") as caught:
        await embed_texts(remote, ["a"])
    assert isinstance(caught.value.__cause__, ModelUnavailableError)
    assert len(stub_server.requests) == 3


async def test_a_refused_key_is_not_tried_again_and_says_what_to_do(stub_server: StubServer, remote: RemoteEmbedder):
    stub_server.script_embeddings([failure(401)])
    with pytest.raises(EmbedderError, match="check the API key"):
        await embed_texts(remote, ["a"])
    assert len(stub_server.requests) == 1


async def test_a_hanging_provider_is_given_up(stub_server: StubServer):
    stub_server.script_embeddings([hang()])
    remote = RemoteEmbedder("openai/m", timeout=0.3, attempts=1, api_base=stub_server.url + "/v1", api_key="none")
    with pytest.raises(EmbedderError, match="not available now"):
        await embed_texts(remote, ["a"])


@pytest.mark.parametrize(
    "bad",
    [
        raw(b"upstream is restarting"),
        raw(b""),
        raw(b"{}"),
        answer([]),
        answer([[1.0, 2.0]] * 3),
        answer([[1.0], [1.0, 2.0]]),
        answer(["a", "b"]),
        answer([None, None]),
    ],
)
async def test_a_bad_answer_is_tried_again_then_an_embedder_error(
    stub_server: StubServer, remote: RemoteEmbedder, bad: StubReply
):
    stub_server.script_embeddings([bad])
    assert (await embed_texts(remote, ["a", "b"])).shape == (2, 8)
    stub_server.script_embeddings([bad] * 3)
    with pytest.raises(EmbedderError, match="not available now"):
        await embed_texts(remote, ["a", "b"])


async def test_bad_answers_that_were_paid_for_are_counted(stub_server: StubServer, remote: RemoteEmbedder):
    stub_server.script_embeddings([answer([])])
    await embed_texts(remote, ["one two"])
    assert (remote.usage.calls, remote.usage.input_tokens) == (2, 3 + 2)


async def test_numbers_that_are_not_finite_become_zeros(stub_server: StubServer, remote: RemoteEmbedder):
    stub_server.script_embeddings([answer([[float("nan"), 1.0], [3.0, 4.0]])])
    assert (await embed_texts(remote, ["a", "b"])).round(2).tolist() == np.float32([[0, 0], [0.6, 0.8]]).tolist()


async def test_a_model_that_changed_its_dimension_is_another_model(stub_server: StubServer, remote: RemoteEmbedder):
    before = await identity(remote)
    other = RemoteEmbedder("openai/text-embedding-3-small", api_base=stub_server.url + "/v1", api_key="none")
    stub_server.script_embeddings([answer([[1.0] * 4])])
    assert not same_model(before, await identity(other))
    assert same_model(before, await identity(remote))


async def test_a_model_that_changes_its_dimension_in_use_is_an_error(stub_server: StubServer, remote: RemoteEmbedder):
    await embed_texts(remote, ["a"])
    stub_server.script_embeddings([answer([[1.0] * 4])])
    with pytest.raises(EmbedderError, match=r"expected vectors of shape \(1, 8\), got \(1, 4\)"):
        await embed_texts(remote, ["a"])


@pytest.mark.parametrize("options", [{"model": " "}, {"timeout": 0}, {"attempts": 0}])
def test_options_that_cannot_work(options: dict[str, Any]):
    with pytest.raises(ConfigurationError, match="expected a model id"):
        RemoteEmbedder(**{"model": "openai/m", **options})


def test_an_embedder_error_is_a_model_error():
    assert issubclass(EmbedderError, ModelError)
