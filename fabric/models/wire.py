"""Between our records and the OpenAI wire form that litellm speaks: arguments out, replies and stream pieces in."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel

from ..narrowing import is_list_or_tuple, is_mapping
from .answers.strict import plain_schema, strict_schema
from .base import Message, Reply, Request, ToolCall, Usage

Finish = Literal["stop", "length", "tool_calls", "content_filter", "other"]
_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
_INSTRUCTIONS = (
    "Answer with one JSON object and nothing else: no explanation, no code fence. "
    "It must be data that fits this JSON schema (do not repeat the schema itself):\n"
)


def arguments(request: Request, *, native_schema: bool) -> dict[str, Any]:
    """Return the keyword arguments of a litellm completion; the schema is native or written into the instructions."""
    messages: Sequence[Message] = request.messages
    found: dict[str, Any] = {"model": request.model}
    if request.schema is not None and native_schema:
        found["response_format"] = response_format(request.schema)
    elif request.schema is not None:
        messages = with_instructions(messages, schema_instructions(request.schema))
    found["messages"] = sendable(list(messages))
    if request.tools:
        found["tools"] = [dict(tool) for tool in request.tools]
    if request.temperature is not None:
        found["temperature"] = request.temperature
    if request.max_tokens is not None:
        found["max_tokens"] = request.max_tokens
    return found | dict(request.extra)


def schema_instructions(schema: type[BaseModel]) -> str:
    """Return the instructions that ask for data of ``schema`` from a model without native structured output."""
    return _INSTRUCTIONS + json.dumps(plain_schema(schema), ensure_ascii=False, separators=(",", ":"))


def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """Return ``schema`` as the wire form asks for it in a request: by name, in the narrow form of strict mode."""
    named = {"name": schema.__name__, "schema": dict(strict_schema(schema)), "strict": True}
    return {"type": "json_schema", "json_schema": named}


def with_instructions(messages: Sequence[Message], text: str) -> list[Message]:
    r"""Return ``messages`` with ``text`` at the end of the first system message, or as a new one in front.

    >>> with_instructions([{"role": "system", "content": "Be brief."}], "Answer in JSON.")
    [{'role': 'system', 'content': 'Be brief.\n\nAnswer in JSON.'}]
    """
    if not messages or messages[0].get("role") != "system":
        return [{"role": "system", "content": text}, *messages]
    content = messages[0].get("content") or ""
    more: Any = [{"type": "text", "text": text}] if isinstance(content, list) else f"\n\n{text}"
    return [{**messages[0], "content": content + more}, *messages[1:]]


def sendable(value: Any) -> Any:
    r"""Return ``value`` with lone surrogates replaced, which no HTTP body and no pydantic model can carry.

    >>> sendable({"content": ["caf\ud83d"]}) == {"content": ["caf\ufffd"]}
    True
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if is_mapping(value):
        return {sendable(key): sendable(each) for key, each in value.items()}
    if is_list_or_tuple(value):
        return [sendable(each) for each in value]
    return value


def usage_of(response: Any, cost: float) -> Usage:
    """Return what one answered call used; tokens the provider does not report count as 0."""
    usage = getattr(response, "usage", None)
    tokens_in = getattr(usage, "prompt_tokens", None) or 0
    tokens_out = getattr(usage, "completion_tokens", None) or 0
    return Usage(input_tokens=int(tokens_in), output_tokens=int(tokens_out), cost=cost, calls=1)


def reply_of(response: Any, model: str, cost: float) -> Reply | None:
    """Return the first choice of ``response`` as a reply, None when it has no choice at all."""
    if not response.choices:
        return None
    choice = response.choices[0]
    calls = [
        ToolCall(id=call.id or f"call_{index}", name=call.function.name or "", arguments=call.function.arguments or "")
        for index, call in enumerate(choice.message.tool_calls or ())
    ]
    return Reply(
        text=choice.message.content or "",
        tool_calls=tuple(calls),
        finish=_finish(choice.finish_reason, bool(calls)),
        usage=usage_of(response, cost),
        model=response.model or model,
    )


class Assembly:
    """A streamed answer being put together; ``text`` is what came so far."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.calls: dict[int, dict[str, str]] = {}
        self.reason: str | None = None
        self.model = ""
        self.counted: Any = None

    @property
    def text(self) -> str:
        """The text that came so far."""
        return "".join(self.parts)

    def add(self, chunk: Any) -> str:
        """Take one chunk and return the text in it."""
        self.model = getattr(chunk, "model", None) or self.model
        if getattr(chunk, "usage", None) is not None:
            self.counted = chunk
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self.reason = choice.finish_reason or self.reason
        for call in getattr(choice.delta, "tool_calls", None) or ():
            self._add_call(call)
        text = choice.delta.content or ""
        if text:
            self.parts.append(text)
        return text

    def reply(self, model: str, cost: float) -> Reply:
        """Return the whole answer."""
        calls = tuple(
            ToolCall(id=call["id"] or f"call_{index}", name=call["name"], arguments=call["arguments"])
            for index, call in sorted(self.calls.items())
        )
        return Reply(
            text=self.text,
            tool_calls=calls,
            finish=_finish(self.reason, bool(calls)),
            usage=usage_of(self.counted, cost),
            model=self.model or model,
        )

    def _add_call(self, delta: Any) -> None:
        index = delta.index if delta.index is not None else len(self.calls)
        call = self.calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        call["id"] = call["id"] or delta.id or ""
        call["name"] = call["name"] or delta.function.name or ""
        call["arguments"] += delta.function.arguments or ""


def _finish(reason: str | None, has_calls: bool) -> Finish:
    finish = _FINISH.get(reason or "stop", "other")
    return "tool_calls" if has_calls and finish == "stop" else finish
