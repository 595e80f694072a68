"""What a model answers that observes, compresses or reflects: forms that forgive, and what they mean."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from capabilities.prospective.commitments import NoteKind
from capabilities.sources import Source, unite
from capabilities.traces.record import TraceType
from capabilities.vocabulary import SHARE_SLIPS, TEXT_SLIPS, Unit
from fabric.models.answers.schema import Answer, Slips
from fabric.narrowing import is_list

from .record import Observation

LONGEST_NOTE = 1_000
MOST_NOTES = 40
LEAST_CONDENSED = 100
"""From how many words of notes on a reflection has to have fewer."""


def _whole(given: object) -> list[int]:
    some: list[Any] = given if is_list(given) else [given]
    return [int(number) for number in some if not isinstance(number, bool) and str(number).strip().isdecimal()]


Shown = Annotated[list[int], BeforeValidator(_whole)]
"""Numbers of what a model was shown; what is none is left out."""
Numbers = Annotated[Shown, Field(description="The numbers of what it is drawn from.")]
NOTE_SLIPS = Slips(
    {
        **dict.fromkeys(
            ("promise", "goal", "goals", "plan", "plans", "task", "tasks", "todo", "deadline"), "commitment"
        ),
        **dict.fromkeys(("emotion", "feeling", "mood"), "emotional"),
        **dict.fromkeys(("correct", "update", "retraction"), "correction"),
        **dict.fromkeys(("preferences", "like", "dislike", "constraint"), "preference"),
    },
    other="factual",
)
"""What models call the kinds of notes: a kind that there is not costs no note."""


class NoteTold(BaseModel):
    """One note, as a model gives it."""

    content: Annotated[str, Field(max_length=LONGEST_NOTE), TEXT_SLIPS]
    kind: Annotated[NoteKind, NOTE_SLIPS] = "factual"
    importance: Annotated[Unit, SHARE_SLIPS] = 0.5
    numbers: Numbers = []
    looks_ahead: Annotated[bool, Slips(other=False)] = False
    when: str = ""


class NotesTold(Answer):
    """All notes on some messages, or what is left of notes that were compressed."""

    notes: list[NoteTold] = Field(max_length=MOST_NOTES)


class TraceTold(BaseModel):
    """One memory that a model makes of notes."""

    content: Annotated[str, Field(max_length=LONGEST_NOTE), TEXT_SLIPS]
    type: Annotated[TraceType, Slips(other="semantic")] = "semantic"
    scope: Annotated[Literal["user", "thread"], Slips(other="user")] = "user"
    confidence: Annotated[Unit, Slips(other=0.7)] = 0.7
    tags: list[str] = []
    numbers: Numbers = []
    replaces: list[str] = []


class TracesTold(Answer):
    """What is learned from notes; ``keep`` are the numbers of notes that wait for more, the others are consumed."""

    traces: list[TraceTold] = Field(max_length=MOST_NOTES)
    keep: Shown = Field(default_factory=list[int])


def no_reflection(notes: Sequence[Observation], told: TracesTold, *, force: bool) -> str:
    """Return why memories are no reflection on notes, "" where they are: what is consumed has to become less.

    Of fewer than `LEAST_CONDENSED` words any memory may be made: a single note is a sentence already. With ``force``
    all notes may be kept, where nothing is learned: they are not so many that there has to be an end to them.
    """
    kept = set(told.keep)
    consumed = [note for number, note in enumerate(notes, start=1) if number not in kept]
    if not consumed and (told.traces or not force):
        return "no note was done with"
    before, after = count_words(consumed), count_words(told.traces)
    if before >= LEAST_CONDENSED and after > before:
        return f"{after} words were made of {before}; a reflection is shorter than its notes"
    return ""


def count_words(some: Iterable[Observation | NoteTold | TraceTold]) -> int:
    """Return how many words notes or memories have together, as white space parts them."""
    return sum(len(item.content.split()) for item in some)


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
