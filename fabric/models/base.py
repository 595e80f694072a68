"""The seam to language models: one request, one reply, and what a call cost."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from ..usage import Usage
from .server import ModelServer

__all__ = ["Delta", "Message", "ModelClient", "Reply", "Request", "ToolCall", "Usage"]

Message = dict[str, Any]
"""An OpenAI-style chat message."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool; ``arguments`` is the raw JSON text, which may be malformed."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Request:
    """One model call. ``schema`` asks for structured output; ``tools`` are OpenAI function schemas."""

    model: str
    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()
    schema: type[BaseModel] | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    """Seconds; None takes the model client's default."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    server: ModelServer | None = None
    """Where the model is reached; None takes the model client's own."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. ``finish`` is ``length`` when it was cut off, ``tool_calls`` when it wants tools."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Literal["stop", "length", "tool_calls", "content_filter", "other"] = "stop"
    usage: Usage = Usage()  # noqa: RUF009  it is frozen
    model: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streamed answer: text as it comes; the last piece carries the whole reply."""

    text: str = ""
    reply: Reply | None = None


class ModelClient(Protocol):
    """Whoever can answer requests: litellm in production, a script in tests.

    Raises ModelUnavailableError for what may pass (after its own retries), ModelError for what will not.
    """

    async def complete(self, request: Request) -> Reply:
        """Return the answer to one request."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Yield the answer to one request piece by piece; the last piece has ``reply`` set."""
        ...
