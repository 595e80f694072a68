"""A small OpenAI-compatible HTTP server for tests: scripted per test, on loopback, standard library only.

Usage::

    from tests.stub_server import StubServer, text, failure

    with StubServer() as server:
        server.script([failure(429, retry_after=0), text('{"observations": []}')])
        ...  # any OpenAI client with base_url=server.url + "/v1"
        assert server.requests[0].body["model"] == "stub"

A scripted entry is a ``StubReply`` (made by the factories below) or a function from the received request to one.
A request that finds the script used up is answered with status 400, so that a call too many fails its test.
``/v1/embeddings`` needs no script: it answers deterministic unit vectors.
The fixture ``stub_server`` gives a running server: import it in the ``conftest.py`` that needs it.
"""

from .fixture import stub_server
from .replies import StubReply, cut_stream, failure, hang, raw, slow, text, tools, wrong_length
from .server import Received, StubServer
from .vectors import vector

__all__ = [
    "Received",
    "StubReply",
    "StubServer",
    "cut_stream",
    "failure",
    "hang",
    "raw",
    "slow",
    "stub_server",
    "text",
    "tools",
    "vector",
    "wrong_length",
]
