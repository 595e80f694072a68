"""What a schema says about reading the answer of a model: slips it may be forgiven, and what was left out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, PrivateAttr


@dataclass(frozen=True, slots=True)
class Refused:
    """An item that was not taken: where it stood, what it was and why not."""

    field: str
    index: int
    item: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Slips:
    """What the reading of an answer forgives in one field; who makes a record in Python is forgiven nothing.

    ``words`` are other words for a value, as they are compared: lower case, without separators. ``other`` stands for
    whatever else was given and for a missing value; None refuses it. ``absent`` stands for a key that was left out,
    although there is a default, which is what null means. ``is_text`` marks the field that a bare text, or
    the one text under an unknown key, is meant for. Put it into the field's annotation.

    >>> from typing import Annotated
    >>> from pydantic import create_model
    >>> from fabric.models.answers.structured import parse
    >>> Size = Annotated[int, Slips(words={"big": 3}, other=1)]
    >>> [parse(text, create_model("Box", size=(Size, ...))).value.size for text in ('{"size": "Big"}', '{"size": "?"}')]
    [3, 1]
    """

    words: Mapping[str, Any] = field(default_factory=dict[str, Any])
    other: Any = None
    absent: Any = None
    is_text: bool = False


class Answer(BaseModel):
    """A schema for answers that knows which items of an answer were refused, and why."""

    _refused: tuple[Refused, ...] = PrivateAttr(default=())

    @property
    def refused(self) -> tuple[Refused, ...]:
        """The items that were left out while a model's answer was read; () for a record made in Python."""
        return self._refused

    def refuse(self, refused: tuple[Refused, ...]) -> None:
        """Note what was left out: called by whoever read the answer."""
        self._refused = refused
