"""Items: what was said and done in a session, one row each, and how OpenAI-style messages become them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from ..narrowing import is_list, is_mapping, is_sequence
from ..text.json_text import redacted
from .tool_parts import ToolPart, as_json, is_unsaid, split_parts, tool_part

WRITTEN = ("alt", "alt_text", "caption", "title", "description", "transcript", "filename")
"""Under which names a part that is no text says what it is in words, the most telling first."""
MAX_WRITTEN = 500
"""How many characters of that are kept."""
Role = Literal["user", "assistant", "system", "tool"]
ROLES: Mapping[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
"""The roles that messages have, and what each is called here."""
ItemKind = Literal["message", "tool_call", "tool_result", "outcome", "error"]


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a session.

    ``turn`` counts user messages from 1; ``seq`` counts items of the session from 1. ``text`` is what was said;
    ``parts`` names the parts of a message that are not text (images, audio), as ``{"type": ..., "note": ...}``, with
    ``text`` where somebody wrote one to it.
    ``call_id`` pairs a tool call with its result. ``block`` is the path of the block that made the item. ``counts_as``
    is the moment after which it was said in truth, where the clock had been set back behind what was said before.
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
    counts_as: datetime | None = None


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

    Content may be a string, None, a mapping, or a list of strings and typed parts; nothing raises. What somebody wrote
    to a part that is no text, as a caption or an alternative text, is its ``text``.

    >>> content_text([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:..."}}])
    ('look', ({'type': 'image_url', 'note': 'image_url part, not text'},))
    >>> content_text(None)
    ('', ())
    >>> content_text({"type": "image", "alt": "Our boat"})[1][0]["text"]
    'Our boat'
    """
    if content is None:
        return "", ()
    if isinstance(content, str):
        return content, ()
    if is_mapping(content):
        content = [content]
    if not is_sequence(content) or isinstance(content, bytes | bytearray):
        kind = type(content).__name__
        return "", ({"type": kind, "note": f"{kind} value, not text"},)
    texts: list[str] = []
    others: list[dict[str, Any]] = []
    for part in content:
        text = _part_text(part)
        if text is not None:
            texts.append(text)
        else:
            others.append(_described(part))
    return "\n".join(texts), tuple(others)


def _described(part: object) -> dict[str, Any]:
    kind = str(part.get("type", "unknown")) if is_mapping(part) else type(part).__name__
    written = _written(part, kind) if is_mapping(part) else ""
    note = f"{kind} part, not text"
    return {"type": kind, "note": f"{note}: {written}", "text": written} if written else {"type": kind, "note": note}


def _written(part: Mapping[str, Any], kind: str) -> str:
    """Return what somebody wrote to a part that is no text, "" for nothing."""
    inner = part.get(kind)
    for held in (part, inner):
        told = (held.get(name) for name in WRITTEN) if is_mapping(held) else ()
        said = next((text for text in told if isinstance(text, str) and text.strip()), "")
        if said:
            return " ".join(said.split())[:MAX_WRITTEN]
    return ""


def words_of(item: "Item | Draft") -> str:
    r"""Return all words of a message: its text, and in brackets what is written to its parts that are no text.

    >>> words_of(Draft(role="user", kind="message", text="Look", parts=({"type": "image_url", "text": "Our boat"},)))
    'Look\n[image: Our boat]'
    """
    shown_parts = [f"[{kind_of(part)}: {part['text']}]" for part in item.parts if part.get("text")]
    return "\n".join([item.text, *shown_parts] if item.text.strip() else shown_parts) if shown_parts else item.text


def without_secrets(draft: Draft, redact: Callable[[str], str]) -> Draft:
    """Return a message with ``redact`` applied to all its words.

    >>> without_secrets(Draft(role="user", kind="message", text="my key"), lambda text: text.replace("key", "…")).text
    'my …'
    """
    return replace(draft, text=redact(draft.text), parts=tuple(redacted(part, redact) for part in draft.parts))


def kind_of(part: Mapping[str, Any]) -> str:
    """Return what a part that is no text is to people: an image, a file.

    >>> kind_of({"type": "input_image"}), kind_of({"type": "image_url"}), kind_of({"type": "document"})
    ('image', 'image', 'document')
    """
    return str(part.get("type", "part")).removeprefix("input_").removesuffix("_url")


def _part_text(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not is_mapping(part):
        return None
    text = part.get("text", part.get("content") if part.get("type") in ("text", "input_text", "output_text") else None)
    return text if isinstance(text, str) else None


def drafts_from_message(message: Mapping[str, Any]) -> list[Draft]:
    """Turn one message into drafts: results of tools, its text, then one draft per tool call.

    Messages of OpenAI are taken, those of Anthropic and of others whose results of tools stand in the user's messages
    too: a message that only holds such results is none that the user says. A model's reasoning is no draft.

    Raises ValueError when ``message`` has no role that is known, saying which roles are.
    """
    if message.get("role") is None:
        alone = tool_part(message)
        if alone is not None:
            return [_tool_draft(alone)]
        if is_unsaid(message):
            return []
    role = ROLES.get(str(message.get("role")))
    if role is None:
        raise ValueError(f"message role {message.get('role')!r}: expected user, assistant, system or tool")
    tools, content = split_parts(message.get("content", message.get("parts")))
    results = [_tool_draft(tool) for tool in tools if tool.kind == "tool_result"]
    text, parts = content_text(content)
    call_id, name = str(message.get("tool_call_id") or ""), str(message.get("name") or "")
    if role == "tool":
        given = [Draft("tool", "tool_result", text, name=name, call_id=call_id, parts=parts)]
        return results if results and not text and not parts else [*results, *given]
    calls = [
        *(_tool_draft(tool) for tool in tools if tool.kind == "tool_call"),
        *(_call_draft(call) for call in message.get("tool_calls") or () if is_mapping(call)),
    ]
    draft = Draft(role=role, kind="message", text=text, name=name, parts=parts)
    is_silent = (calls or results) and not text and not parts
    return [*results, *calls] if is_silent else [*results, draft, *calls]


def _tool_draft(tool: ToolPart) -> Draft:
    if tool.kind == "tool_call":
        return Draft("assistant", "tool_call", tool.arguments, name=tool.name, call_id=tool.call_id)
    text, parts = content_text(tool.result)
    if tool.result and not text:  # no text and no typed part: an object
        typed = is_list(tool.result) and all(isinstance(own, Mapping) and "type" in own for own in tool.result)
        text, parts = ("", parts) if typed else (as_json(tool.result), ())
    return Draft("tool", "tool_result", text, name=tool.name, call_id=tool.call_id, parts=parts)


def _call_draft(call: Mapping[str, Any]) -> Draft:
    given = call.get("function")
    function: Mapping[str, Any] = given if is_mapping(given) else {}
    return Draft(
        role="assistant",
        kind="tool_call",
        text=str(function.get("arguments") or ""),
        name=str(function.get("name") or ""),
        call_id=str(call.get("id") or ""),
    )
