"""The input of a run as a message of the user, whatever its blocks make of it."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from ..narrowing import is_list_or_tuple, is_mapping
from .items import Draft, content_text, drafts_from_message

_ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function", "model"})
_CONTENT = ("content", "tool_calls", "parts")


def said_in(value: object) -> Draft | None:
    """Return the user's message that a value is or ends with, None where nobody says anything in it.

    A text is one, and so are a message of the user and content of parts; of a list of messages it is the user's last.

    >>> said_in([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]).text
    'hi'
    >>> said_in({"role": "assistant", "content": "hello"}), said_in({"city": "Oslo"}), said_in(" ")
    (None, None, None)
    """
    drafts = [draft for message in messages_in(value) or () for draft in _drafts(message)]
    message = next((draft for draft in reversed(drafts) if draft.role == "user" and draft.kind == "message"), None)
    return message if message is not None and (message.text.strip() or message.parts) else None


def messages_in(value: object) -> Sequence[Mapping[str, Any]] | None:
    """Return the messages that a value is, a text or parts as one of the user's; None for what is no message.

    >>> messages_in("hi"), messages_in(17)
    ([{'role': 'user', 'content': 'hi'}], None)
    """
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    if is_message(value):
        return [value]
    if _is_part(value):
        return [{"role": "user", "content": [value]}]
    if is_list_or_tuple(value) and value:
        if all(is_message(message) for message in value):
            return list(value)
        if all(isinstance(part, str) or _is_part(part) for part in value) and any(map(_is_part, value)):
            return [{"role": "user", "content": value}]
    return None


def is_message(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is a message of a chat, whoever's."""
    return is_mapping(value) and value.get("role") in _ROLES and any(key in value for key in _CONTENT)


def _is_part(value: object) -> bool:
    return is_mapping(value) and isinstance(value.get("type"), str) and content_text(value) != ("", ())


def _drafts(message: Mapping[str, Any]) -> Sequence[Draft]:
    try:
        return drafts_from_message(message)
    except (ValueError, TypeError, AttributeError):  # of no shape that is known
        return ()
