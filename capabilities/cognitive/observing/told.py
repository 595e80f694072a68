"""What a model answers that observes, compresses or reflects: forms that forgive, and what they mean."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from capabilities.sources import Source, unite
from capabilities.traces.record import TraceType
from capabilities.vocabulary import Unit

from .record import NoteKind

LONGEST_NOTE = 1_000
MOST_NOTES = 40
Numbers = Annotated[list[int], Field(description="The numbers of what it is drawn from.")]


class _Told(BaseModel):
    model_config = ConfigDict(extra="ignore")


class NoteTold(_Told):
    """One note, as a model gives it."""

    content: str = Field(max_length=LONGEST_NOTE)
    kind: NoteKind = "factual"
    importance: Unit = 0.5
    numbers: Numbers = []
    looks_ahead: bool = False
    when: str = ""


class NotesTold(_Told):
    """All notes on some messages, or what is left of notes that were compressed."""

    notes: list[NoteTold] = Field(max_length=MOST_NOTES)


class TraceTold(_Told):
    """One memory that a model makes of notes."""

    content: str = Field(max_length=LONGEST_NOTE)
    type: TraceType = "semantic"
    scope: Literal["user", "thread"] = "user"
    confidence: Unit = 0.7
    tags: list[str] = []
    numbers: Numbers = []
    replaces: list[str] = []


class TracesTold(_Told):
    """What is learned from notes; ``keep`` are the numbers of notes that wait for more, the others are consumed."""

    traces: list[TraceTold] = Field(max_length=MOST_NOTES)
    keep: list[int] = []


def drawn_from(numbers: Sequence[int], sources: Sequence[Sequence[Source]]) -> tuple[Source, ...]:
    """Return the turns behind some numbers, 1 for the first; all of them where a model names none that there is.

    >>> drawn_from([9], []), drawn_from([], [])
    ((), ())
    """
    named = [sources[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(sources)]
    found: list[Source] = []
    for some in named or sources:
        found = unite(found, list(some))
    return tuple(found)
