"""What adapters do to the texts of other libraries' values before they are stored."""

from collections.abc import Mapping
from typing import Any

from fabric.context import Context


def redacted(value: Any, ctx: Context) -> Any:
    """Return a JSON value without secrets in its texts, wherever they stand."""
    if isinstance(value, str):
        return ctx.redact(value)
    if isinstance(value, Mapping):
        return {key: redacted(one, ctx) for key, one in value.items()}
    return [redacted(one, ctx) for one in value] if isinstance(value, list | tuple) else value
