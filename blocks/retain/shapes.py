"""What the tools of retain take and give."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from capabilities.retain.record import MAX_CONTENT_CHARS
from fabric.text.prompt import strip_data_blocks

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Content = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CONTENT_CHARS),
    BeforeValidator(lambda given: strip_data_blocks(given) if isinstance(given, str) else given),
]
"""What is to be kept: what a memory had put into a prompt is taken out of it."""


class _Asked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Item(_Asked):
    """One memory."""

    content: _Content = Field(
        description="One fact in its own words that can be understood alone: who, what, when, why."
    )
    context: str | None = Field(default=None, description="Where it is from, such as the file or who said it.")


class Retain(_Asked):
    """Memories to keep."""

    items: list[Item] = Field(min_length=1, description="What to keep; put all of it into one call.")


class Recall(_Asked):
    """A question to look for."""

    query: _Text = Field(description="What to look for, in a few words or a question.")


class Reflect(_Asked):
    """A question to be answered from what is kept."""

    query: _Text = Field(description="The question.")
    context: str | None = Field(default=None, description="What it is asked for, if that helps to answer it.")


class MemoryEdit(_Asked):
    """A change to one memory."""

    op: Literal["update", "forget", "invalidate"] = Field(
        description="update: say it better; forget: delete it for good; invalidate: it is no longer so."
    )
    id: _Text = Field(description="The id that recall printed.")
    content: _Content | None = Field(default=None, description="With update: the whole new text.")
    importance: float | None = Field(
        default=None, allow_inf_nan=False, description="With update: 0 for little to 1 for much."
    )
    replacement_id: str | None = Field(default=None, description="With invalidate: the id of what took its place.")


class Answer(BaseModel):
    """What a tool says: ``text`` is for the model, ``details`` for the program around it."""

    model_config = ConfigDict(frozen=True)

    text: str
    details: dict[str, Any] = {}
