"""Schemas of blocks: a value is checked against any type that pydantic knows, and an error says where."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from .context import Context
from .errors import ConfigurationError, SchemaError
from .validation import shown, wrong

_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def adapter(schema: Any, name: str) -> TypeAdapter[Any]:
    """Return what checks values against ``schema``; ConfigurationError when pydantic cannot."""
    known = _ADAPTERS.get(schema) if _hashable(schema) else None
    if known is not None:
        return known
    try:
        made: TypeAdapter[Any] = TypeAdapter(schema)
    except Exception as error:  # pydantic raises several kinds for a type it cannot take
        raise ConfigurationError(f"{name}: {schema!r} is not a schema: give a type pydantic can check") from error
    if _hashable(schema):
        _ADAPTERS[schema] = made
    return made


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def check(schema: Any, value: Any, ctx: Context, side: str) -> Any:
    """Return ``value`` as ``schema`` types it; SchemaError naming the block's path, the side and each field."""
    name = ctx.block.name if ctx.block is not None else ""
    try:
        return adapter(schema, name).validate_python(value, from_attributes=True)
    except ValidationError as error:
        wanted = getattr(schema, "__name__", str(schema))
        told = f"{ctx.path}: {side} does not fit {wanted}: {wrong(error, schema)}; got {shown(value)}"
        raise SchemaError(told) from error
