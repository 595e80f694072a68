"""What pydantic found wrong with a value, in one line that says which field it is."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from typing_extensions import TypeIs

from .telling import repr_of

SHOWN_CHARS = 80
SHOWN_FIELDS = 5
_HALF = (
    "the text has half a character in it (a lone surrogate such as U+D800), which no file can hold: "
    "clean it with text.encode('utf-8', 'replace').decode()"
)


def complaints(error: ValidationError) -> Iterator[str]:
    r"""Yield what is wrong with each field, without the refused value.

    >>> from pydantic import TypeAdapter
    >>> try:
    ...     TypeAdapter(dict[str, int]).validate_python({"n": "two"})
    ... except ValidationError as error:
    ...     print(*complaints(error))
    n: Input should be a valid integer, unable to parse string as an integer
    """
    for problem in error.errors(include_url=False):
        text = _HALF if problem["type"] == "string_unicode" else problem["msg"].removeprefix("Value error, ")
        yield f"{'.'.join(map(str, problem['loc'])) or 'value'}: {text}"


def is_model(kind: object) -> TypeIs[type[BaseModel]]:
    """Return whether ``kind`` is a class of pydantic's models."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def wrong(error: ValidationError, schema: Any = None) -> str:
    """Return the first complaints in one line, and the fields of a model that was given one it does not have."""
    complaint = "; ".join([*complaints(error)][:SHOWN_FIELDS])
    fields = getattr(schema, "model_fields", None)
    if fields and any(problem["type"] == "extra_forbidden" for problem in error.errors(include_url=False)):
        return f"{complaint} (its fields are {', '.join(fields)})"
    return complaint


def shown(value: Any) -> str:
    """Return a value as an error shows it: cut when it is long, and with what no terminal can print escaped."""
    text = repr_of(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}... ({len(text)} characters)"
