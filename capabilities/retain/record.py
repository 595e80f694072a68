"""What goes into a bank and what comes out of it, the same for both backends."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from fabric.text.prompt import strip_data_blocks

from ..sources import Source

MAX_CONTENT_CHARS = 100_000
"""How long one item may be; what is longer is refused, not cut."""
PREVIEW_CHARS = 500
"""How much of a memory a result shows."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Content = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CONTENT_CHARS),
    BeforeValidator(lambda given: strip_data_blocks(given) if isinstance(given, str) else given),
]
"""What is to be kept: what a memory had put into a prompt is taken out of it."""
EditStatus = Literal["updated", "deleted", "invalidated", "not_found", "not_editable"]
MemoryType = Literal["fact", "episode", "world", "experience", "observation", "unknown"]


def memories(number: int) -> str:
    """Return a number of memories in words.

    >>> memories(1), memories(2)
    ('1 memory', '2 memories')
    """
    return f"{number} {'memory' if number == 1 else 'memories'}"


class RetainItem(BaseModel):
    """One memory to be kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: Content = Field(
        description="One fact in its own words that can be understood alone: who, what, when, why."
    )
    context: str | None = Field(default=None, description="Where it is from, such as the file or who said it.")


class Edit(BaseModel):
    """A change to one memory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    op: Literal["update", "forget", "invalidate"] = Field(
        description="update: say it better; forget: delete it for good; invalidate: it is no longer so."
    )
    id: Text = Field(description="The id that recall printed.")
    content: Content | None = Field(default=None, description="With update: the whole new text.")
    importance: float | None = Field(
        default=None, allow_inf_nan=False, description="With update: 0 for little to 1 for much."
    )
    replacement_id: str | None = Field(default=None, description="With invalidate: the id of what took its place.")


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that could not be kept: its place among those given, and why."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Retained:
    """What became of items: ``count`` is how many were given, ``ids`` are those of what is kept, in their order."""

    count: int
    ids: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()
    redacted: tuple[str, ...] = ()
    """The kind and place of each secret that was taken out."""


@dataclass(frozen=True, slots=True)
class Found:
    """One result: ``content`` is at most `PREVIEW_CHARS` long, and ends in an ellipsis where it is ``truncated``.

    ``score`` is between 0 and 1, None where the backend gives none; ``kind`` is its memory type.
    """

    content: str
    id: str = ""
    kind: str = ""
    source: str = ""
    said_at: datetime | None = None
    score: float | None = None
    full_length: int = 0
    bank: str = ""

    @property
    def truncated(self) -> bool:
        """Whether only the beginning is shown."""
        return self.full_length > len(self.content)


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was found, best first, and when it was looked for."""

    found: Sequence[Found]
    at: datetime


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a bank says about a question, "" for nothing; ``sources`` are the ids of the memories it rests on."""

    text: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """What became of an edit: ``place`` says what kind of memory the id is, where that is why nothing was changed."""

    status: EditStatus
    id: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A part of a conversation, as it is kept.

    ``text`` is what is stored, with a marker around each turn; ``user_text`` is what of it the user said, from which
    alone facts are drawn; ``plain`` is all of it without markers, which is what is searched. ``document`` names what a
    later transcript of the same name takes the place of, "" where it stands for itself. ``turns`` is how many of the
    user's turns the session had up to its end.
    """

    text: str
    user_text: str
    plain: str
    document: str
    turns: int
    sources: tuple[Source, ...] = ()
    """The user's messages in it: who forgets one of them finds what was kept of it."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Something that was given to a bank, as another one takes it.

    ``document`` names it in every bank: what has come before under this name and says the same is left as it is.
    ``is_transcript`` tells a part of a conversation, of which ``user_text`` is what the user said.
    """

    document: str
    content: str
    context: str = ""
    said_at: datetime | None = None
    is_transcript: bool = False
    user_text: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move did: how many were given, how many the other bank took, and how many it had already."""

    given: int
    taken: int

    @property
    def known(self) -> int:
        """How many it had already."""
        return self.given - self.taken


@dataclass(frozen=True, slots=True)
class Flushed:
    """What was sent or settled: how many items, how many failed and wait for another try, and how many were given up.

    ``problem`` is the last error, for the user and never for the model.
    """

    done: int = 0
    waiting: int = 0
    given_up: int = 0
    problem: str = ""
