"""What the server can be told to answer: one record and a factory for each kind."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class StubReply:
    """One scripted answer of the server.

    ``hang`` never finishes: nothing is sent, or with ``cut_after`` only so many stream events.
    ``content`` and ``tool_calls`` fill an ordinary completion (or its stream, when the request asks for one).
    ``body`` replaces everything by these bytes. ``cut_after`` closes the connection after so many stream events;
    ``finish=None`` sends no finish reason. ``declared_length`` lies in the content-length header.
    """

    content: str | None = None
    tool_calls: Sequence[tuple[str, str, str]] = ()
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (11, 7)
    status: int = 200
    body: bytes | None = None
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    hang: bool = False
    cut_after: int | None = None
    declared_length: int | None = None
    piece: int = 5
    """Characters of text or arguments per stream event."""

    def message(self) -> dict[str, Any]:
        """Return the assistant message of an ordinary completion."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.tool_calls:
            message["tool_calls"] = [
                {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
                for id_, name, arguments in self.tool_calls
            ]
        return message

    def completion(self, model: str) -> bytes:
        """Return the JSON body of an ordinary completion."""
        answer: dict[str, Any] = {
            "id": "chatcmpl-stub",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": model,
            "choices": [{"index": 0, "message": self.message(), "finish_reason": self.finish}],
        }
        if self.usage is not None:
            answer["usage"] = _usage(self.usage)
        return json.dumps(answer).encode()

    def events(self, model: str) -> list[bytes]:
        """Return the server-sent events of the same completion, streamed piece by piece."""
        chunks: list[dict[str, Any]] = [{"delta": {"role": "assistant", "content": ""}}]
        chunks += [{"delta": {"content": piece}} for piece in self._pieces(self.content or "")]
        for index, (id_, name, arguments) in enumerate(self.tool_calls):
            function = {"name": name, "arguments": ""}
            chunks.append(
                {"delta": {"tool_calls": [{"index": index, "id": id_, "type": "function", "function": function}]}}
            )
            chunks += [
                {"delta": {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}}
                for piece in self._pieces(arguments)
            ]
        if self.finish is not None:
            chunks.append({"delta": {}, "finish_reason": self.finish})
        events = [_event(model, [{"index": 0, "finish_reason": None, **chunk}]) for chunk in chunks]
        if self.usage is not None:
            events.append(_event(model, [], usage=_usage(self.usage)))
        return [*events, b"data: [DONE]\n\n"]

    def _pieces(self, text_: str) -> list[str]:
        return [text_[start : start + self.piece] for start in range(0, len(text_), self.piece)]


def text(content: str, *, finish: str | None = "stop", usage: tuple[int, int] | None = (11, 7)) -> StubReply:
    """Answer with ``content``; ``usage`` is tokens in and out."""
    return StubReply(content=content, finish=finish, usage=usage)


def tools(*calls: tuple[str, str, str], content: str | None = None) -> StubReply:
    """Answer with tool calls, each ``(id, name, arguments as JSON text)``."""
    return StubReply(content=content, tool_calls=calls, finish="tool_calls")


def failure(status: int, message: str = "scripted failure", *, retry_after: float | None = None) -> StubReply:
    """Answer with an OpenAI-style error body."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    body = json.dumps({"error": {"message": message, "type": "stub", "code": None}}).encode()
    return StubReply(status=status, body=body, headers=headers)


def raw(body: bytes, *, status: int = 200, content_type: str = "application/json") -> StubReply:
    """Answer with these bytes, whatever they are."""
    return StubReply(status=status, body=body, content_type=content_type)


def slow(seconds: float, reply: StubReply) -> StubReply:
    """Answer with ``reply`` after ``seconds``."""
    return replace(reply, delay=seconds)


def hang() -> StubReply:
    """Take the request and never answer (until the server closes)."""
    return StubReply(hang=True)


def cut_stream(content: str, after: int) -> StubReply:
    """Stream ``content`` and drop the connection after ``after`` events."""
    return StubReply(content=content, cut_after=after)


def stalled_stream(content: str, after: int) -> StubReply:
    """Stream ``content`` and send nothing more after ``after`` events."""
    return StubReply(content=content, cut_after=after, hang=True)


def wrong_length(content: str, surplus: int = 100) -> StubReply:
    """Announce ``surplus`` more bytes than are sent, then close."""
    return StubReply(content=content, declared_length=surplus)


def _usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


def _event(model: str, choices: list[dict[str, Any]], usage: dict[str, int] | None = None) -> bytes:
    chunk = {
        "id": "chatcmpl-stub",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": model,
        "choices": choices,
        "usage": usage,
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"
