"""Settings: the one base of every config, so that a value that cannot work is refused where it is written."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from fabric.errors import ConfigurationError
from fabric.options import unknown_option

MAX_SHOWN = 80
"""How many characters of a refused value a message shows."""


class Settings(BaseModel):
    """A frozen set of options; ConfigurationError names the option, what it got and what was expected.

    >>> class Tea(Settings):
    ...     sugar: int = 0
    >>> Tea(sugar="two")
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: Tea: sugar='two': Input should be a valid integer, unable to parse string as an \
integer
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    if not TYPE_CHECKING:  # the type checkers read the constructor from the fields

        def __init__(self, **values: Any) -> None:
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise ConfigurationError(f"{type(self).__name__}: {self._explain(error)}") from error

    @classmethod
    def _explain(cls, error: ValidationError) -> str:
        found = error.errors(include_url=False)
        unknown = [
            record["loc"][0] for record in found if record["type"] == "extra_forbidden" and len(record["loc"]) == 1
        ]
        told = "; ".join(map(one_mistake, found))
        return told + unknown_option(str(unknown[0]), [*cls.model_fields]) if unknown else told

    @classmethod
    def of(cls, value: "bool | Mapping[str, Any] | Settings | None") -> Self | None:
        """Return the settings an option means: True the defaults, a mapping its fields, False or None nothing.

        ConfigurationError for anything else.
        """
        if value is None or value is False:
            return None
        if value is True:
            return cls()
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping):
            return cls(**{str(option): given for option, given in value.items()})
        raise ConfigurationError(f"{cls.__name__}: got {value!r}; expected True, False, a mapping or a {cls.__name__}")


def one_mistake(details: Any) -> str:
    """Return one line on what a validation found: which value, what it was, what was expected."""
    place = ".".join(str(part) for part in details["loc"])
    message = str(details["msg"]).removeprefix("Value error, ")
    message = "there is no such option" if details["type"] == "extra_forbidden" else message
    if details["type"] == "missing":  # what it got is all the rest
        return f"{place} is missing"
    return f"{place}={_short(details['input'])}: {message}" if place else message


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
