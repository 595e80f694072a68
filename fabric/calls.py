"""Calls a user's function whatever its shape: sync or async, with or without the value and the context."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, get_args, get_origin, get_type_hints

from .errors import ConfigurationError
from .validation import shown

MOST_ARGUMENTS = 2


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
