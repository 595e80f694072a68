"""Items: what was said and done in a session, one row each, and how OpenAI-style messages become them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Role = Literal["user", "assistant", "system", "tool"]
ItemKind = Literal["message", "tool_call", "tool_result", "outcome", "error"]


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a session.

    ``turn`` counts user messages from 1; ``seq`` counts items of the session from 1. ``text`` is what was said;
    ``parts`` names the parts of a message that are not text (images, audio), as ``{"type": ..., "note": ...}``.
    ``call_id`` pairs a tool call with its result. ``block`` is the path of the block that made the item.
    """

    id: str
    seq: int
    turn: int
    role: Role
    kind: ItemKind
    text: str
    created_at: datetime
    block: str = ""
    name: str = ""
    call_id: str = ""
    parts: tuple[Mapping[str, Any], ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])


def last_said(items: Sequence[Item]) -> Item | None:
    """Return the user's last message among items, None when there is none."""
    return next((item for item in reversed(items) if item.role == "user" and item.kind == "message"), None)


@dataclass(frozen=True, slots=True)
class Draft:
    """An item before the session gave it a place and a time.

    ``id`` is what it will have, "" where the session gives one; what the session holds already is not added again.
    """

    role: Role
    kind: ItemKind
    text: str
    name: str = ""
    call_id: str = ""
    parts: tuple[Mapping[str, Any], ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str = ""


def content_text(content: object) -> tuple[str, tuple[dict[str, Any], ...]]:
    """Split a message's content into its text and a description of every part that is not text.

    Content may be a string, None, a mapping, or a list of strings and typed parts; nothing raises.

    >>> content_text([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:..."}}])
    ('look', ({'type': 'image_url', 'note': 'image_url part, not text'},))
    >>> content_text(None)
    ('', ())
    """
    if content is None:
        return "", ()
    if isinstance(content, str):
        return content, ()
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence) or isinstance(content, bytes | bytearray):
        kind = type(content).__name__
        return "", ({"type": kind, "note": f"{kind} value, not text"},)
    texts: list[str] = []
    others: list[dict[str, Any]] = []
    for part in content:
        text = _part_text(part)
        if text is not None:
            texts.append(text)
        else:
            kind = str(part.get("type", "unknown")) if isinstance(part, Mapping) else type(part).__name__
            others.append({"type": kind, "note": f"{kind} part, not text"})
    return "\n".join(texts), tuple(others)


def _part_text(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return None
    text = part.get("text", part.get("content") if part.get("type") in ("text", "input_text", "output_text") else None)
    return text if isinstance(text, str) else None


def drafts_from_message(message: Mapping[str, Any]) -> list[Draft]:
    """Turn one OpenAI-style message into drafts: its text, then one draft per tool call, or one tool result.

    Raises ValueError when ``message`` has no role that is known, saying which roles are.
    """
    role = message.get("role")
    if role == "developer":
        role = "system"
    if role == "function":
        role = "tool"
    if role not in ("user", "assistant", "system", "tool"):
        raise ValueError(f"message role {role!r}: expected user, assistant, system or tool")
    text, parts = content_text(message.get("content"))
    if role == "tool":
        return [
            Draft(
                role="tool",
                kind="tool_result",
                text=text,
                name=str(message.get("name") or ""),
                call_id=str(message.get("tool_call_id") or ""),
                parts=parts,
            )
        ]
    calls = [_call_draft(call) for call in message.get("tool_calls") or () if isinstance(call, Mapping)]
    said = Draft(role=role, kind="message", text=text, name=str(message.get("name") or ""), parts=parts)
    return calls if calls and not text and not parts else [said, *calls]


def _call_draft(call: Mapping[str, Any]) -> Draft:
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    return Draft(
        role="assistant",
        kind="tool_call",
        text=str(function.get("arguments") or ""),
        name=str(function.get("name") or ""),
        call_id=str(call.get("id") or ""),
    )
