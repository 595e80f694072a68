"""The texts in a JSON value: where they stand, something is done to each, and the value keeps its form."""

from collections.abc import Callable, Mapping
from typing import Any


def redacted(value: Any, redact: Callable[[str], str]) -> Any:
    """Return a JSON value with ``redact`` applied to every text in it, keys apart.

    >>> redacted({"key": ["a secret", 1]}, lambda text: text.replace("secret", "[...]"))
    {'key': ['a [...]', 1]}
    """
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: redacted(one, redact) for key, one in value.items()}
    return [redacted(one, redact) for one in value] if isinstance(value, list | tuple) else value
