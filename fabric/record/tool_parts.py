"""Calls of tools and their results as providers write them: parts of a message's content, or messages themselves."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..narrowing import is_list_or_tuple, is_mapping


class ToolPart(NamedTuple):
    """A call with its arguments as JSON, or a result as it was given; ``call_id`` pairs the two."""

    kind: Literal["tool_call", "tool_result"]
    call_id: str
    name: str
    arguments: str = ""
    result: Any = None


def tool_part(part: object) -> ToolPart | None:
    """Return the call or the result that a part is, in whichever provider's shape; None for anything else.

    >>> tool_part({"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}}).arguments
    '{"city": "Oslo"}'
    >>> tool_part({"toolResult": {"toolUseId": "t1", "content": [{"text": "rain"}]}}).result
    [{'text': 'rain'}]
    """
    if not is_mapping(part):
        return None
    names = _names()
    kind = next((key for key in (part.get("type"), *part) if key in names["calls"] or key in names["results"]), None)
    if kind is None:
        return None
    inner = part.get(kind)
    inside: Mapping[str, Any] = inner if is_mapping(inner) else part
    call_id, name = str(_first(inside, "id") or ""), str(_first(inside, "name") or "")
    if kind in names["results"]:
        return ToolPart("tool_result", call_id, name, result=_first(inside, "result"))
    arguments = _first(inside, "arguments")
    return ToolPart("tool_call", call_id, name, arguments if isinstance(arguments, str) else as_json(arguments or {}))


def is_unsaid(part: Mapping[str, Any]) -> bool:
    """Return whether an item among messages is neither said nor a tool's, such as a model's reasoning.

    >>> is_unsaid({"type": "reasoning", "summary": []})
    True
    """
    return part.get("type") in _names()["unsaid"]


def split_parts(content: object) -> tuple[list[ToolPart], object]:
    """Return the calls and results among the parts of a message's content, and the content without them.

    >>> split_parts([{"type": "tool_result", "content": "rain"}, {"type": "text", "text": "Ah"}])[1]
    [{'type': 'text', 'text': 'Ah'}]
    """
    parts: Sequence[object] = content if is_list_or_tuple(content) else [content]
    found = [(part, tool_part(part)) for part in parts]
    tools = [tool for _, tool in found if tool is not None]
    return (tools, [part for part, tool in found if tool is None]) if tools else ([], content)


def as_json(value: object) -> str:
    """Return a value as JSON text, what JSON has no form for as its ``str``."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _first(inside: Mapping[str, Any], what: str) -> Any:
    return next((inside[name] for name in _names()[what] if inside.get(name) is not None), None)


@cache
def _names() -> Mapping[str, Sequence[str]]:
    found: Mapping[str, Sequence[str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return found
