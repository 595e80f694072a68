"""Options are checked where they are given: an error names the option, what was given, and what is expected."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .errors import ConfigurationError
from .narrowing import is_sequence
from .validation import shown

P = ParamSpec("P")
T = TypeVar("T")


def option_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of the options that a function takes by keyword.

    >>> option_names(lambda path, *, user="", limit=3: None)
    ['path', 'user', 'limit']
    """
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind in named and parameter.name != "self"]


def names_options(
    elsewhere: Mapping[str, Iterable[str]] | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator: an option that the function has not is refused with the options there are, nearest first.

    ``elsewhere`` are the options of something that makes an argument of this one, under the words for how it is given.
    The decorated function keeps its types; ConfigurationError takes the place of Python's TypeError.

    >>> @names_options()
    ... def brew(*, sugar: int = 0, milk: bool = False) -> int:
    ...     return sugar
    >>> brew(sugr=1)  # type: ignore[call-arg]
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: brew: there is no option 'sugr' (given 1); did you mean 'sugar'? \
The options are sugar, milk
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        names = option_names(function)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            for option, given in kwargs.items():
                if option not in names:
                    owner = type(args[0]).__name__ if function.__name__ == "__init__" else function.__name__
                    told = f"{owner}: there is no option {option!r} (given {shown(given)})"
                    raise ConfigurationError(told + unknown_option(option, names, elsewhere))
            return function(*args, **kwargs)

        return checked

    return decorate


def unknown_option(option: str, known: Sequence[str], elsewhere: Mapping[str, Iterable[str]] | None = None) -> str:
    """Return what to say after an option that nobody knows: the nearest name, where it belongs, those there are."""
    nearest = get_close_matches(option, known, n=1)
    others = [(way, get_close_matches(option, [*names], n=1)) for way, names in (elsewhere or {}).items()]
    there = [(way, found[0]) for way, found in others if found]
    if nearest:
        told = f"; did you mean {nearest[0]!r}?"
    elif there:
        told = f"; {there[0][1]!r} is given with {there[0][0]}."
    else:
        told = "."
    return f"{told} The options are {', '.join(known)}"


def check_whole_number(option: str, value: object, *, least: int) -> None:
    """Raise ConfigurationError unless the value is a whole number of at least ``least``.

    >>> check_whole_number("limit", 1.5, least=0)
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: limit is 1.5; expected a whole number of at least 0
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigurationError(f"{option} is {shown(value)}; expected a whole number of at least {least}")


def check_model(option: str, value: object, *, without: str = "") -> None:
    """Raise ConfigurationError unless the value is a model's id, a list of ids, or a function that returns one.

    ``without`` says what else is taken there.

    >>> check_model("chat: model", [1])
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: chat: model is [1]; expected an id, a list of ids, or a function that returns one
    """
    ids = [value] if isinstance(value, str) else list(value) if is_sequence(value) else []
    if not callable(value) and not (ids and all(isinstance(record_id, str) and record_id.strip() for record_id in ids)):
        expected = ["an id", "a list of ids", "a function that returns one", *filter(None, [without])]
        raise ConfigurationError(f"{option} is {shown(value)}; expected {', '.join(expected[:-1])}, or {expected[-1]}")
