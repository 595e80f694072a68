"""What the tools of retain take and give; what ``memory_edit`` takes is `Edit` itself."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from capabilities.retain.record import RetainItem, Text


class _Asked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Retain(_Asked):
    """Memories to keep."""

    items: list[RetainItem] = Field(min_length=1, description="What to keep; put all of it into one call.")


class Recall(_Asked):
    """A question to look for."""

    query: Text = Field(description="What to look for, in a few words or a question.")


class Reflect(_Asked):
    """A question to be answered from what is kept."""

    query: Text = Field(description="The question.")
    context: str | None = Field(default=None, description="What it is asked for, if that helps to answer it.")


class Answer(BaseModel):
    """What a tool says: ``text`` is for the model, ``details`` for the program around it."""

    model_config = ConfigDict(frozen=True)

    text: str
    details: dict[str, Any] = {}
