"""A small OpenAI-compatible HTTP server for tests: scripted per test, on loopback, standard library only.

Usage::

    from tests.stub_server import StubServer, text, failure

    with StubServer() as server:
        server.script([failure(429, retry_after=0), text('{"observations": []}')])
        ...  # any OpenAI client with base_url=server.url + "/v1"
        assert server.requests[0].body["model"] == "stub"

A scripted entry is a ``StubReply`` (made by the factories below) or a function from the received request to one.
A request that finds the script used up is answered with status 400, so that a call too many fails its test.
``BAD_ANSWERS`` and ``BAD_TRANSPORT`` are named bad answers: what models write and what servers do.
``/v1/embeddings`` needs no script: it answers deterministic unit vectors, after what ``script_embeddings`` was given.
The fixture ``stub_server`` gives a running server: import it in the ``conftest.py`` that needs it.
"""

from .bad import BAD_ANSWERS, BAD_TRANSPORT, GOOD, Bad
from .fixture import stub_server
from .replies import StubReply, cut_stream, failure, hang, raw, slow, stalled_stream, text, tools, wrong_length
from .server import Received, StubServer
from .vectors import vector

__all__ = [
    "BAD_ANSWERS",
    "BAD_TRANSPORT",
    "GOOD",
    "Bad",
    "Received",
    "StubReply",
    "StubServer",
    "cut_stream",
    "failure",
    "hang",
    "raw",
    "slow",
    "stalled_stream",
    "stub_server",
    "text",
    "tools",
    "vector",
    "wrong_length",
]
