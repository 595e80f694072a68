"""Calls a user's function whatever its shape, and checks values against any type that pydantic knows."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from ..errors import ConfigurationError, SchemaError
from ..validation import shown, wrong
from .context import Context

Fn = Callable[[], Any] | Callable[[Any], Any] | Callable[[Any, Context], Any]
"""A function as `Call` takes it."""
MOST_ARGUMENTS = 2
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


class Call:
    """A user's function as the engine calls it: ``await call(value, ctx)``.

    The function may take nothing, the value, or the value and the context; a parameter named ``ctx`` is always the
    context. ConfigurationError when it takes more, and for what is no function.
    """

    __slots__ = ("fn", "name", "shape")

    def __init__(self, fn: Callable[..., Any], *, where: str) -> None:
        if not callable(fn):
            raise ConfigurationError(
                f"{where}: expected a function (or, where text is taken, a string), got {shown(fn)}; "
                "a capability, such as the .capability of a memory, goes into uses=[...]"
            )
        self.fn = fn
        self.name = getattr(fn, "__name__", type(fn).__name__)
        self.shape = _shape(fn, where)

    def plain(self, value: Any, ctx: Any) -> Any:
        """Call the function and return what it returns: a value, or an awaitable of one."""
        shape = self.shape
        if shape == "value":
            return self.fn(value)
        if shape == "value ctx":
            return self.fn(value, ctx)
        if shape == "ctx":
            return self.fn(ctx)
        return self.fn()

    async def __call__(self, value: Any, ctx: Any) -> Any:
        """Call the function and wait for it if it is async."""
        result = self.plain(value, ctx)
        if inspect.isawaitable(result):
            return await result
        return result


def _shape(fn: Callable[..., Any], where: str) -> str:
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):  # some builtins have no signature: they take the value
        return "value"
    needed = [
        p
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and (p.default is p.empty or p.name == "ctx")
    ]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    optional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p not in needed]
    if len(needed) > MOST_ARGUMENTS or any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
        raise ConfigurationError(
            f"{where}: {getattr(fn, '__name__', fn)!r} takes {inspect.signature(fn)}; "
            "a function here takes (), (value), (ctx) or (value, ctx)"
        )
    if len(needed) == MOST_ARGUMENTS:
        return "value ctx"
    if len(needed) == 1:
        return "ctx" if needed[0].name == "ctx" else "value"
    return "value" if variadic or optional else ""


def annotations(fn: Callable[..., Any]) -> tuple[Any, Any]:
    """Return the annotated type of the function's value parameter and of its result, Any where there is none."""
    try:
        hints = get_type_hints(fn, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return Any, Any
    parameters = [name for name in _parameter_names(fn) if name != "ctx"]
    accepts = hints.get(parameters[0], Any) if parameters else Any
    return accepts, hints.get("return", Any)


def awaited(returned: Any) -> Any:
    """Return the type that a function's caller has in the end: of an awaitable, what it gives.

    >>> awaited(Awaitable[int])
    <class 'int'>
    """
    origin = get_origin(returned) or returned
    if isinstance(origin, type) and issubclass(origin, Awaitable):
        arguments = get_args(returned)
        return arguments[-1] if arguments else Any
    return returned


def _parameter_names(fn: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return []


def adapter(schema: Any, name: str) -> TypeAdapter[Any]:
    """Return what checks values against ``schema``; ConfigurationError when pydantic cannot."""
    cached = _ADAPTERS.get(schema) if _hashable(schema) else None
    if cached is not None:
        return cached
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
        message = f"{ctx.path}: {side} does not fit {wanted}: {wrong(error, schema)}; got {shown(value)}"
        raise SchemaError(message) from error
