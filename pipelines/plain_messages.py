"""Plain messages: what the libraries of models return as objects, as the mappings that are captured."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from fabric.narrowing import is_list_or_tuple, is_mapping


def plain(message: Any) -> Any:
    """Return a message with objects of a library, itself or in its content, as mappings; anything else as it is.

    Agents append what a model returned to the chat as it is: OpenAI's message, or Anthropic's blocks as the content.

    >>> class Block(BaseModel):
    ...     type: str
    ...     text: str
    >>> plain({"role": "assistant", "content": [Block(type="text", text="Hello")]})
    {'role': 'assistant', 'content': [{'type': 'text', 'text': 'Hello'}]}
    """
    if isinstance(message, BaseModel):
        return message.model_dump(exclude_none=True, warnings=False)
    if not is_mapping(message):
        return message
    held = {
        name: [plain(part) for part in value] if is_list_or_tuple(value) else plain(value)
        for name, value in message.items()
        if _holds_objects(value)
    }
    return {**message, **held} if held else message


def _holds_objects(value: Any) -> bool:
    if is_list_or_tuple(value):
        return any(isinstance(part, BaseModel | Mapping) and _is_object(part) for part in value)
    return isinstance(value, BaseModel)


def _is_object(value: Any) -> bool:
    return isinstance(value, BaseModel) or any(_holds_objects(part) for part in value.values())
