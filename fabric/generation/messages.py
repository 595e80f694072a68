"""Messages: what a generator says to its model, built from values, functions and what capabilities add."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from ..errors import SchemaError
from ..flow.calls import Call
from ..flow.capability import Preset
from ..flow.context import Context
from ..models.base import Message
from ..narrowing import is_list_or_tuple, is_mapping, is_sequence

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def as_text(value: object) -> str:
    """Return a value as a model reads it: text as it is, None as "", anything else as JSON.

    >>> as_text({"city": "Köln"})
    '{"city": "Köln"}'
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    try:
        return json.dumps(to_jsonable_python(value, fallback=repr), ensure_ascii=False)
    except (ValueError, TypeError):  # a cycle, or bytes that are no text
        return repr(value)


def user_messages(value: object) -> list[Message]:
    """Return the messages that a value means: messages and lists of content parts as such, the rest as text.

    >>> user_messages("hello")
    [{'role': 'user', 'content': 'hello'}]
    """
    if value is None:
        return []
    if _is_message(value):
        return [_sent(value)]
    if is_list_or_tuple(value) and value:
        if all(_is_message(message) for message in value):
            return [_sent(message) for message in value]
        if all(isinstance(part, str) or _is_part(part) for part in value) and any(_is_part(part) for part in value):
            return [_sent({"role": "user", "content": value})]
    return [{"role": "user", "content": as_text(value)}]


def _is_message(value: object) -> TypeGuard[Mapping[str, Any]]:
    return is_mapping(value) and value.get("role") in _ROLES and ("content" in value or "tool_calls" in value)


def _is_part(value: object) -> bool:
    if not is_mapping(value):
        return False
    kind = value.get("type")
    return isinstance(kind, str) and (kind in value or kind in ("text", "image", "document", "audio"))


def _sent(message: Mapping[str, Any]) -> Message:
    """Return a copy in a form that providers take: content as a string or as a list of typed parts."""
    content = message.get("content")
    if is_mapping(content):
        content = [content]
    if is_sequence(content) and not isinstance(content, str | bytes | bytearray):
        filled = [part for part in content if part is not None]
        parts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in filled]
        return {**message, "content": parts}
    if content is None and message.get("tool_calls"):
        return {**message, "content": None}
    return {**message, "content": as_text(content)}


async def system_text(parts: Sequence["str | Call"], value: Any, ctx: Context) -> str:
    """Return the system text: strings and functions of the value, joined by newlines, empty ones dropped."""
    texts = [part if isinstance(part, str) else _text(await part(value, ctx), part.name, ctx) for part in parts]
    return "\n".join(text for text in texts if text.strip())


async def context_text(sources: Sequence[Any], value: Any, ctx: Context) -> str:
    """Return what the context sources of a generator and then of its capabilities add, blank pieces dropped."""
    return await _joined([*sources, *(source for bundle in _active(ctx) for source in bundle.context)], value, ctx)


async def header_text(value: Any, ctx: Context) -> str:
    """Return what the capabilities of a generator put before its own system text, blank pieces dropped."""
    return await _joined([source for bundle in _active(ctx) for source in bundle.header], value, ctx)


def _active(ctx: Context) -> list[Preset]:
    return [bundle for capability in ctx.cap.declared().values() for bundle in capability.active()]


async def _joined(sources: Sequence[Any], value: Any, ctx: Context) -> str:
    texts = [await _resolved(source, value, ctx) for source in sources]
    return "\n\n".join(text for text in texts if text.strip())


def context_call(source: Any, where: str) -> "str | Call":
    """Return a context source ready to use; ConfigurationError for a function of the wrong shape."""
    return source if isinstance(source, str) else Call(source, where=where)


async def _resolved(source: Any, value: Any, ctx: Context) -> str:
    ready = source if isinstance(source, Call) else context_call(source, f"{ctx.path}: context")
    if isinstance(ready, str):
        return ready
    # A context function of one parameter takes the context, whatever the parameter is called.
    return _text(await ready(value if ready.shape == "value ctx" else ctx, ctx), ready.name, ctx)


def _text(result: object, name: str, ctx: Context) -> str:
    if result is None:
        return ""
    if not isinstance(result, str):
        raise SchemaError(f"{ctx.path}: {name}() returned {type(result).__name__}; expected a string or None")
    return result
