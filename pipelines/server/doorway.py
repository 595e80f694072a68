"""The doorway: a request has so long to arrive, and so many that have not arrived whole may wait at once."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""How long a connection may take to send the head of a request."""
BODY_SECONDS = 60.0
"""How long a request may take to arrive whole."""
MAX_WAITING = 200
"""How many connections may be without a whole request at once: past it the oldest is dropped for the newest."""
_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    b"content-length: 59\r\n\r\nThe request did not arrive in time: send it again at once.\n"
)


class Doorway:
    """The connections of one server that have sent no whole request yet, oldest first."""

    def __init__(self, head_seconds: float = HEAD_SECONDS, body_seconds: float = BODY_SECONDS) -> None:
        self.head_seconds = head_seconds
        self.body_seconds = body_seconds
        self.waiting: dict[_Timed, None] = {}

    def protocol(self) -> type[asyncio.Protocol]:
        """Return the kind of connection that uvicorn makes for each client."""
        doorway = self

        class Connection(_Timed):
            door = doorway

        return Connection

    def enter(self, connection: "_Timed") -> None:
        """Let a connection wait for its request, and drop those that wait longest when they are too many."""
        self.waiting.pop(connection, None)
        self.waiting[connection] = None
        while len(self.waiting) > MAX_WAITING:
            next(iter(self.waiting)).drop()

    def leave(self, connection: "_Timed") -> None:
        """Take a connection out that has sent its request, or is gone."""
        self.waiting.pop(connection, None)


class _Timed(H11Protocol):
    """A connection whose requests must arrive in time, whole; what is answered and kept open is none of it."""

    door: Doorway
    _head: asyncio.TimerHandle | None = None
    _body: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        if self._body is None and self.conn.their_state is h11.IDLE:
            self._begin()  # the next request of a connection that was kept open
        super().data_received(data)
        state = self.conn.their_state
        if state is not h11.IDLE and self._head is not None:
            self._head.cancel()
        if state not in (h11.IDLE, h11.SEND_BODY):
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Answer that it took too long where nothing was answered yet, and close."""
        self._end()
        if self.transport.is_closing():
            return
        if self.conn.our_state is h11.IDLE:
            self.transport.write(_LATE)
        self.transport.close()

    def _begin(self) -> None:
        self._head = self.loop.call_later(self.door.head_seconds, self.drop)
        self._body = self.loop.call_later(self.door.body_seconds, self.drop)
        self.door.enter(self)

    def _end(self) -> None:
        for timer in (self._head, self._body):
            if timer is not None:
                timer.cancel()
        self._head = self._body = None
        self.door.leave(self)
