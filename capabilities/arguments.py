"""Arguments of the calls of a capability, checked against their annotations, so that a mistake is told as one."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from typing import Annotated, Any, ParamSpec, TypeVar, cast

from pydantic import ConfigDict, PlainValidator, ValidationError, validate_call

from fabric.errors import RefusedError
from fabric.narrowing import is_iterable

from .settings import one_mistake

P = ParamSpec("P")
R = TypeVar("R")


def _texts(given: object) -> tuple[str, ...]:
    texts = tuple(given) if is_iterable(given) and not isinstance(given, str | Mapping) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise ValueError('Input should be texts in a list, such as ["tea", "green"]')
    return tuple(map(str, texts))


Texts = Annotated[Iterable[str], PlainValidator(_texts)]
"""Several texts; one text is none, whose letters would be taken for them."""


def checks_arguments(fn: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """Return a method that refuses arguments of a wrong type or value; RefusedError names each with what it got.

    >>> import asyncio
    >>> @checks_arguments
    ... async def pour(self: object, cups: int, tags: Texts = ()) -> int:
    ...     return cups
    >>> asyncio.run(pour(None, "two"))
    Traceback (most recent call last):
    fabric.errors.RefusedError: pour: cups='two': Input should be a valid integer. Correct it, and call again.
    """

    @wraps(fn)
    def given(**arguments: Any) -> dict[str, Any]:
        return arguments

    takes, run = signature(fn), cast("Callable[..., Awaitable[R]]", fn)
    check = validate_call(config=ConfigDict(strict=True, arbitrary_types_allowed=True))(given)

    @wraps(fn)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            bound = takes.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{fn.__name__}: {error}") from None
        try:
            checked = check(**bound)
        except ValidationError as error:
            told = "; ".join(map(one_mistake, error.errors(include_url=False)))
            raise RefusedError(f"{fn.__name__}: {told}", do="Correct it, and call again.") from error
        return await run(**checked)

    return call
