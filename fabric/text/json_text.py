"""The texts in a JSON value: where they stand, something is done to each, and the value keeps its form."""

import json
from collections.abc import Callable
from typing import Any

from ..narrowing import is_list_or_tuple, is_mapping


def redacted(value: Any, redact: Callable[[str], str]) -> Any:
    """Return a JSON value with ``redact`` applied to every text in it, keys apart.

    >>> redacted({"key": ["a secret", 1]}, lambda text: text.replace("secret", "[...]"))
    {'key': ['a [...]', 1]}
    """
    if isinstance(value, str):
        return redact(value)
    if is_mapping(value):
        return {key: redacted(child, redact) for key, child in value.items()}
    return [redacted(child, redact) for child in value] if is_list_or_tuple(value) else value


def spelled(text: str) -> list[str]:
    """Return how a text stands in ASCII JSON, by itself and inside a string of JSON that is in it.

    >>> spelled("plain"), len(spelled('a "b"'))
    (['plain'], 2)
    """
    once = json.dumps(text)[1:-1]
    unescaped = json.dumps(text, ensure_ascii=False)[1:-1]
    return list(dict.fromkeys([once, json.dumps(once)[1:-1], json.dumps(unescaped)[1:-1]]))
