"""Threads that answer HTTP on loopback until they are told to stop: what the servers of tests are made of."""

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class LoopbackServer(ThreadingHTTPServer):
    """An HTTP server on 127.0.0.1 with a thread for each connection; ``port`` 0 takes a free one."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128  # of five, the next client waits a second before it knocks again

    def __init__(self, handler: type["LoopbackHandler"], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.connections: set[socket.socket] = set()
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.02}, name="loopback-server", daemon=True
        )

    @property
    def url(self) -> str:
        """The address to reach it at, e.g. ``http://127.0.0.1:40213``."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        """Answer from now on, in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening and end what clients keep open: each connection has a thread."""
        self.shutdown()
        self.server_close()
        for connection in tuple(self.connections):
            with suppress(OSError):  # the client has closed it
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=60)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that give up are part of the tests."""


class LoopbackHandler(BaseHTTPRequestHandler):
    """One connection of a ``LoopbackServer``: each request of whatever method is answered by ``respond``."""

    server: LoopbackServer
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

    def respond(self) -> None:
        """Read the request, whose line and headers have been read, and write an answer."""
        raise NotImplementedError

    def do_GET(self) -> None:
        self.respond()

    def do_POST(self) -> None:
        self.respond()

    def do_PUT(self) -> None:
        self.respond()

    def do_PATCH(self) -> None:
        self.respond()

    def do_DELETE(self) -> None:
        self.respond()
