"""Frames: a line of standard input that is no message of the protocol is answered with a protocol error."""

from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from fabric.narrowing import is_dict


class AnsweringStream:
    """The messages of a stream; what else comes along it is answered on ``writing``, and blank lines are passed over.

    The SDK's own loop drops such lines, so that a client which is wrong would wait for ever.
    """

    def __init__(self, reading: Any, writing: Any) -> None:
        self._reading = reading
        self._writing = writing

    @property
    def last_context(self) -> Any:
        """The context in which the last message was sent."""
        return getattr(self._reading, "last_context", None)

    async def receive(self) -> SessionMessage:
        """Return the next message."""
        while True:
            item = await self._reading.receive()
            if isinstance(item, SessionMessage):
                return item
            answer = refused_frame(item)
            if answer is not None:
                await self._writing.send(SessionMessage(answer))

    async def aclose(self) -> None:
        """Close the stream below."""
        await self._reading.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._reading.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        left: bool | None = await self._reading.__aexit__(exc_type, exc_val, exc_tb)
        return left


def refused_frame(error: Exception) -> JSONRPCError | None:
    """Return the answer to a line that could not be read, under its id where it has one; None for a blank line."""
    found = error.errors(include_url=False, include_context=False) if isinstance(error, ValidationError) else []
    broken = next((error for error in found if error["type"] == "json_invalid"), None)
    if broken is None:
        return _error(_id(found), INVALID_REQUEST, "the line is not one JSON-RPC 2.0 message; batches are not taken")
    given = broken["input"]
    if isinstance(given, str | bytes) and not given.strip():
        return None
    return _error(None, PARSE_ERROR, f"the line is not JSON: {broken['msg']}")


def _id(found: list[Any]) -> int | str | None:
    """Return the id of the message: what lacks a field is told with the whole of it."""
    messages = (record["input"] for record in found if record["type"] == "missing" and is_dict(record["input"]))
    given = next(messages, dict[str, Any]()).get("id")
    return given if isinstance(given, int | str) and not isinstance(given, bool) else None


def _error(to: int | str | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=to, error=ErrorData(code=code, message=message))
