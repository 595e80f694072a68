"""The stub server itself: scripts, records, embeddings, over plain HTTP."""

import json
import math
from http.client import HTTPConnection
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.stub_server import StubServer, text, vector


def post(server: StubServer, path: str, body: dict[str, Any]) -> Any:
    request = Request(server.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)


@pytest.fixture
def server():
    with StubServer() as server:
        yield server


def test_a_reply_may_depend_on_the_request(server: StubServer):
    server.script([lambda received: text(received.body["messages"][-1]["content"].upper())])
    answer = post(server, "/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "hi"}]})
    assert answer["choices"][0]["message"]["content"] == "HI"
    assert server.requests[0].body["model"] == "m"


def test_a_closed_server_leaves_no_connection_open():
    with StubServer() as server:
        server.script([text("hi")])
        client = HTTPConnection(urlsplit(server.url).netloc, timeout=60)
        client.request("POST", "/v1/chat/completions", "{}", {"content-type": "application/json"})
        client.getresponse().read()
    assert client.sock.recv(1) == b""
    client.close()


def test_a_call_too_many_fails(server: StubServer):
    with pytest.raises(HTTPError) as caught:
        post(server, "/v1/chat/completions", {"model": "m", "messages": []})
    assert caught.value.code == 400
    caught.value.close()


def test_embeddings_are_unit_vectors_that_depend_on_the_text_only(server: StubServer):
    answer = post(server, "/v1/embeddings", {"model": "m", "input": ["tea", "coffee", "tea"], "dimensions": 40})
    tea, coffee, again = (each["embedding"] for each in answer["data"])
    assert tea == again == vector("tea", 40)
    assert tea != coffee
    assert math.isclose(math.hypot(*tea), 1)


def test_a_server_may_answer_and_embed_by_functions_of_its_own():
    def embed(_: str, dimensions: int) -> list[float]:
        return [1.0] * dimensions

    with StubServer(otherwise=lambda received: text(received.path), embed_text=embed, dimensions=3) as own:
        for _ in range(2):
            answer = post(own, "/v1/chat/completions", {"model": "m", "messages": []})
            assert answer["choices"][0]["message"]["content"] == "/v1/chat/completions"
        assert post(own, "/v1/embeddings", {"input": "tea"})["data"][0]["embedding"] == [1.0] * 3
        assert post(own, "/v1/embeddings", {"input": "tea", "dimensions": 2})["data"][0]["embedding"] == [1.0] * 2
