"""The server itself: threads on loopback, a script of replies and a record of what was asked."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from .loopback import LoopbackHandler, LoopbackServer
from .replies import StubReply, failure
from .vectors import vector


@dataclass(frozen=True)
class Received:
    """One request as it came: path, headers (lower-case names) and the JSON body."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


Scripted = StubReply | Callable[[Received], StubReply]


class StubServer:
    """A scripted OpenAI-compatible server; ``url`` has no trailing slash and no ``/v1``.

    ``otherwise`` answers each completion request that finds the script used up, in place of status 400.
    ``embed_text`` gives the vector of a text in so many numbers; a request that names none gets ``dimensions``.
    """

    def __init__(
        self,
        *,
        otherwise: Scripted | None = None,
        embed_text: Callable[[str, int], list[float]] = vector,
        dimensions: int = 8,
    ) -> None:
        self.requests: list[Received] = []
        self._otherwise: Scripted = otherwise or failure(400, "the stub's script is used up")
        self._embed_text, self._dimensions = embed_text, dimensions
        self.closing = threading.Event()
        self._script: deque[Scripted] = deque()
        self._embeddings: deque[StubReply] = deque()
        self._lock = threading.Lock()
        self._server = _Server(_Handler)
        self._server.stub = self

    @property
    def url(self) -> str:
        """The address to reach it at, e.g. ``http://127.0.0.1:40213``."""
        return self._server.url

    def script(self, replies: Iterable[Scripted]) -> None:
        """Replace what is left of the script by ``replies``, one for each coming completion request."""
        with self._lock:
            self._script = deque(replies)

    def script_embeddings(self, replies: Iterable[StubReply]) -> None:
        """Answer the next embeddings requests by ``replies``; those after them get vectors again."""
        with self._lock:
            self._embeddings = deque(replies)

    def answer(self, received: Received) -> StubReply:
        """Record a completion request and return the next scripted reply."""
        with self._lock:
            self.requests.append(received)
            scripted = self._script.popleft() if self._script else self._otherwise
        return scripted(received) if callable(scripted) else scripted

    def embed(self, received: Received) -> StubReply:
        """Record an embeddings request and return its scripted reply, or a vector for each input text."""
        with self._lock:
            self.requests.append(received)
            if self._embeddings:
                return self._embeddings.popleft()
        inputs = received.body.get("input", [])
        texts = [inputs] if isinstance(inputs, str) else inputs
        dimensions = received.body.get("dimensions") or self._dimensions
        data = [
            {"object": "embedding", "index": index, "embedding": self._embed_text(str(each), dimensions)}
            for index, each in enumerate(texts)
        ]
        count = sum(len(str(each).split()) for each in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        answer = {"object": "list", "model": received.body.get("model", ""), "data": data, "usage": usage}
        return StubReply(body=json.dumps(answer).encode())

    def close(self) -> None:
        """Stop listening, let hanging answers go and end what clients keep open: each connection has a thread."""
        self.closing.set()
        self._server.stop()

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(LoopbackServer):
    stub: StubServer


class _Handler(LoopbackHandler):
    server: _Server

    def respond(self) -> None:
        if self.command != "POST":
            self.send_error(501)
            return
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        received = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        stub = self.server.stub
        reply = stub.embed(received) if self.path.endswith("/embeddings") else stub.answer(received)
        if reply.hang and reply.cut_after is None:
            self._hang()
            return
        if reply.delay:
            time.sleep(reply.delay)
        if reply.body is None and body.get("stream"):
            self._send_events(reply, body)
        else:
            self._send_body(reply, reply.body if reply.body is not None else reply.completion(body.get("model", "")))

    def _hang(self) -> None:
        self.server.stub.closing.wait()
        self.close_connection = True

    def _send_body(self, reply: StubReply, body: bytes) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        self.send_header("content-length", str(len(body) + (reply.declared_length or 0)))
        self._send_extra(reply)
        self.wfile.write(body)
        self.close_connection = self.close_connection or reply.declared_length is not None

    def _send_events(self, reply: StubReply, body: dict[str, Any]) -> None:
        wanted = (body.get("stream_options") or {}).get("include_usage")
        events = (reply if wanted else replace(reply, usage=None)).events(body.get("model", ""))
        self.send_response(reply.status)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self._send_extra(reply)
        for event in events[: reply.cut_after]:
            self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
            self.wfile.flush()
        if reply.hang:
            self._hang()
        elif reply.cut_after is None:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def _send_extra(self, reply: StubReply) -> None:
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
