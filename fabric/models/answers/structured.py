"""From a model's text to a validated pydantic model: the best reading, its good items and the refused ones."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from fabric.errors import OutputError
from fabric.narrowing import is_dict
from fabric.text.json_text import redacted
from fabric.text.words import uncontrolled

from .mending import mended, reason
from .parsing import Reading, readings
from .schema import Answer, Refused
from .shaping import LONGEST_TEXT, absurd, list_fields, taken, unwrapped

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """An answer as its schema. ``refused`` are the items that were left out and why.

    ``repaired`` says that the text was not plainly the asked-for JSON, ``truncated`` that its end is missing: what
    was complete before the cut is in ``value``.
    """

    value: T
    refused: tuple[Refused, ...] = ()
    repaired: bool = False
    truncated: bool = False


class _UnfitError(Exception):
    """A reading of a text that does not fit the schema."""


def parse(text: str, schema: type[T], *, finish: str = "stop", longest: int | None = LONGEST_TEXT) -> Parsed[T]:
    """Return ``text`` read as ``schema``, item by item where it has lists.

    Fences, thinking and prose around are dropped, nearly-JSON is repaired, wrappers are taken off, and control
    characters leave its texts. ``finish`` is the reply's finish reason; ``longest`` the characters one text may have
    (None: any). OutputError when nothing can be used: it says why, and holds the text.

    >>> from pydantic import create_model
    >>> Answer = create_model("Answer", names=(list[str], ...))
    >>> parse('Here you are: {"names": ["Ann", "Bob",]}', Answer).value.names
    ['Ann', 'Bob']
    """
    best: Parsed[T] | None = None
    most, cut = (0, -1), finish == "length"
    complaint = "it holds no JSON" if text.strip() else "it is empty"
    for reading in readings(text):
        cut = cut or reading.cut
        try:
            parsed, score = _parsed(reading, schema, longest)
        except _UnfitError as error:
            complaint = str(error)
            continue
        if score > most:
            best, most = parsed, score
    if best is None:
        raise OutputError(f"the answer cannot be read as {schema.__name__}: {complaint}", raw=text, truncated=cut)
    return best


def _parsed(reading: Reading, schema: type[T], longest: int | None) -> tuple[Parsed[T], tuple[int, int]]:
    """Return a reading as its schema, and how good it is: the fields it has and the items that were kept."""
    try:
        values = unwrapped(redacted(reading.value, uncontrolled), schema)
    except RecursionError as error:
        raise _UnfitError("it is nested too deeply") from error
    if values is None:
        expected = ", ".join(repr(info.alias or name) for name, info in schema.model_fields.items())
        raise _UnfitError(f"it has none of the keys {expected} with data")
    lists = list_fields(schema)
    fields = taken(values, schema, longest)
    if fields.refused and not fields.kept:
        raise _UnfitError(f"every item was refused, the first because: {fields.refused[0].reason}")
    if reading.cut and lists and not fields.kept:
        raise _UnfitError("it was cut off before its first complete item")
    try:
        value = mended(TypeAdapter(schema), fields.values, schema)
    except ValidationError as error:
        raise _UnfitError(reason(error)) from error
    single = [getattr(value, name) for name, info in schema.model_fields.items() if (info.alias or name) not in lists]
    if (complaint := absurd(single, longest)) is not None:
        raise _UnfitError(complaint)
    if isinstance(value, Answer):
        value.refuse(tuple(fields.refused))
    exact = reading.exact and is_dict(reading.value) and values.keys() <= reading.value.keys()
    parsed = Parsed(value, tuple(fields.refused), repaired=not exact, truncated=reading.cut)
    return parsed, (len(values), fields.kept)
