"""The server itself: threads on loopback, a script of replies and a record of what was asked."""

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

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
    """A scripted OpenAI-compatible server; ``url`` has no trailing slash and no ``/v1``."""

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.closing = threading.Event()
        self._script: deque[Scripted] = deque()
        self._embeddings: deque[StubReply] = deque()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stub = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, name="stub-server", daemon=True
        )

    @property
    def url(self) -> str:
        """The address to reach it at, e.g. ``http://127.0.0.1:40213``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

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
            scripted = self._script.popleft() if self._script else failure(400, "the stub's script is used up")
        return scripted(received) if callable(scripted) else scripted

    def embed(self, received: Received) -> StubReply:
        """Record an embeddings request and return its scripted reply, or a vector for each input text."""
        with self._lock:
            self.requests.append(received)
            if self._embeddings:
                return self._embeddings.popleft()
        inputs = received.body.get("input", [])
        texts = [inputs] if isinstance(inputs, str) else inputs
        dimensions = received.body.get("dimensions") or 8
        data = [
            {"object": "embedding", "index": index, "embedding": vector(str(each), dimensions)}
            for index, each in enumerate(texts)
        ]
        count = sum(len(str(each).split()) for each in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        answer = {"object": "list", "model": received.body.get("model", ""), "data": data, "usage": usage}
        return StubReply(body=json.dumps(answer).encode())

    def close(self) -> None:
        """Stop listening, let hanging answers go and end what clients keep open: each connection has a thread."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        for connection in tuple(self._server.connections):
            with suppress(OSError):  # the client has closed it
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=60)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    stub: StubServer

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.connections: set[socket.socket] = set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that give up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are written apart; waiting for an acknowledgement costs 40 ms

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
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
